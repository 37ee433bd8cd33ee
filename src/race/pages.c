/* Accesses as parts of words and whole pages. */
#include "race/pages.h"

#include "race/cells.h"
#include "race/races.h"

static uint8_t word_mask(uint64_t word, uint64_t address, uint64_t last) {
  uint64_t low = word << CELL_SHIFT, mask = WHOLE_CELL;
  if (address > low) mask &= 0xffu << (address - low);
  if (last < low + CELL_BYTES - 1) mask &= 0xffu >> (low + CELL_BYTES - 1 - last);
  return (uint8_t)mask;
}

static uint64_t first_of_page(uint64_t word) {
  return word & ~(uint64_t)(PAGE_WORDS - 1);
}

/* Whether bytes cover the page that begins at that word. */
static bool covers(uint64_t first, uint64_t address, uint64_t last) {
  const uint64_t low = first << CELL_SHIFT;
  return address <= low && last >= low + (CELL_BYTES * PAGE_WORDS - 1);
}

static uint32_t page_of(unf_races *r, uint64_t first) {
  const uint32_t page = unfi_cell_find(r, first | OF_PAGE);
  return page != 0 ? page : unfi_cell_add(r, first | OF_PAGE);
}

/* A cell in the list of its page. */
static uint32_t cell_of(unf_races *r, uint64_t word) {
  uint32_t cell = unfi_cell_find(r, word);
  if (cell != 0) return cell;
  const uint32_t page = page_of(r, first_of_page(word));
  if (page == 0 || (cell = unfi_cell_add(r, word)) == 0) return 0;
  r->cells.data[cell].page = page;
  r->cells.data[cell].next = r->cells.data[page].page;
  r->cells.data[page].page = cell;
  return cell;
}

static bool access_word(unf_races *r, uint64_t word, uint8_t mask, const unf_access *access) {
  uint32_t own = 0, none = 0;
  const uint32_t cell = cell_of(r, word);
  if (cell == 0) return false;
  return unfi_cell_compare(r, r->cells.data[cell].page, word, mask, access, &none) &&
         unfi_cell_compare(r, cell, word, mask, access, &own) &&
         unfi_cell_note(r, cell, own, mask, access);
}

static bool access_page(unf_races *r, uint64_t first, const unf_access *access) {
  uint32_t own = 0, none = 0;
  const uint32_t page = page_of(r, first);
  if (page == 0) return false;
  for (uint32_t cell = r->cells.data[page].page; cell != 0; cell = r->cells.data[cell].next)
    if (!unfi_cell_compare(r, cell, r->cells.data[cell].word, WHOLE_CELL, access, &none))
      return false;
  return unfi_cell_compare(r, page, first, WHOLE_CELL, access, &own) &&
         unfi_cell_note(r, page, own, WHOLE_CELL, access);
}

bool unfi_pages_access(unf_races *r, const unf_access *access) {
  const uint64_t last = access->address + access->size - 1, last_word = last >> CELL_SHIFT;
  for (uint64_t word = access->address >> CELL_SHIFT; word <= last_word;) {
    if (word == first_of_page(word) && covers(word, access->address, last)) {
      if (!access_page(r, word, access)) return false;
      word += PAGE_WORDS;
    } else {
      if (!access_word(r, word, word_mask(word, access->address, last), access)) return false;
      word++;
    }
  }
  return true;
}

/* Records of the page become some of each of its words. What is done twice when this was refused
 * the first time says the same twice. */
static bool divide(unf_races *r, uint32_t page) {
  const uint32_t records = r->cells.data[page].first;
  const uint64_t first = r->cells.data[page].word & ~OF_PAGE;
  for (uint32_t i = records; i != 0; i = r->records.data[i].next) {
    const struct access_record record = r->records.data[i];
    for (uint64_t word = first; word < first + PAGE_WORDS; word++) {
      const uint32_t cell = cell_of(r, word);
      if (cell == 0 || !unfi_cell_record(r, cell, record)) return false;
    }
  }
  return unfi_cell_forget(r, page, WHOLE_CELL);
}

static bool forget_in_page(unf_races *r, uint32_t page, uint64_t address, uint64_t last) {
  const uint64_t first = r->cells.data[page].word & ~OF_PAGE;
  const bool whole = covers(first, address, last);
  if (whole ? !unfi_cell_forget(r, page, WHOLE_CELL)
            : r->cells.data[page].first != 0 && !divide(r, page))
    return false;
  for (uint32_t cell = r->cells.data[page].page; cell != 0; cell = r->cells.data[cell].next) {
    const uint64_t word = r->cells.data[cell].word;
    const bool inside = word >= address >> CELL_SHIFT && word <= last >> CELL_SHIFT;
    if (inside && !unfi_cell_forget(r, cell, word_mask(word, address, last))) return false;
  }
  return true;
}

/* Only few bytes of a page: its words are looked for one by one. */
static bool forget_words(unf_races *r, uint64_t address, uint64_t last) {
  for (uint64_t word = address >> CELL_SHIFT; word <= last >> CELL_SHIFT; word++) {
    const uint32_t cell = unfi_cell_find(r, word);
    if (cell != 0 && !unfi_cell_forget(r, cell, word_mask(word, address, last))) return false;
  }
  return true;
}

static bool overlaps(const unf_races *r, uint32_t page, uint64_t address, uint64_t last) {
  const uint64_t first = r->cells.data[page].word & ~OF_PAGE;
  return (r->cells.data[page].word & OF_PAGE) != 0 && first <= last >> CELL_SHIFT &&
         first + PAGE_WORDS > address >> CELL_SHIFT;
}

bool unfi_pages_forget(unf_races *r, uint64_t address, uint64_t size) {
  enum { FEW = 32 };
  const uint64_t last = address + size - 1, last_page = first_of_page(last >> CELL_SHIFT);
  uint64_t first = first_of_page(address >> CELL_SHIFT);
  const bool few = first == last_page && size <= (uint64_t)FEW * CELL_BYTES;
  if ((last_page - first) / PAGE_WORDS > r->cells.count) {
    for (uint32_t i = 1; i < r->cells.count; i++)
      if (overlaps(r, i, address, last) && !forget_in_page(r, i, address, last)) return false;
    return true;
  }
  for (; first <= last_page; first += PAGE_WORDS) {
    const uint32_t page = unfi_cell_find(r, first | OF_PAGE);
    if (page == 0) continue;
    const bool good = few && r->cells.data[page].first == 0
                          ? forget_words(r, address, last)
                          : forget_in_page(r, page, address, last);
    if (!good) return false;
  }
  return true;
}

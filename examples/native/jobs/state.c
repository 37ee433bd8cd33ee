#include "state.h"

#include <string.h>
#include <sys/mman.h>

#include "../control.h"
#include "../control/modules.h"
#include "../control/saved.h"

enum { LISTS = 6 };

void state_parts(struct control *control, struct state_part parts[STATE_PARTS]) {
  parts[0] = (struct state_part){(char *)&control->range_count, (char *)&control->carried};
  parts[1] = (struct state_part){(char *)&control->outcome, (char *)(control + 1)};
}

/* What is behind the last entry of a long list, which was never written. */
#define UNUSED(list, count)                                                                        \
  (struct state_part) {                                                                            \
    (char *)((list) +                                                                              \
             ((count) < sizeof(list) / sizeof *(list) ? (count) : sizeof(list) / sizeof *(list))), \
        (char *)(list) + sizeof(list)                                                              \
  }

/* The block is long, and mostly empty. To read a page that was never written costs as much as to
 * write it: a fault, and sometimes the page. So these lists are read as far as they go. */
static void find_unused(struct control *c, struct state_part unused[LISTS]) {
  unused[0] = UNUSED(c->words, c->word_count);
  unused[1] = UNUSED(c->events.text, c->events.listed ? sizeof c->events.text : 0);
  unused[2] = UNUSED(c->modules, c->module_count);
  unused[3] = UNUSED(c->findings, c->finding_count);
  unused[4] = UNUSED(c->races, c->races_found);
  unused[5] = UNUSED(c->touched, c->touched_count);
}

static bool is_unused(const struct state_part unused[LISTS], const char *from, size_t size) {
  for (int i = 0; i < LISTS; i++)
    if (from >= unused[i].from && from + size <= unused[i].to) return true;
  return false;
}

bool state_is_unused(struct control *control, const char *from, size_t size) {
  struct state_part unused[LISTS];
  find_unused(control, unused);
  return is_unused(unused, from, size);
}

/* The next piece of a part, from *at on; false: there is none. */
static bool next_piece(const struct state_part *part, size_t *at, uint32_t *size) {
  const size_t whole = (size_t)(part->to - part->from);
  *at += *size;
  if (*at >= whole) return false;
  *size = (uint32_t)(whole - *at < SAVED_PIECE ? whole - *at : SAVED_PIECE);
  return true;
}

struct control *state_new(void) {
  void *block = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return block != MAP_FAILED ? block : NULL;
}

void state_free(struct control *state) {
  if (state != NULL) munmap(state, sizeof *state);
}

static bool is_empty(const char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (bytes[i] != 0) return false;
  return true;
}

/* Puts what is not in these. */
static bool put_used(struct wire *wire, struct control *control,
                     const struct state_part unused[LISTS]) {
  struct state_part parts[STATE_PARTS];
  bool good = true;
  state_parts(control, parts);
  for (uint32_t i = 0; i < STATE_PARTS; i++) {
    uint32_t piece = 0;
    for (size_t at = 0; good && next_piece(&parts[i], &at, &piece);) {
      const uint32_t head[] = {i, (uint32_t)at, piece};
      const char *from = parts[i].from + at;
      if (is_unused(unused, from, piece) || is_empty(from, piece)) continue;
      good = wire_append(wire, (const char *)head, sizeof head) && wire_append(wire, from, piece);
    }
  }
  return good;
}

/* The program may be writing to the block: a list that became longer meanwhile is put again. */
bool state_put(struct wire *wire, struct control *control) {
  struct state_part unused[LISTS], now[LISTS];
  const size_t begin = wire->size;
  bool good;
  do {
    wire->size = begin;
    find_unused(control, unused);
    good = put_used(wire, control, unused);
    find_unused(control, now);
  } while (good && memcmp(unused, now, sizeof now) != 0);
  return good;
}

static void clear(struct control *control, const struct state_part parts[STATE_PARTS]) {
  struct state_part unused[LISTS];
  find_unused(control, unused);
  for (int i = 0; i < STATE_PARTS; i++) {
    uint32_t piece = 0;
    for (size_t at = 0; next_piece(&parts[i], &at, &piece);)
      if (!is_unused(unused, parts[i].from + at, piece)) memset(parts[i].from + at, 0, piece);
  }
}

bool state_get(struct control *control, const char *bytes, size_t size) {
  struct state_part parts[STATE_PARTS];
  uint32_t head[3];
  state_parts(control, parts);
  clear(control, parts);
  for (size_t at = 0; at < size; at += head[2]) {
    if (size - at < sizeof head) return false;
    memcpy(head, bytes + at, sizeof head);
    at += sizeof head;
    if (head[0] >= STATE_PARTS || head[2] > size - at) return false;
    const struct state_part *part = &parts[head[0]];
    const size_t room = (size_t)(part->to - part->from);
    if (head[1] > room || head[2] > room - head[1]) return false;
    memcpy(part->from + head[1], bytes + at, head[2]);
  }
  return true;
}

void state_copy(struct control *to, struct control *from) {
  struct state_part here[STATE_PARTS], there[STATE_PARTS], unused_here[LISTS], unused_there[LISTS];
  state_parts(to, here);
  state_parts(from, there);
  find_unused(to, unused_here);
  find_unused(from, unused_there);
  for (int i = 0; i < STATE_PARTS; i++) {
    uint32_t piece = 0;
    for (size_t at = 0; next_piece(&here[i], &at, &piece);)
      if (!is_unused(unused_here, here[i].from + at, piece) ||
          !is_unused(unused_there, there[i].from + at, piece))
        memcpy(here[i].from + at, there[i].from + at, piece);
  }
}

void state_know(struct control *to, const struct control *from) {
  const char *begin = (const char *)&from->range_count, *end = (const char *)&from->carried;
  memcpy(&to->settings, &from->settings, sizeof to->settings);
  memcpy((char *)&to->range_count, begin, (size_t)(end - begin));
  to->site_cache.used = from->site_cache.used;
  memcpy(to->site_cache.bytes, from->site_cache.bytes, from->site_cache.used);
}

uint64_t state_address(const struct control *to, const struct control *from, uint64_t address) {
  for (uint32_t i = 0; i < from->module_count; i++) {
    const struct module *m = &from->modules[i];
    if (address < m->low || address > m->high) continue;
    for (uint32_t j = 0; j < to->module_count; j++)
      if (strcmp(to->modules[j].path, m->path) == 0) return address - m->base + to->modules[j].base;
  }
  return address;
}

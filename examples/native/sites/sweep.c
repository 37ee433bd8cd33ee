/* From one end of each function to the other, instruction by instruction. A module's code is data
 * too (jump tables, constants, padding), and a row that was read out of that would be a jump
 * written into it: so only what lies in a function counts, and of a function only what was decoded
 * from its first byte to its last. An instruction into whose middle something jumps is left alone,
 * because only its first byte would be a jump then; and what the kernel begins anew when a thread
 * was interrupted in it (restartable sequences) may not leave for somewhere else. */
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "entries.h"
#include "frames.h"
#include "moves.h"
#include "pauses.h"
#include "reached.h"
#include "tails.h"

enum { SEQUENCES_MAX = 4096, SEQUENCE_SIZE = 32 };

struct work {
  const struct image *image;
  bool moves;
  ZydisDecoder quick, full;
  struct span code;       /* from the first to the last of it */
  unsigned char *targets; /* a bit for each of its bytes: something jumps there */
  struct spans decoded;   /* functions that were decoded from end to end */
  struct spans sequences;
  const struct spans *described;
  struct spans entries; /* where other functions begin */
  struct found_sites *found;
  struct pauses pauses; /* of a function */
};

static bool prepare(struct work *w) {
  struct span span;
  w->code = (struct span){UINT64_MAX, 0};
  for (uint32_t at = 0; image_code(w->image, &at, &span);) {
    if (span.high <= span.low) continue;
    if (span.low < w->code.low) w->code.low = span.low;
    if (span.high > w->code.high) w->code.high = span.high;
  }
  if (w->code.low >= w->code.high) w->code = (struct span){0, 0};
  /* Memory in the file alone; a hole between segments may be of any size. */
  if (w->code.high - w->code.low > 16 * w->image->size) return false;
  w->targets = calloc(1, (w->code.high - w->code.low) / 8 + 1);
  ZydisDecoderInit(&w->quick, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  ZydisDecoderEnableMode(&w->quick, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
  ZydisDecoderInit(&w->full, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  return w->targets != NULL;
}

static void mark_target(struct work *w, uint64_t target) {
  if (target < w->code.low || target >= w->code.high) return;
  w->targets[(target - w->code.low) / 8] |= (unsigned char)(1u << (target - w->code.low) % 8);
}

static bool is_target(const struct work *w, uint64_t address) {
  const uint64_t at = address - w->code.low;
  return at < w->code.high - w->code.low && (w->targets[at / 8] >> at % 8 & 1) != 0;
}

static bool add_site(struct found_sites *f, const struct site *site) {
  if (f->table.sites == f->capacity) {
    uint32_t capacity = f->capacity == 0 ? 64 : 2 * f->capacity;
    struct site *sites = realloc(f->sites, capacity * sizeof *sites);
    if (sites == NULL) return false;
    f->sites = sites;
    f->capacity = capacity;
  }
  f->sites[f->table.sites++] = *site;
  return true;
}

/* Sequences are listed by their beginning and length, as the linker or the loader fills them in. */
static bool read_sequences(struct work *w) {
  Elf64_Shdr list;
  uint64_t room;
  if (!image_section(w->image, "__rseq_cs", &list)) return true;
  const unsigned char *bytes = image_at(w->image, list.sh_addr, false, &room);
  if (bytes == NULL) return true;
  if (list.sh_size < room) room = list.sh_size;
  for (uint64_t i = 0; i < SEQUENCES_MAX && (i + 1) * SEQUENCE_SIZE <= room; i++) {
    const unsigned char *entry = bytes + i * SEQUENCE_SIZE;
    uint64_t begin = bytes_number(entry + 8, 8), size = bytes_number(entry + 16, 8);
    if (begin == 0) begin = image_relative(w->image, list.sh_addr + i * SEQUENCE_SIZE + 8);
    if (size > UINT64_MAX - begin) continue;
    if (!spans_add(&w->sequences, (struct span){begin, begin + size})) return false;
  }
  return true;
}

static bool in_sequence(const struct work *w, const struct site *site) {
  for (size_t i = 0; i < w->sequences.count; i++)
    if (site->offset + site->length > w->sequences.at[i].low &&
        site->offset < w->sequences.at[i].high)
      return true;
  return false;
}

/* Adds an instruction, if it is a site; false without memory. */
static bool see(struct work *w, const ZydisDecodedInstruction *instruction,
                const unsigned char *here, uint64_t left, uint64_t at) {
  struct site site;
  enum described what = DESCRIBED_OTHER;
  if (may_be_site(here, instruction->length)) {
    what = describe(&w->full, here, left, &site);
    w->found->table.left += what == DESCRIBED_STRANGE;
  } else if (w->moves && may_be_move(instruction)) {
    what = describe_move(&w->full, w->image, here, left, at, &site);
    w->found->table.moves_left += what == DESCRIBED_STRANGE;
  }
  site.offset = at;
  return what != DESCRIBED_SITE || add_site(w->found, &site);
}

/* What is called, or jumped to from elsewhere, is code as well. */
static bool add_entry(struct work *w, uint64_t target) {
  const size_t i = spans_find(w->described, target);
  const bool described = i < w->described->count && w->described->at[i].low <= target;
  return described || spans_add(&w->entries, (struct span){target, target + 1});
}

/* Adds the sites of a function. *whole: its last instruction ends where it does. */
static bool sweep_function(struct work *w, struct span function, bool *whole) {
  const uint32_t first = w->found->table.sites;
  bool jumps = false; /* to where cannot be seen */
  pauses_begin(&w->pauses);
  uint64_t room, at = function.low;
  const unsigned char *bytes = image_at(w->image, at, true, &room);
  *whole = false;
  if (bytes == NULL || room < function.high - function.low) return true;
  while (at < function.high) {
    const unsigned char *here = bytes + (at - function.low);
    const uint64_t left = function.high - at;
    ZydisDecodedInstruction instruction;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&w->quick, NULL, here, left, &instruction)))
      return true;
    if (instruction.raw.imm[0].is_relative) {
      const uint64_t target = at + instruction.length + (uint64_t)instruction.raw.imm[0].value.s;
      mark_target(w, target);
      if (!add_entry(w, target)) return false;
    }
    pauses_see(&w->pauses, &instruction, at);
    tails_follow(w->found->sites + first, w->found->table.sites - first, &instruction, at);
    jumps |= tails_jumps(&instruction);
    if (!see(w, &instruction, here, left, at)) return false;
    at += instruction.length;
  }
  pauses_mark(&w->pauses, w->found->sites + first, w->found->table.sites - first);
  tails_end(w->found->sites + first, w->found->table.sites - first, jumps);
  return *whole = true;
}

static bool sweep_functions(struct work *w, const struct spans *functions) {
  struct site_table *table = &w->found->table;
  for (size_t i = 0; i < functions->count; i++) {
    const struct site_table before = *table;
    const size_t entries = w->entries.count;
    bool whole;
    if (!sweep_function(w, functions->at[i], &whole)) return false;
    table->ranges++;
    if (whole) {
      if (!spans_add(&w->decoded, functions->at[i])) return false;
      continue;
    }
    table->ranges_left++;
    w->entries.count = entries;
    table->sites = before.sites;
    table->left = before.left;
    table->moves_left = before.moves_left;
  }
  return true;
}

static void leave_some(struct work *w) {
  struct site_table *table = &w->found->table;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < table->sites; i++) {
    struct site site = w->found->sites[i];
    bool good = !in_sequence(w, &site);
    for (unsigned j = 0; j < site.tail_size; j++)
      if (is_target(w, site.offset + site.length + j)) site.tail = SITE_TAIL_NONE;
    for (uint64_t at = site.offset + 1; at < site.offset + site.length; at++)
      good = good && !is_target(w, at);
    if (good)
      w->found->sites[kept++] = site;
    else if ((site.flags & SITE_MOVE) != 0)
      table->moves_left++;
    else
      table->left++;
  }
  table->sites = kept;
}

/* What looks like a locked instruction in code that is in no decoded function. It may be data. */
static void look_outside(struct work *w) {
  struct span code;
  size_t next = 0;
  for (uint32_t part = 0; image_code(w->image, &part, &code);) {
    uint64_t room;
    const unsigned char *bytes = image_at(w->image, code.low, true, &room);
    next = 0;
    for (uint64_t at = code.low; bytes != NULL && at < code.high; at++) {
      while (next < w->decoded.count && w->decoded.at[next].high <= at)
        next++;
      if (next < w->decoded.count && w->decoded.at[next].low <= at) {
        at = w->decoded.at[next].high - 1;
        continue;
      }
      struct site site;
      const unsigned char *here = bytes + (at - code.low);
      if (*here != 0xf0) continue;
      w->found->table.outside += describe(&w->full, here, code.high - at, &site) != DESCRIBED_OTHER;
    }
  }
}

static int compare_sites(const void *a, const void *b) {
  const struct site *x = a, *y = b;
  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Code that no description covers. */
static bool sweep_rest(struct work *w, struct spans *reached) {
  struct found_sites *f = w->found;
  if (!entries_read(w->image, &w->entries) ||
      !reached_code(w->image, w->described, &w->entries, reached) || !sweep_functions(w, reached))
    return false;
  spans_sort(&w->decoded);
  if (reached->count > 0 && f->table.sites > 0)
    qsort(f->sites, f->table.sites, sizeof *f->sites, compare_sites);
  return true;
}

bool sweep(const struct image *image, bool moves, struct found_sites *found) {
  struct spans functions = {NULL, 0, 0}, reached = {NULL, 0, 0};
  struct work w = {.image = image, .moves = moves, .found = found, .described = &functions};
  bool done = prepare(&w) && frames_read(image, &functions) && read_sequences(&w) &&
              sweep_functions(&w, &functions) && sweep_rest(&w, &reached);
  if (done) leave_some(&w);
  if (done) look_outside(&w);
  for (size_t i = 0; done && i < reached.count; i++)
    done = spans_add(&functions, reached.at[i]);
  spans_sort(&functions);
  if (done) reached_rest(image, &functions, &found->table);
  free(w.targets);
  free(w.decoded.at);
  free(w.sequences.at);
  free(w.entries.at);
  free(functions.at);
  free(reached.at);
  return done;
}

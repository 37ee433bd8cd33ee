/* An assembler describes no function by itself, and the start-up code of C is not described either.
 * Whatever is reached by going on from a place where a function begins, with every jump, is code;
 * and where it begins is known from symbols, from what the dynamic linker calls, and from calls in
 * other code. What cannot be code on the way (an instruction that does not exist or that a program
 * may not use, two that overlap, bytes of zero, a call over what is between) shows that something
 * was taken for code, and nothing that was reached with it is believed: a jump written there would
 * destroy a constant.
 *
 * Where a jump goes through a register or a table, what it leads to is not known, and stays out of
 * what was reached unless something else leads there. */
#include "reached.h"

#include <Zydis/Zydis.h>
#include <stdlib.h>

enum { SYS_SIGRETURN = 15, SYS_EXIT = 60, SYS_EXIT_GROUP = 231 };
enum { BREAKPOINT = 0xcc };
enum mark { MARK_NONE, MARK_FIRST, MARK_REST };

struct walk {
  const struct image *image;
  const struct spans *described;
  struct spans *entries;
  struct span code;     /* from the first to the last of it */
  unsigned char *marks; /* of each byte, an enum mark */
  ZydisDecoder decoder;
  struct spans open; /* where it goes on */
  struct spans done; /* instructions reached from this entry */
  bool memory;
};

/* The instructions from one place on, as long as each goes on to the next. */
struct path {
  uint64_t at;
  const unsigned char *bytes; /* NULL: none were looked at yet */
  uint64_t room;
  uint64_t number; /* what EAX was set to, for a system call */
};

static void keep(struct walk *w, struct spans *to, uint64_t low, uint64_t high) {
  w->memory = spans_add(to, (struct span){low, high}) && w->memory;
}

static bool is_described(const struct walk *w, uint64_t address) {
  const size_t i = spans_find(w->described, address);
  return i < w->described->count && w->described->at[i].low <= address;
}

/* Code that nobody describes, up to where it ends or a description begins. */
static const unsigned char *code_at(const struct walk *w, uint64_t address, uint64_t *room) {
  struct span part;
  const size_t next = spans_find(w->described, address);
  for (uint32_t i = 0; image_code(w->image, &i, &part);) {
    if (address < part.low || address >= part.high) continue;
    const unsigned char *bytes = image_at(w->image, address, true, room);
    if (*room > part.high - address) *room = part.high - address;
    if (next < w->described->count && w->described->at[next].low - address < *room)
      *room = w->described->at[next].low - address;
    return bytes;
  }
  return NULL;
}

/* Whether no program has it, or only one for the kernel. */
static bool is_foreign(const ZydisDecodedInstruction *i, const unsigned char *bytes) {
  switch (i->meta.category) {
  case ZYDIS_CATEGORY_IO:
  case ZYDIS_CATEGORY_IOSTRINGOP:
  case ZYDIS_CATEGORY_SYSTEM:
  case ZYDIS_CATEGORY_SYSRET:
    return i->mnemonic != ZYDIS_MNEMONIC_XGETBV && i->mnemonic != ZYDIS_MNEMONIC_HLT &&
           i->mnemonic != ZYDIS_MNEMONIC_RDTSC && i->mnemonic != ZYDIS_MNEMONIC_RDTSCP;
  default:
    return i->mnemonic == ZYDIS_MNEMONIC_CLI || i->mnemonic == ZYDIS_MNEMONIC_STI ||
           (i->length >= 2 && bytes[0] == 0 && bytes[1] == 0);
  }
}

/* Whether nothing goes on behind it. */
static bool is_last(const ZydisDecodedInstruction *i, const struct path *p) {
  switch (i->mnemonic) {
  case ZYDIS_MNEMONIC_JMP:
  case ZYDIS_MNEMONIC_RET:
  case ZYDIS_MNEMONIC_HLT:
  case ZYDIS_MNEMONIC_UD0:
  case ZYDIS_MNEMONIC_UD1:
  case ZYDIS_MNEMONIC_UD2:
  case ZYDIS_MNEMONIC_INT3:
    return true;
  case ZYDIS_MNEMONIC_SYSCALL:
    return p->number == SYS_EXIT || p->number == SYS_EXIT_GROUP || p->number == SYS_SIGRETURN;
  default:
    return false;
  }
}

/* Whether what is called takes its return address for the place of a constant behind the call. */
static bool takes_return(const struct walk *w, uint64_t target, uint64_t next) {
  ZydisDecodedInstruction first;
  uint64_t room;
  const unsigned char *bytes = target == next ? NULL : code_at(w, target, &room);
  return bytes != NULL &&
         ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&w->decoder, NULL, bytes, room, &first)) &&
         first.mnemonic == ZYDIS_MNEMONIC_POP;
}

/* Where else the instruction leads; false: it cannot be one. */
static bool follow_jump(struct walk *w, const ZydisDecodedInstruction *i, uint64_t next) {
  const uint64_t target = next + (uint64_t)i->raw.imm[0].value.s;
  uint64_t room;
  if (!i->raw.imm[0].is_relative) return true;
  if (!is_described(w, target) && code_at(w, target, &room) == NULL) return false;
  if (i->mnemonic == ZYDIS_MNEMONIC_CALL) {
    if (takes_return(w, target, next)) return false;
    keep(w, w->entries, target, target + 1);
  } else if (!is_described(w, target)) {
    keep(w, &w->open, target, target + 1);
  }
  return true;
}

/* Marks the bytes of an instruction; false: another one has some of them. */
static bool mark(struct walk *w, uint64_t at, unsigned length) {
  unsigned char *marks = w->marks + (at - w->code.low);
  for (unsigned i = 0; i < length; i++)
    if (marks[i] != MARK_NONE) return false;
  for (unsigned i = 0; i < length; i++)
    marks[i] = i == 0 ? MARK_FIRST : MARK_REST;
  keep(w, &w->done, at, at + length);
  return true;
}

/* One instruction. *ends: nothing goes on behind it. False: it cannot be one. */
static bool step(struct walk *w, struct path *p, bool *ends) {
  ZydisDecodedInstruction i;
  *ends = true;
  if (is_described(w, p->at)) return true;
  if (p->bytes == NULL || p->room == 0) p->bytes = code_at(w, p->at, &p->room);
  if (p->bytes == NULL) return false;
  const unsigned char known = w->marks[p->at - w->code.low];
  if (known != MARK_NONE) return known == MARK_FIRST;
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&w->decoder, NULL, p->bytes, p->room, &i)) ||
      is_foreign(&i, p->bytes) || !mark(w, p->at, i.length) ||
      !follow_jump(w, &i, p->at + i.length))
    return false;
  *ends = is_last(&i, p);
  if (i.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && i.opcode == 0xb8)
    p->number = i.raw.imm[0].value.u;
  p->at += i.length;
  p->bytes += i.length;
  p->room -= i.length;
  return true;
}

static bool follow(struct walk *w, uint64_t entry) {
  w->open.count = w->done.count = 0;
  keep(w, &w->open, entry, entry + 1);
  while (w->memory && w->open.count > 0) {
    struct path p = {.at = w->open.at[--w->open.count].low, .number = UINT64_MAX};
    for (bool ends = false; w->memory && !ends;)
      if (!step(w, &p, &ends)) return false;
  }
  return true;
}

static void forget(struct walk *w) {
  for (size_t i = 0; i < w->done.count; i++)
    for (uint64_t at = w->done.at[i].low; at < w->done.at[i].high; at++)
      w->marks[at - w->code.low] = MARK_NONE;
}

static void follow_all(struct walk *w) {
  for (size_t i = 0; w->memory && i < w->entries->count; i++) {
    const uint64_t entry = w->entries->at[i].low;
    uint64_t room;
    if (is_described(w, entry) || code_at(w, entry, &room) == NULL) continue;
    const size_t before = w->entries->count;
    if (follow(w, entry)) continue;
    forget(w);
    w->entries->count = before; /* what it called, too */
  }
}

/* What was reached, in pieces that lie together; a function begins a new one. */
static void collect(struct walk *w, struct spans *found) {
  spans_sort(w->entries);
  size_t next = 0;
  uint64_t begin = 0;
  bool inside = false;
  for (uint64_t at = w->code.low; w->memory && at <= w->code.high; at++) {
    const bool described = is_described(w, at);
    const bool reached = !described && at < w->code.high && w->marks[at - w->code.low] != MARK_NONE;
    while (next < w->entries->count && w->entries->at[next].low < at)
      next++;
    const bool enters = next < w->entries->count && w->entries->at[next].low == at;
    if (inside && (!reached || enters)) keep(w, found, begin, at);
    if (reached && (!inside || enters)) begin = at;
    inside = reached;
    if (described) at = w->described->at[spans_find(w->described, at)].high - 1;
  }
}

bool reached_code(const struct image *image, const struct spans *described, struct spans *entries,
                  struct spans *found) {
  struct walk w = {.image = image, .described = described, .entries = entries, .memory = true};
  struct span part;
  w.code = (struct span){UINT64_MAX, 0};
  for (uint32_t i = 0; image_code(image, &i, &part);) {
    if (part.low < w.code.low) w.code.low = part.low;
    if (part.high > w.code.high) w.code.high = part.high;
  }
  if (w.code.low >= w.code.high) return true;
  w.marks = calloc(1, w.code.high - w.code.low);
  ZydisDecoderInit(&w.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  w.memory = w.marks != NULL;
  follow_all(&w);
  collect(&w, found);
  free(w.marks);
  free(w.open.at);
  free(w.done.at);
  return w.memory;
}

/* ---- what is not known ---- */

/* How many bytes of padding there are, as assemblers and linkers make it. */
static uint64_t padding(const ZydisDecoder *decoder, const unsigned char *bytes, uint64_t room) {
  uint64_t size = 0;
  while (size < room) {
    ZydisDecodedInstruction i;
    const unsigned char *here = bytes + size;
    if (*here == 0 || *here == BREAKPOINT)
      size++;
    else if (ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder, NULL, here, room - size, &i)) &&
             (i.mnemonic == ZYDIS_MNEMONIC_NOP || i.mnemonic == ZYDIS_MNEMONIC_FNOP))
      size += i.length;
    else
      break;
  }
  return size;
}

/* Whether it is a part of a table of jumps to other modules: only these, and what they push. */
static bool is_table(const struct image *image, const ZydisDecoder *decoder, struct span piece,
                     const unsigned char *bytes) {
  static const char *const names[] = {".plt", ".plt.sec", ".plt.got", ".iplt"};
  const uint64_t size = piece.high - piece.low;
  bool inside = false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    Elf64_Shdr s;
    inside |= image_section(image, names[i], &s) && piece.low >= s.sh_addr &&
              piece.low - s.sh_addr < s.sh_size && size <= s.sh_size - (piece.low - s.sh_addr);
  }
  for (uint64_t at = 0; inside && at < size;) {
    ZydisDecodedInstruction i;
    at += padding(decoder, bytes + at, size - at);
    if (at == size) break;
    inside =
        ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder, NULL, bytes + at, size - at, &i)) &&
        (i.mnemonic == ZYDIS_MNEMONIC_JMP || i.mnemonic == ZYDIS_MNEMONIC_PUSH ||
         i.mnemonic == ZYDIS_MNEMONIC_ENDBR64);
    at += inside ? i.length : 0;
  }
  return inside;
}

void reached_rest(const struct image *image, const struct spans *known, struct site_table *table) {
  ZydisDecoder decoder;
  struct span part;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  for (uint32_t i = 0; image_code(image, &i, &part);) {
    uint64_t room, at = part.low;
    const unsigned char *bytes = image_at(image, part.low, true, &room);
    for (size_t next = spans_find(known, at); at < part.high; next++) {
      const bool more = next < known->count && known->at[next].low < part.high;
      const uint64_t end = more ? known->at[next].low : part.high;
      if (end > at) {
        at += padding(&decoder, bytes + (at - part.low), end - at);
        if (at < end &&
            !is_table(image, &decoder, (struct span){at, end}, bytes + (at - part.low)) &&
            table->unknown++ == 0)
          table->unknown_at = at;
      }
      at = more ? known->at[next].high : part.high;
    }
  }
}

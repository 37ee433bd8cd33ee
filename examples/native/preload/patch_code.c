/* The code of trampolines. One skips the part below the stack pointer that a function may use,
 * pushes where the place is described, and calls patch_enter, which comes back to a copy of the
 * instruction; after that it goes on in the program. In front of a plain access it is patch_filter
 * that is called, with the address in RAX, which lies on the stack meanwhile, as the flags do. */
#include "patch_code.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "patch.h"
#include "patch_filter.h"
#include "patch_hit.h"

enum {
  JUMP = 0xe9,
  DISTANCE_SIZE = 4,
  HEAD_SIZE = 8 + 12,   /* what makes room on the stack, pushes, and calls */
  FILTER_SIZE = 17,     /* what is more of that in front of the filter */
  CALL_SIZE = 6 + 4,    /* what pushes where a call comes back to; a longer distance */
  BRANCH_SIZE = 6,      /* a jump on a condition */
  END_SIZE = 5 + 3 * 8, /* the way back, and data */
  BELOW = 144,          /* the stack pointer in front of the filter, below that of the program */
  RAX = 0,
  RSP = 4,
  ADDRESS_SIZE = 8
};

struct writer {
  unsigned char *to;
  /* Distances to data behind the code, to be filled in when it is known where that is. */
  unsigned char *self, *enter, *back;
};

static unsigned char *address_of(uint64_t address) {
  return (unsigned char *)(uintptr_t)address;
}

static void put(struct writer *w, const void *bytes, size_t size) {
  memcpy(w->to, bytes, size);
  w->to += size;
}

#define PUT(w, ...)                                                                                \
  do {                                                                                             \
    static const unsigned char code_[] = {__VA_ARGS__};                                            \
    put((w), code_, sizeof code_);                                                                 \
  } while (false)

static void put_distance(struct writer *w, uint64_t target) {
  const int32_t distance = (int32_t)(target - (uint64_t)(uintptr_t)w->to - DISTANCE_SIZE);
  put(w, &distance, sizeof distance);
}

static unsigned char *later(struct writer *w) {
  unsigned char *at = w->to;
  w->to += DISTANCE_SIZE;
  return at;
}

/* Data that code before it refers to. */
static void put_data(struct writer *w, unsigned char *from, uint64_t value) {
  const uint64_t here = (uint64_t)(uintptr_t)w->to;
  w->to = from;
  put_distance(w, here);
  w->to = address_of(here);
  put(w, &value, sizeof value);
}

static bool is_filtered(const struct site *s) {
  return (s->flags & SITE_MOVE) != 0 && s->kind != SITE_STRING &&
         (s->base != SITE_NONE || s->index != SITE_NONE);
}

/* lea ADDRESS, %rax */
static void put_address(struct writer *w, const struct patched *p) {
  const struct site *s = &p->site;
  if (s->base == SITE_RIP) {
    PUT(w, 0x48, 0x8d, 0x05);
    put_distance(w, p->address + s->length + (uint64_t)(int64_t)s->displacement);
    return;
  }
  const bool base = s->base != SITE_NONE, index = s->index != SITE_NONE;
  unsigned scale = 0;
  while (index && 1u << scale < s->scale)
    scale++;
  const unsigned char code[] = {
      (unsigned char)(0x48 | (index && s->index >= 8) << 1 | (base && s->base >= 8)), 0x8d,
      base ? 0x84 : 0x04,
      (unsigned char)(scale << 6 | (index ? s->index & 7u : 4u) << 3 | (base ? s->base & 7u : 5u))};
  const int32_t displacement = s->displacement + (s->base == RSP ? BELOW : 0);
  put(w, code, sizeof code);
  put(w, &displacement, sizeof displacement);
}

/* What patch_enter and patch_filter find on the stack, in patch_hit.c. */
static void put_call(struct writer *w, const struct patched *p) {
  const struct site *s = &p->site;
  if (is_filtered(s)) {
    PUT(w, 0x48, 0x8d, 0x64, 0x24, 0x80);       /* lea -128(%rsp), %rsp */
    PUT(w, 0x50, 0x9f, 0x0f, 0x90, 0xc0, 0x50); /* push %rax; lahf; seto %al; push %rax */
    if (s->base == RAX || s->index == RAX) PUT(w, 0x48, 0x8b, 0x44, 0x24, 0x08);
    put_address(w, p);
  } else {
    PUT(w, 0x48, 0x8d, 0xa4, 0x24, 0x70, 0xff, 0xff, 0xff); /* lea -144(%rsp), %rsp */
  }
  PUT(w, 0xff, 0x35); /* push (self) */
  w->self = later(w);
  PUT(w, 0xff, 0x15); /* call *(enter) */
  w->enter = later(w);
}

/* jmp *ADDRESS, where the stack pointer is one address below what it was at the call. */
static void put_call_by_stack(struct writer *w, const struct site *s) {
  const bool index = s->index != SITE_NONE;
  unsigned scale = 0;
  while (index && 1u << scale < s->scale)
    scale++;
  const unsigned char code[] = {
      (unsigned char)(0x40 | (index && s->index >= 8) << 1), 0xff, 0xa4,
      (unsigned char)(scale << 6 | (index ? s->index & 7u : 4u) << 3 | RSP)};
  const int32_t displacement = s->displacement + ADDRESS_SIZE;
  put(w, code, sizeof code);
  put(w, &displacement, sizeof displacement);
}

/* A call becomes a jump that leaves the return address which it would have. */
static void put_copy(struct writer *w, const struct patched *p) {
  const struct site *s = &p->site;
  unsigned char bytes[SITE_LENGTH_MAX];
  memcpy(bytes, s->bytes, s->length);
  if ((s->flags & SITE_CALL) != 0) {
    unsigned at = 0;
    while (at < s->length - 1u && bytes[at] != 0xff)
      at++;
    bytes[at + 1] = (unsigned char)((bytes[at + 1] & ~0x38) | 4 << 3);
    PUT(w, 0xff, 0x35);
    w->back = later(w);
  }
  if ((s->flags & SITE_CALL) != 0 && s->base == RSP) {
    put_call_by_stack(w, s);
    return;
  }
  if (s->base == SITE_RIP) {
    const uint64_t target = p->address + s->length + (uint64_t)(int64_t)s->displacement;
    const int32_t distance = (int32_t)(target - (uint64_t)(uintptr_t)w->to - s->length);
    memcpy(bytes + s->displacement_at, &distance, sizeof distance);
  }
  put(w, bytes, s->length);
}

static const uint64_t jump_sizes[SITE_TAILS] = {
    [SITE_TAIL_SHORT] = 2, [SITE_TAIL_JUMP] = 5, [SITE_TAIL_BRANCH] = 6};

static uint64_t tail_end(const struct patched *p) {
  return p->address + p->site.length + p->site.tail_size;
}

uint64_t code_tail_target(const struct patched *p) {
  const uint64_t end = tail_end(p);
  int32_t distance = 0;
  if (jump_sizes[p->tail] == 0) return p->address;
  if (p->tail == SITE_TAIL_SHORT)
    distance = *(const signed char *)address_of(end - 1);
  else
    memcpy(&distance, address_of(end - sizeof distance), sizeof distance);
  return end + (uint64_t)(int64_t)distance;
}

/* The instructions behind it: the last one, if it jumps, to where it did. */
static void put_tail(struct writer *w, const struct patched *p) {
  const uint64_t size = jump_sizes[p->tail];
  const unsigned char *at = address_of(tail_end(p) - size);
  put(w, address_of(p->address + p->site.length), p->site.tail_size - size);
  if (size == 0) return;
  const unsigned char first = p->tail == SITE_TAIL_SHORT ? at[0] : at[1];
  const unsigned char branch[] = {0x0f, (unsigned char)(0x80 | (first & 0x0f))}, jump = JUMP;
  if (p->tail == SITE_TAIL_JUMP || (p->tail == SITE_TAIL_SHORT && at[0] == 0xeb))
    put(w, &jump, sizeof jump);
  else
    put(w, branch, sizeof branch);
  put_distance(w, code_tail_target(p));
}

uint64_t code_size(const struct patched *p) {
  const uint64_t tail = p->tail != SITE_TAIL_NONE ? p->site.tail_size + BRANCH_SIZE : 0;
  return tail + HEAD_SIZE + (is_filtered(&p->site) ? FILTER_SIZE : 0u) +
         ((p->site.flags & SITE_CALL) != 0 ? CALL_SIZE : 0u) + p->site.length + END_SIZE;
}

void code_write(struct patched *p) {
  struct writer writer = {.to = address_of(p->trampoline)}, *w = &writer;
  put_call(w, p);
  p->copy = (uint64_t)(uintptr_t)w->to;
  put_copy(w, p);
  if (p->tail != SITE_TAIL_NONE) put_tail(w, p);
  const unsigned char jump = JUMP;
  put(w, &jump, sizeof jump);
  put_distance(w, p->next != 0 ? p->next : p->address + p->site.length);
  put_data(w, w->self, (uint64_t)(uintptr_t)p);
  put_data(w, w->enter, (uint64_t)(uintptr_t)(is_filtered(&p->site) ? patch_filter : patch_enter));
  if (w->back != NULL) put_data(w, w->back, p->address + p->site.length);
}

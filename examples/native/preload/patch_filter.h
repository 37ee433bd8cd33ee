/* Which plain accesses go on at once. */
#ifndef NATIVE_PRELOAD_PATCH_FILTER_H
#define NATIVE_PRELOAD_PATCH_FILTER_H

#include <stdbool.h>
#include <stdint.h>

struct patched;
struct patch_frame;

/* What is known of a page of memory; one of some thread alone has PAGE_OWNED and more. */
enum page_state {
  PAGE_UNKNOWN,
  PAGE_FREE, /* nobody writes there */
  PAGE_OWNED,
  PAGE_OWNED_MOST = 250,
  PAGE_SHARED = 253, /* several threads may use it */
  PAGE_ATOMIC,       /* and it has atomic words */
  PAGE_NOBODY        /* what a thread has that owns none */
};

/* A byte for each page of the address space, where there is nothing else; and, for what is known of
 * atomic words, the part after it. */
#define PAGES_LOW  0x0e0000000000u
#define PAGES_SIZE ((uint64_t)1 << 35)
enum { PAGE_SHIFT = 12, WORDS_ROOM = 1 << 20 };

/* What trampolines use of the thread that they run on. */
struct filter {
  uint64_t pages;
  uint8_t owner;
};
extern _Thread_local struct filter filter __attribute__((tls_model("initial-exec")));

uint8_t *filter_page(uint64_t address);
/* Where a trampoline finds a field, from the thread's block. */
int32_t filter_offset(const void *field);
/* Where the instruction's memory is. */
uint64_t patch_address(const struct patched *p, const struct patch_frame *frame);
/* Whether a plain access may be anything but the thread's own affair. */
bool filter_matters(const struct patched *p, const struct patch_frame *frame);

#endif

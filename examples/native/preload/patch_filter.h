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
  PAGE_BEFORE = 252, /* in front of one that has atomic words; else as a shared one */
  PAGE_SHARED,       /* several threads may use it */
  PAGE_ATOMIC,       /* and it has atomic words */
  PAGE_NOBODY        /* what a thread has that owns none */
};

/* A byte for each page of the address space, where there is nothing else; and, for what is known of
 * atomic words, the part after it. */
#define PAGES_LOW      0x0e0000000000u
#define PAGES_LOW_TEXT "0x0e0000000000"
#define PAGES_SIZE     ((uint64_t)1 << 35)
enum { PAGE_SHIFT = 12, WORDS_ROOM = 1 << 20, WORD_SLOTS = WORDS_ROOM / 16 };

/* Behind these a byte for each line of memory, modulo their number: whether an access that begins
 * there may have a byte of an atomic object. None is wider than a line. */
#define LINES_LOW      (PAGES_LOW + PAGES_SIZE + WORDS_ROOM)
#define LINES_LOW_TEXT "0x0e0800100000"
enum { LINE_SHIFT = 6, LINES = 1 << 16 };

/* The pages where what the thread does goes on at once: its own; those of several threads, as long
 * as it is the only one (else PAGE_NOBODY). Known to patch_filter. */
struct filter {
  uint8_t owner, alone;
};
extern _Thread_local struct filter filter __attribute__((tls_model("initial-exec")));

/* Another thread is about to begin. */
void filter_not_alone(void);
uint8_t *filter_page(uint64_t address);
/* The atomic bytes of a word, a bit for each. */
struct atomic_word {
  uint64_t address;
  uint64_t bytes; /* 0: an empty slot */
};
/* Where that word is, or has room. */
struct atomic_word *word_slot(uint64_t word);
/* It has one. */
void lines_mark(uint64_t word);
/* Those of a word's bytes that an access has. */
uint64_t word_bytes(uint64_t word, uint64_t address, uint64_t size);

/* Where the instruction's memory is. */
uint64_t patch_address(const struct patched *p, const struct patch_frame *frame);
/* Whether some bytes are an atomic object, in pages that were asked about before (words.h). */
bool words_atomic(uint64_t address, uint64_t size);
/* Whether a plain access may be anything but the thread's own affair. */
bool filter_matters(const struct patched *p, const struct patch_frame *frame);

#endif

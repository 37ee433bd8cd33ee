/* Loops in which a thread waits for another one. */
#ifndef NATIVE_PRELOAD_WAITS_H
#define NATIVE_PRELOAD_WAITS_H

#include <stdbool.h>
#include <stdint.h>

struct patched;
struct patch_frame;
struct thread;

enum { VISITS = 32, QUIET_MOST = 4096 /* plain reads without an operation */ };

struct visit {
  uint64_t place, address, state, value;
};

/* What a thread has looked at. */
struct waits {
  uint64_t operations; /* of the thread, when the last visit was */
  uint32_t count;      /* visits in a row, of which the last ones are kept */
  struct visit visits[VISITS];
  struct visit coming;
  uint64_t turns;              /* how often the last value was read at one place in a row */
  uint64_t quiet_since, quiet; /* plain reads */
  struct visit reads[VISITS];
};

enum wait {
  WAIT_NOT,
  WAIT_FOR,    /* it goes on when the value differs from one that it has read */
  WAIT_PERHAPS /* it may have gone on otherwise */
};

/* A thread is about to read an atomic object, with or without writing it. Does not return if its
 * loop ends here. */
enum wait waits_again(const struct patched *p, const struct patch_frame *frame, uint64_t address,
                      uint64_t *value);
/* It ends there, as another turn of its loop would change nothing. */
_Noreturn void waits_end(uint64_t place);
/* It has read that value, and has changed nothing. */
void waits_read(const struct patched *p, const struct patch_frame *frame, uint64_t value);
/* That a thread's plain reads are counted from now on (waits_quiet.h), if they were not. */
bool waits_began(struct thread *t);
/* A plain access to memory that is no atomic object: true if it is one of those in a loop without
 * an end, and they are atomic objects from now on. */
bool waits_for_nobody(const struct patched *p, const struct patch_frame *frame, uint64_t address);

#endif

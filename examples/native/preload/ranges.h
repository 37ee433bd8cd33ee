/* Atomic objects that overlap. */
#ifndef NATIVE_PRELOAD_RANGES_H
#define NATIVE_PRELOAD_RANGES_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/unfold.h>

struct object;

/* An aligned word of memory that is accessed in several ranges; each byte has a bit in the sets. */
struct word {
  struct object *ranges;
  uint64_t value, start; /* as the operations left it; when each byte was met first */
  uint8_t known, blank;  /* bytes that were met; that were never given a value */
};

/* The object of some bytes in a word that is known to be divided, or NULL. */
struct object *range_find(uint64_t address, unsigned bits);
/* As range_find(), for bytes that were not met before in this execution. */
struct object *range_meet(uint64_t address, unsigned bits, uint64_t place);
/* What to do when a word turns out to be divided: the exploration begins again, but only at the
 * thread's next operation that is none of memory. Until then its accesses are performed as they
 * are, so that what else it divides is known, too. */
void range_begin_again(uint64_t address, unsigned bits, uint64_t place);
/* Whether that is so; begins again if the thread goes on for ever. */
bool ranges_divided(void);
/* Begins again now, if that is so. */
void ranges_check(void);
void range_set(struct object *o, int64_t value);
bool range_blank(const struct object *o);
void ranges_learn(const unf_schedule *schedule);

#endif

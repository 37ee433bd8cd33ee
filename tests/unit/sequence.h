/* Random sequences of calls, and the shrinking of one that fails to calls that are all needed. */
#ifndef UNIT_SEQUENCE_H
#define UNIT_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#define SEQUENCE_LENGTH 200

struct call {
  uint32_t what, a, b;
};

struct sequence {
  /* Makes the calls from a fresh state; NULL, or what went wrong. */
  const char *(*run)(void *user, const struct call *calls, unsigned count);
  void *user;
  const char *const *names; /* of what, for printing */
  struct call calls[SEQUENCE_LENGTH];
  unsigned count;
};

void sequence_draw(struct sequence *sequence, uint64_t *seed, uint32_t kinds, unsigned count);

/* Runs it; one that fails is shrunk first and printed. */
bool sequence_holds(struct sequence *sequence);

#endif

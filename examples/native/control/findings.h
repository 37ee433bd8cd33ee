/* What is wrong with executions. */
#ifndef NATIVE_CONTROL_FINDINGS_H
#define NATIVE_CONTROL_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "object_kinds.h"
#include "texts.h"

enum { FINDINGS_MAX = 128, INVOLVED_MAX = 16, HELD_MAX = 8, BEHIND_MAX = 16 };

enum finding_kind {
  FINDING_DEADLOCK,
  FINDING_LIVELOCK,
  FINDING_ASSERTION,
  FINDING_ABORT,
  FINDING_CRASH,
  FINDING_STATUS,
  FINDING_MISUSE,
  FINDING_UNDEFINED,
  FINDING_REORDERED
};

/* The number of a FINDING_MISUSE: X(NAME, "format of its text", where %s is the kind of object). */
#define MISUSE_TABLE(X)                                                                            \
  X(STRANGER, "a thread unlocks a %s that it does not hold")                                       \
  X(DESTROY, "a %s is destroyed while it is held")                                                 \
  X(DESTROYED, "a %s is used after it was destroyed")                                              \
  X(WAITED, "a %s is destroyed while threads wait for it")                                         \
  X(UNHELD, "a thread waits for a %s with a mutex that it does not hold")                          \
  X(JOINED, "two threads wait for the %s: only one of them can join it")                           \
  X(JOINED_AGAIN, "a thread waits for the %s that it has joined already")                          \
  X(EARLY, "a %s is used before it was initialised")                                               \
  X(INIT_HELD, "a %s is initialised while it is held")                                             \
  X(INIT_WAITED, "a %s is initialised while threads wait for it")

enum misuse {
#define MISUSE_ENUM(name, text) MISUSE_##name,
  MISUSE_TABLE(MISUSE_ENUM)
#undef MISUSE_ENUM
      MISUSES
};

struct held {
  enum object_kind kind;
  char name[NAME_SIZE];
  uint64_t address, place; /* of the object; where it was locked */
};

/* A thread that a finding is about. */
struct involved {
  char name[NAME_SIZE];
  char operation[NAME_SIZE]; /* what it waits for: "lock", "join", … */
  enum object_kind kind;     /* of the object, if address is not 0 */
  char target[NAME_SIZE];    /* the object or the thread, as text */
  uint64_t address;          /* of the object, or 0 */
  uint64_t place;
  char owner[NAME_SIZE];    /* of the object, or "" */
  uint64_t owner_place;     /* where it was locked, if its owner has ended or failed; or 0 */
  uint64_t lost_place;      /* of a condition variable: where it was notified in vain, or 0 */
  uint32_t arrived, needed; /* of a barrier, if needed is not 0 */
  char value[NAME_SIZE];    /* of an atomic object; or "" */
  bool in_cycle;
  bool behind_left;      /* there are more */
  uint32_t behind_count; /* in a replay: the events behind which it is blocked */
  uint64_t behind[BEHIND_MAX];
  uint32_t held_count;
  struct held held[HELD_MAX];
};

struct finding {
  enum finding_kind kind;
  /* Grows with each execution that it is described by; odd: it is being changed. */
  uint32_t version;
  uint64_t name[2];       /* of the trace by which it is described, the least so far; see least.h */
  uint64_t key;           /* equal for findings of equal kind and places */
  int number;             /* signal, exit status, or enum misuse */
  uint64_t count, probes; /* executions that have it, and probes */
  char text[TEXT_SIZE];   /* the assertion, the fault; may be empty */
  uint64_t step;          /* of a replay: it was there after so many */
  unsigned schedule;      /* the number of its file, or 0 */
  unsigned other;         /* of a FINDING_REORDERED: that of the other order */
  bool learned;           /* a thread waits at a place that was learned, and might go on in truth */
  uint32_t involved_count, involved_total;
  struct involved involved[INVOLVED_MAX];
};

#endif

/*
 * What a step changed in the state of a program, for cutoffs. The state before it is kept, which
 * shares with the present one what did not change (array.h), and only the rest is compared: bytes
 * of memory, what is known of mutexes and the like, threads. What objects of the library are like
 * follows from the actions.
 */
#ifndef LLVM_CHANGES_H
#define LLVM_CHANGES_H

#include "canonical.h"
#include "live.h"
#include "machine.h"
#include "uses.h"
#include "waits.h"

/* What a thread is like, its memory aside: a fingerprint, and the inputs on which that depends. */
struct control {
  unf_fingerprint fingerprint;
  uint32_t *inputs;
  uint32_t input_count, input_room;
};

struct changes {
  struct machine *machine; /* NULL: not in use */
  struct live live;
  unf_hash hash;
  /* Before the step at hand: */
  struct memory_copy memory;
  struct array syncs;
  unf_fingerprint moment;
  uint32_t started;
  struct control *controls; /* by thread */
  unf_fingerprint *flags;   /* by thread: what others can change */
  uint32_t thread_count, thread_room;
  bool begun, taken;
  /* The step at hand. */
  unf_fingerprint change;
  struct uses uses;
  struct canonical canonical;
  struct waits waits;
  unsigned char *bytes; /* what is hashed */
  size_t byte_count, byte_room;
  struct control control;
  bool *used; /* by input */
  uint32_t used_room;
  unf_status status;
};

void changes_open(struct changes *changes, struct machine *machine, bool strong);
void changes_close(struct changes *changes);
/* The state at hand is that before the next step. */
unf_status changes_begin(struct changes *changes);
/* The step at hand is over: what it changed; and its condition, with the event that it is. */
unf_status changes_of(struct changes *changes, const unf_action *action, unf_fingerprint *change);
unf_status changes_condition(struct changes *changes, unf_event event, unf_fingerprint *condition);

#endif

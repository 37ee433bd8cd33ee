/* The run at hand: where it begins, what is decided of it, and how far it is. */
#ifndef EXPLORATION_RUN_H
#define EXPLORATION_RUN_H

#include <unfold/explore.h>

#include "configuration/configuration.h"
#include "exploration/ready.h"

#define STARTED_TAG 0x80000000u
struct run {
  uint64_t number;         /* of times that a run began at its base, this one included */
  uint32_t base;           /* steps of the path that were there when it began */
  uint32_t shared;         /* of them, those that are the same as in the last execution */
  handle_vector clue;      /* events to take from base on */
  bool drawn;              /* it has a sibling that was drawn for it: others are drawn later */
  uint32_t at;             /* steps performed; the path is longer only while at < base */
  uint32_t resumed;        /* steps that the front-end went to without performing them */
  handle_vector replayed;  /* by thread, while at < base: its last step, from 1, or 0; with a tag
                              the one that started it; NONE: it has not started */
  handle_vector expected;  /* by thread: the operation after that step, or 0: look there */
  VECTOR(uint8_t) blocked; /* by thread: blocked by the engine */
  bool blocking;           /* some is, or was in this run */
  unf_step step;           /* chosen, or how the run ended */
  uint64_t threads;        /* so many have room in tables of the run */
  bool plain;              /* it is no probe, and there are no bounds or cutoffs */
  uint32_t chosen;         /* the event of the step, if it is at hand; else NONE */
  uint32_t unsaid;         /* event whose change was not said yet, or 0 */
  struct ready ready;
  bool judged;         /* what it came to is decided: */
  unf_verdict verdict; /* but for an error that the front-end found */
  bool unlearned;      /* it is finished, and not all was learned from it: see finish.h */
};

/* The execution before. Its events are kept from when its leaf is left, since the path moves then,
 * until events are freed. */
struct last_run {
  handle_vector events;
  uint32_t same; /* the first of them are those of the path */
  bool left;     /* the path is not that of the last execution any more */
};

#endif

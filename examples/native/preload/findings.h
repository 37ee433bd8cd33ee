/* What was seen in this execution, and (worker) what is kept of it. */
#ifndef NATIVE_PRELOAD_FINDINGS_H
#define NATIVE_PRELOAD_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/unfold.h>

#include "../control/findings.h"

struct object;
struct thread;

/* A trace that is performed in another order (reorder.c). */
struct reorder {
  bool chosen, running;
  /* In the order of its schedule (least.h); in another order; without what was learned (learn.c),
   * before that, and whether that is to come. */
  bool canonical, shuffled, slow, slow_later;
  uint64_t number;          /* of the trace */
  unsigned repeated;        /* orders without what was learned, so far */
  uint64_t waiting;         /* traces at whose end a thread waits at a place that was learned */
  uint64_t findings;        /* a number made of those of the first order */
  unsigned again;           /* how often one was performed, to confirm a difference */
  unf_event *first, *other; /* the events in the two orders */
  unf_event *events, last;  /* the order that is performed; the event performed last */
  uint64_t count, position, other_position;
  unf_configuration *reached;
  bool different, uncertain;
  struct finding seen, difference; /* in this execution; in the other order, the first time */
  uint32_t ending_count;           /* where threads were at the end of the first order */
  struct {
    unf_thread thread;
    uint64_t place;
  } endings[INVOLVED_MAX];
};

/* What is known of the last execution, or the probe, for what was found in it. */
struct run_described {
  bool named, tried; /* to write its schedule */
  uint64_t name[2];
  unsigned schedule; /* the number of its file, or 0 */
};

struct pending {
  bool ended, redundant;
  bool exiting;  /* main returned, or exit was called */
  bool given_up; /* a thread stands at an await for ever, and that is no matter */
  bool probing;  /* it is one for the estimate */
  bool dropped;  /* a probe that could not go on */
  bool waits;    /* in the end, a thread waits at a place that was learned */
  bool fresh;    /* something was found that is not known yet */
  uint32_t count;
  struct finding findings[INVOLVED_MAX];
  struct reorder reorder;
  struct run_described described;
  /* Of the whole exploration. */
  unsigned schedules;
};
extern struct pending *pending; /* shared by worker and execution */
bool pending_new(void);
struct finding *finding_new(enum finding_kind kind, struct thread *t, uint64_t place);
void findings_blocked(void);
void findings_keep(bool schedule_wanted);
bool findings_error(void);
/* Those that may be there because of what was learned: if that was wrong, they are none. */
void findings_learned(bool wrong);
/* What was written of the last execution is written again, in the order of its trace. */
void findings_in_order(const unf_event *events, uint64_t count);
/* The number of a schedule of the last execution, for what had that one before. */
unsigned findings_schedule(unsigned before);
bool findings_less(const uint64_t name[2], const uint64_t other[2]);
/* In front of a change of what the launcher looks at, and behind it. */
void findings_change(uint32_t *version);
/* A number that is equal when the same was found. */
uint64_t findings_sum(void);
/* Keeps what is different in another order of the last trace, of which so much was performed. */
void findings_keep_reordered(const struct finding *f, const unf_event *events, uint64_t count);
_Noreturn void misused(enum misuse how, const struct object *o, uint64_t place);
_Noreturn void undefined(const char *text, uint64_t place);
_Noreturn void halt(uint64_t place); /* after a finding: the thread stops for ever */

#endif

/* What was seen in this execution, and (worker) what is kept of it. */
#ifndef NATIVE_PRELOAD_FINDINGS_H
#define NATIVE_PRELOAD_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "../control.h"

struct object;
struct thread;

struct pending {
  bool ended, redundant;
  bool exiting;  /* main returned, or exit was called */
  bool given_up; /* a thread stands at an await for ever, and that is no matter */
  bool probing;  /* it is one for the estimate */
  bool dropped;  /* a probe that could not go on */
  uint32_t count;
  struct finding findings[INVOLVED_MAX];
  /* Of the whole exploration. */
  uint64_t keys[FINDINGS_MAX];
  unsigned schedules;
};
extern struct pending *pending; /* shared by worker and execution */
bool pending_new(void);
struct finding *finding_new(enum finding_kind kind, struct thread *t, uint64_t place);
void findings_blocked(void);
void findings_keep(bool schedule_wanted);
bool findings_error(void);
_Noreturn void misused(enum misuse how, const struct object *o, uint64_t place);
_Noreturn void undefined(const char *text, uint64_t place);
_Noreturn void halt(uint64_t place); /* after a finding: the thread stops for ever */

#endif

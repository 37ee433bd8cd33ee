/* Locks made of a futex. A thread that wants one exchanges 0 for another value; where that fails,
 * it notes that it waits, waits for the word, and tries again. Explored as it is, all of that is
 * operations, in any order with those of the other threads. A place of such an exchange is learned
 * when it led to a wait for its word, and the thread did nothing else on the way that another one
 * could see: then the exploration begins again, and the place waits until the word is 0 (an
 * exchange await). What is on the way is not explored then, which the summary says.
 *
 * Nothing was found there when a place is learned: its first wait is where the exploration ends.
 *
 * A place may be used otherwise, too, as by a try that goes on when it fails. So a share of the
 * traces is performed once more, without what was learned (reorder.c): a thread that stands at such
 * a place while the lock is taken goes on there, up to its wait, with operations of its word that
 * the trace does not have; when it is its turn in the trace to take the lock, it must have been
 * woken, must take it, and goes on as in the trace. If anything else is different the place is none
 * of these, for ever, and the exploration begins again.
 *
 * A lock that is never 0 again, as one that becomes a pointer when it is given back, would make a
 * thread wait for ever at such a place: so a trace at whose end one does is among them, too, where
 * something new is found in it, and what was found so is dropped if the place was none. */
#include "learn.h"

#include <errno.h>
#include <stddef.h>

#include "../control.h"
#include "../control/learned.h"
#include "engine.h"
#include "entry.h"
#include "findings.h"
#include "locations.h"
#include "modules.h"
#include "objects.h"
#include "patch.h"
#include "patch_move.h"
#include "patch_operate.h"
#include "refuse.h"
#include "reorder.h"
#include "scheduler.h"

enum { DONE_MOST = 10000, BITS = 8, WORD_BITS = 32 };

/* The entry of a place; NULL: nothing is known of it. */
static struct acquire *find(const struct patched *p) {
  uint32_t module;
  uint64_t offset;
  if (control->acquire_count == 0 || !module_locate(p->address, &module, &offset)) return NULL;
  for (uint32_t i = 0; i < control->acquire_count; i++)
    if (control->acquires[i].module == module && control->acquires[i].offset == offset)
      return &control->acquires[i];
  return NULL;
}

static bool is_exploring(void) {
  return control->settings.learn && !control->settings.replay && !pending->reorder.running;
}

static struct acquire *note(const struct patched *p, bool refuted) {
  struct acquire *a = find(p);
  uint32_t module;
  uint64_t offset;
  if (a == NULL && control->acquire_count < ACQUIRES_MAX &&
      module_locate(p->address, &module, &offset)) {
    a = &control->acquires[control->acquire_count++];
    *a = (struct acquire){.module = module, .offset = offset};
  }
  if (a != NULL) a->refuted |= refuted;
  return a;
}

static void refute(struct thread *t) {
  note(t->acquiring.site, true);
  t->acquiring.site = NULL;
}

/* An exchange of 0 for another value. */
static bool takes(const struct access *access) {
  return access->kind == UNF_CAS && access->low == 0 && access->high != 0;
}

void learn_failed(const struct patched *p, const struct access *access) {
  struct thread *me = thread_self();
  const uint64_t address = (uint64_t)(uintptr_t)access->address;
  if (!takes(access) || !is_exploring()) return;
  if (me->acquiring.site != NULL && me->acquiring.address == address) return;
  if (me->acquiring.site != NULL) refute(me);
  const struct acquire *a = find(p);
  if (a == NULL) me->acquiring = (struct acquiring){.site = p, .address = address};
}

void learn_operation(const struct object *o) {
  struct thread *me = thread_self();
  if (me->acquiring.slow) reorder_different();
  if (me->acquiring.site == NULL || !is_exploring()) return;
  if (o == NULL || (o->kind != OBJECT_LOCATION && o->kind != OBJECT_FUTEX) ||
      o->address != me->acquiring.address)
    refute(me);
}

void learn_changed(const struct object *o, int64_t old, int64_t value) {
  struct thread *me = thread_self();
  if (me->acquiring.address == o->address && old == 0 && value != 0) me->acquiring.site = NULL;
}

void learn_wait(uint64_t address, bool limited, uint64_t place) {
  struct thread *me = thread_self();
  if (me->acquiring.site == NULL || !is_exploring()) return;
  if (limited || me->acquiring.address != address) {
    refute(me);
    return;
  }
  const struct acquire *a = note(me->acquiring.site, false);
  if (a == NULL || a->refuted) return;
  control->place = place;
  control->learn_restarts++;
  give_up(OUTCOME_AGAIN, "a place that takes a lock");
}

bool learn_acquires(const struct patched *p, const struct access *access) {
  if (!control->settings.learn || control->settings.replay || !takes(access)) return false;
  const struct acquire *a = find(p);
  return a != NULL && !a->refuted;
}

/* ---- an execution without them ---- */

/* Whether a known trace is performed with what threads do that find a lock taken, which is then
 * compared. */
static bool is_test(void) {
  return pending->reorder.running && pending->reorder.slow && pending->reorder.again == 0;
}

static bool is_taken(const struct object *o) {
  return memory_value(o->address, o->bits / BITS) != 0;
}

struct thread *learn_next(void) {
  if (!is_test()) return NULL;
  for (struct thread *t = threads; t != NULL; t = t->next) {
    if (t->acquires == NULL || t->acquiring.slow || t->finished || !is_taken(t->object)) continue;
    struct acquire *a = find(t->acquires);
    if (a == NULL) continue;
    a->tested = true;
    t->object->contended = true;
    t->acquiring = (struct acquiring){.address = t->object->address, .slow = true};
    return t;
  }
  return NULL;
}

struct thread *learn_woken(void) {
  if (!is_test()) return NULL;
  for (struct thread *t = threads; t != NULL; t = t->next) {
    if (!t->acquiring.asleep || !t->acquiring.woken) continue;
    if (!is_taken(t->object)) reorder_different();
    t->acquiring.looks = true;
    return t;
  }
  return NULL;
}

static void count(struct thread *t) {
  if (++t->acquiring.done > DONE_MOST) reorder_different();
}

static bool is_expected(const unf_operation *operation) {
  unf_operation next;
  if (unf_configuration_next(pending->reorder.reached, thread_self()->name, &next) != UNF_OK)
    return false;
  return next.kind == operation->kind && next.target == operation->target &&
         next.second == operation->second && next.low == operation->low &&
         next.high == operation->high;
}

bool learn_extra(const struct object *o, const unf_operation *operation, int64_t old,
                 int64_t value) {
  struct thread *me = thread_self();
  if (!o->contended) return false;
  if (!me->acquiring.slow || me->acquiring.address != o->address) {
    if (operation->kind == UNF_EXCHANGE_AWAIT || is_expected(operation)) return false;
    count(me);
    return true;
  }
  count(me);
  if (old != 0 || value == 0) return true;
  if (!me->acquiring.turn) reorder_different();
  me->acquiring = (struct acquiring){.done = me->acquiring.done};
  return true;
}

bool learn_sleep(uint64_t address, int32_t value, bool limited, long *result) {
  struct thread *me = thread_self();
  struct acquiring *a = &me->acquiring;
  if (!a->slow || a->address != address) return false;
  if (limited || a->turn) reorder_different();
  count(me);
  *result = -EAGAIN;
  if ((int32_t)memory_value(address, sizeof value) != value) return true;
  a->asleep = true;
  a->woken = false;
  schedule_away();
  if (!a->woken) reorder_different();
  a->asleep = false;
  a->turn = !a->looks;
  a->looks = false;
  *result = 0;
  return true;
}

static bool sleeps(const struct thread *t, uint64_t address) {
  return t != NULL && t->acquiring.asleep && !t->acquiring.woken && t->acquiring.address == address;
}

/* Who of those that sleep takes the lock first in the trace; if none does, any. */
static struct thread *first_asleep(uint64_t address) {
  const struct reorder *r = &pending->reorder;
  for (uint64_t i = r->position; i < r->count; i++) {
    unf_action action;
    engine_must(unf_event_action(engine_unfolding(), r->events[i], &action));
    struct thread *t = thread_named(action.thread);
    if (sleeps(t, address)) return t;
  }
  struct thread *t = threads;
  while (t != NULL && !sleeps(t, address))
    t = t->next;
  return t;
}

long learn_wake(uint64_t address, const unf_operation *operation, bool *alone) {
  const struct object *o = is_test() ? location_known(address, WORD_BITS) : NULL;
  struct thread *t;
  long number = 0;
  *alone = false;
  if (o == NULL || !o->contended) return 0;
  count(thread_self());
  for (; number < operation->low && (t = first_asleep(address)) != NULL; number++)
    t->acquiring.woken = true;
  *alone = thread_self()->acquiring.slow || !is_expected(operation);
  return number;
}

void learn_tested(bool different) {
  for (uint32_t i = 0; i < control->acquire_count; i++) {
    control->acquires[i].refuted |= control->acquires[i].tested && different;
    control->acquires[i].tested = false;
  }
  if (!different) return;
  findings_learned(true);
  control->learn_restarts++;
  give_up(OUTCOME_AGAIN, "a place does not only take a lock");
}

/* The run protocol in a probe. What its chances are and what it reports is in chances.c and
 * estimate.c; why, in probe.h. */
#include "exploration/probes/probe.h"

#include <string.h>

#include "base/random.h"
#include "configuration/offer.h"
#include "exploration/explorer.h"
#include "exploration/finish.h"
#include "exploration/probes/chances.h"
#include "exploration/probes/estimate.h"
#include "exploration/protocol.h"
#include "extension/adds.h"
#include "extension/siblings.h"
#include "structure/action.h"
#include "structure/cells.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/names.h"
#include "structure/sets.h"
#include "structure/unfolding.h"

/* With more, the probes begin a new unfolding. */
#define EVENTS_KEPT 65536
/* With more prospects a probe is too large: they are held until its end, and of n threads at one
 * object there are n² / 2. It goes on as any execution then, and its value is not asked for. */
#define MOST_PROSPECTS (1u << 22)

/* A number of [0, 1). */
static double draw(struct probes *p) {
  return (double)(splitmix64(&p->seed) >> 11) * 0x1p-53;
}

/* ---- names ---- */

/* Where objects lie, and what they are at the beginning, as far as it was said since the last time.
 * An object can be known by its name long before. */
static unf_status copy_said(struct probes *p, const unf_unfolding *from) {
  unf_status status = UNF_OK;
  for (uint32_t i = p->said; status == UNF_OK && i < from->said.count; i++) {
    uint32_t object = from->said.data[i];
    const struct object *o = &from->objects.data[object];
    if (o->cell != 0)
      status = unf_location_place(p->u, object, o->space, o->first, o->size);
    else if (o->fixed)
      status = unf_object_set_initial(p->u, object, o->initial);
    if (status == UNF_OK && o->maximum != 0)
      status = unf_object_set_maximum(p->u, object, o->maximum);
  }
  if (status != UNF_OK) return status;
  /* Their spaces are cut into the same cells now. */
  for (; p->said < from->said.count; p->said++)
    unfi_cells_copy(p->u, from, from->said.data[p->said]);
  return UNF_OK;
}

/* Gives the probes' unfolding the names that are new, which then have the same handles. */
static unf_status copy_names(unf_unfolding *to, const unf_unfolding *from) {
  unf_status status = UNF_OK;
  uint32_t handle;
  while (status == UNF_OK && to->threads.count < from->threads.count) {
    const struct thread *t = &from->threads.data[to->threads.count];
    status = unf_thread_name(to, t->parent, t->index, &handle);
    if (status == UNF_OK) to->threads.data[handle].initial = t->initial;
  }
  while (status == UNF_OK && to->objects.count < from->objects.count) {
    const struct object *o = &from->objects.data[to->objects.count];
    status = unf_object_name(to, (unf_object_class)o->object_class, o->creator, o->key, &handle);
  }
  while (status == UNF_OK && to->customs.count < from->customs.count)
    status = unf_effect_register(to, &from->customs.data[to->customs.count].effect, &handle);
  return status;
}

static void forget_events(unf_explorer *x) {
  struct probes *p = &x->probes;
  if (p->u != NULL) unfi_configuration_end(&p->C);
  unf_unfolding_free(p->u);
  p->u = NULL;
  p->said = 0;
  p->events.count = 0;
  p->recent = false;
}

static bool names_set(const unf_unfolding *u, const unf_action *action) {
  return is_thread_set(u->effects->actions[action->kind].value);
}

/* What a set of threads is called in another unfolding. */
static unf_status copy_set(unf_unfolding *to, const unf_unfolding *from, int64_t *set) {
  uint32_t count;
  const uint32_t *members = unfi_set(from, *set, &count);
  return unf_thread_set(to, members, count, set);
}

/* ---- the run ---- */

bool unfi_probe_due(const unf_explorer *x) {
  const struct probes *p = &x->probes;
  uint64_t n = x->counts.probes;
  return !p->lost && x->counts.executions > 0 && n * n < p->density * x->counts.executions;
}

/* The unfolding of the probes, with all names. */
static unf_status prepare(unf_explorer *x) {
  struct probes *p = &x->probes;
  unf_context *context = x->u->context;
  unf_status status = UNF_OK;
  if (p->u != NULL && p->u->store.count > EVENTS_KEPT) forget_events(x);
  if (p->u == NULL)
    status =
        unfi_unfolding_new(context, NULL, x->u->effects->families, x->u->effects->count, &p->u);
  if (status != UNF_OK) return status;
  p->u->uncounted = true;
  p->C.u = p->u;
  status = copy_names(p->u, x->u);
  if (status == UNF_OK) status = copy_said(p, x->u);
  if (status != UNF_OK) return status;
  bool room = unfi_configuration_fit(&p->C) &&
              vector_reserve_zero(context, &x->run.blocked, x->u->threads.count);
  return room ? UNF_OK : unfi_refused(context);
}

unf_status unfi_probe_begin(unf_explorer *x, unf_run *run) {
  struct probes *p = &x->probes;
  unf_status status = prepare(x);
  if (status != UNF_OK) return status;
  unf_configuration_clear(&p->C);
  for (uint32_t t = 0; t < x->run.blocked.capacity; t++)
    x->run.blocked.data[t] = 0;
  unfi_chances_begin(x);
  x->run.ready.made = false;
  p->events.count = p->prospects.count = 0;
  p->running = p->recent = true;
  x->run.plain = false;
  x->state = RUNNING;
  memset(run, 0, sizeof *run);
  run->probe = true;
  run->number = x->counts.probes + 1;
  return UNF_OK;
}

unf_status unfi_probe_offer(unf_explorer *x, uint32_t thread, const unf_operation *operation) {
  struct probes *p = &x->probes;
  unf_status status = copy_names(p->u, x->u);
  if (status == UNF_OK) status = copy_said(p, x->u);
  if (status != UNF_OK) return status;
  if (thread >= p->u->threads.count) return unfi_fail(x->u->context, UNF_UNKNOWN, "thread");
  uint32_t last = cut_last(p->u, configuration_cut(&p->C), thread);
  return unfi_offer(p->u, thread, last, operation, (uint64_t)p->events.count + 1);
}

static bool keep_action(void *user, const unf_action *action) {
  unf_explorer *x = user;
  struct probes *p = &x->probes;
  if (!vector_reserve(x->u->context, &p->actions, (uint64_t)p->actions.count + 1)) return false;
  vector_push(&p->actions, *action);
  return true;
}

/* Adds a thread to the contenders, if its operation can be performed. */
static unf_status add_contender(unf_explorer *x, uint32_t thread, uint32_t operation) {
  struct probes *p = &x->probes;
  unf_context *context = x->u->context;
  struct cut C = configuration_cut(&p->C);
  struct contender contender = {thread, p->actions.count, 0, NONE, 0};
  if (!vector_reserve(context, &p->contenders, (uint64_t)p->contenders.count + 1) ||
      !vector_reserve(context, &p->actions, (uint64_t)p->actions.count + 1))
    return unfi_refused(context);
  unf_status status = unfi_outcomes(p->u, C, thread, operation, keep_action, x);
  if (status != UNF_OK) return status;
  contender.count = p->actions.count - contender.first;
  if (contender.count > 0) vector_push(&p->contenders, contender);
  return UNF_OK;
}

static const unf_operation *operation_at(const struct probes *p, uint32_t operation) {
  return &p->u->operations.data[operation];
}

static bool stop_at_first(void *user, const unf_action *action) {
  *(unf_action *)user = *action;
  return false;
}

/* A step that nothing depends on, ever, but the events of its own thread after it. */
struct alone {
  uint32_t thread; /* NONE: there is none */
  unf_action action;
  struct siblings siblings; /* the values that the action can have; they are not listed */
};

/* Looks at the next operation of a thread, if it can be performed. */
static unf_status look_at_operation(unf_explorer *x, uint32_t thread, uint32_t operation,
                                    struct alone *alone) {
  struct probes *p = &x->probes;
  uint32_t first = p->actions.count;
  if (unfi_siblings(p->u, operation_at(p, operation), &alone->siblings)) {
    struct cut C = configuration_cut(&p->C);
    alone->thread = thread;
    return unfi_outcomes(p->u, C, thread, operation, stop_at_first, &alone->action);
  }
  unf_status status = add_contender(x, thread, operation);
  if (status != UNF_OK || p->actions.count == first) return status;
  unf_action action = p->actions.data[first];
  if (p->u->effects->actions[action.kind].access == ACCESS_END)
    *alone = (struct alone){thread, action, {action.value, action.value}};
  return UNF_OK;
}

/* Looks at what a thread of the set can do, and takes it out of the set if that is nothing. */
static unf_status look_at(unf_explorer *x, uint32_t thread, struct alone *alone) {
  struct probes *p = &x->probes;
  uint32_t first = p->actions.count;
  uint32_t operation = next_after(p->u, thread, cut_last(p->u, configuration_cut(&p->C), thread));
  unfi_count(x->u->context, 1);
  unf_status status = look_at_operation(x, thread, operation, alone);
  if (status != UNF_OK || alone->thread != NONE || p->actions.count > first) return status;
  bool good = unfi_ready_wait(p->u, &x->run.ready, thread, operation_at(p, operation));
  return good ? UNF_OK : unfi_refused(x->u->context);
}

/* Who can act. A step that is alone is in every maximal configuration from here, or a sibling of it
 * is; then no other is looked at. In a probe without a value one is enough. */
static unf_status gather(unf_explorer *x, struct alone *alone) {
  struct probes *p = &x->probes;
  const struct run *run = &x->run;
  p->actions.count = p->contenders.count = 0;
  alone->thread = NONE;
  unf_status status = unfi_ready_update(p->u, &x->run.ready, configuration_cut(&p->C));
  for (uint32_t t = 0; status == UNF_OK && alone->thread == NONE; t++) {
    t = unfi_ready_next(&run->ready, t);
    if (t == NONE || (p->lost && p->contenders.count > 0)) break;
    if (t < run->blocked.capacity && run->blocked.data[t]) continue;
    status = look_at(x, t, alone);
  }
  return status;
}

static void step_alone(unf_explorer *x, const struct alone *alone) {
  struct probes *p = &x->probes;
  uint64_t others = sibling_others(alone->siblings), number = 0;
  double values = (double)others + 1;
  struct prospect prospect = {alone->thread, 1 / values};
  if (others > 0) number = (uint64_t)(draw(p) * values);
  x->run.step.action = alone->action;
  x->run.step.action.value = sibling_value(alone->siblings, number < others ? number : others);
  p->contenders.count = 0;
  vector_push(&p->prospects, prospect);
}

unf_status unfi_probe_take(unf_explorer *x, unf_action action) {
  x->run.step.action = action;
  return names_set(x->u, &action) ? copy_set(x->u, x->probes.u, &x->run.step.action.value) : UNF_OK;
}

static unf_status step_of_contenders(unf_explorer *x) {
  struct probes *p = &x->probes;
  double total = 0;
  uint32_t chosen = 0;
  for (uint32_t i = 0; i < p->contenders.count; i++)
    total += p->contenders.data[i].weight;
  double drawn = draw(p) * total;
  for (uint32_t i = 0; i < p->contenders.count; i++) {
    const struct contender *t = &p->contenders.data[i];
    struct prospect prospect = {t->thread, t->weight / total / t->count};
    vector_push(&p->prospects, prospect);
    if (drawn >= 0) chosen = i;
    drawn -= t->weight;
  }
  const struct contender *t = &p->contenders.data[chosen];
  uint32_t outcome = (uint32_t)(draw(p) * t->count);
  return unfi_probe_take(x, p->actions.data[t->first + outcome]);
}

/* The step of a probe without a value. */
static unf_status step_of_any(unf_explorer *x, const struct alone *alone) {
  unf_action action = alone->thread != NONE ? alone->action : x->probes.actions.data[0];
  return unfi_probe_take(x, action);
}

/* The next step, chosen. */
static unf_status choose(unf_explorer *x) {
  struct probes *p = &x->probes;
  unf_context *context = x->u->context;
  uint32_t steps = p->events.count, begin = steps > 0 ? p->ends.data[steps - 1] : 0;
  struct alone alone;
  unf_status status = gather(x, &alone);
  if (status != UNF_OK) return status;
  x->run.step.number = (uint64_t)steps + 1;
  x->run.step.kind =
      alone.thread != NONE || p->contenders.count > 0 ? UNF_STEP_ACTION : UNF_STEP_MAXIMAL;
  if (x->run.step.kind == UNF_STEP_MAXIMAL) return UNF_OK;
  p->lost = p->lost || p->contenders.count >= MOST_PROSPECTS - begin;
  if (p->lost) return step_of_any(x, &alone);
  if (!vector_reserve(context, &p->prospects, (uint64_t)begin + p->contenders.count + 1) ||
      !vector_reserve(context, &p->ends, (uint64_t)steps + 1) || !unfi_chances_fit(x))
    return unfi_refused(context);
  if (alone.thread == NONE) unfi_chances_weigh(x);
  p->prospects.count = begin;
  if (alone.thread != NONE)
    step_alone(x, &alone);
  else
    status = step_of_contenders(x);
  p->ends.data[steps] = p->prospects.count;
  return status;
}

unf_status unfi_probe_step(unf_explorer *x, unf_step *step) {
  unf_status status = choose(x);
  if (status != UNF_OK) return status;
  x->state = x->run.step.kind == UNF_STEP_ACTION ? CHOSEN : ENDED;
  *step = x->run.step;
  return UNF_OK;
}

/* What a probe has used is used for the exploration too, so that what is said of it too late is
 * refused where it is said. */
static void use_object(unf_unfolding *u, const unf_action *action) {
  const struct action_row *row = &u->effects->actions[action->kind];
  if (row->family->initial == INITIAL_NONE) return;
  u->objects.data[action->target].fixed = true;
  unfi_cells_use(u, action->target);
}

unf_status unfi_probe_commit(unf_explorer *x) {
  struct probes *p = &x->probes;
  unf_context *context = x->u->context;
  unf_action action = x->run.step.action;
  struct causes causes;
  uint32_t event;
  unf_status status = UNF_OK;
  if (names_set(p->u, &action)) status = copy_set(p->u, x->u, &action.value);
  if (status == UNF_OK) status = unfi_causes(p->u, configuration_cut(&p->C), &action, &causes);
  if (status == UNF_OK) status = unfi_event_intern(p->u, &causes, &event);
  if (status != UNF_OK) return status;
  if (!vector_reserve(context, &p->events, (uint64_t)p->events.count + 1) ||
      !unfi_ready_reserve(context, &x->run.ready, p->u->threads.count) ||
      !unfi_configuration_fit(&p->C) || (!p->lost && !unfi_chances_take(x, &action)) ||
      !unfi_configuration_push(&p->C, event))
    return unfi_refused(context);
  vector_push(&p->events, event);
  unfi_ready_performed(p->u, &x->run.ready, event);
  use_object(x->u, &action);
  x->state = RUNNING;
  return UNF_OK;
}

unf_status unfi_probe_action(const unf_explorer *x, uint32_t step, unf_action *out) {
  const struct probes *p = &x->probes;
  *out = unfi_action(p->u, event_at(p->u, p->events.data[step])->action);
  return names_set(p->u, out) ? copy_set(x->u, p->u, &out->value) : UNF_OK;
}

/* Leading steps that the next run has in common with the probe. The numbers of sets of threads
 * differ between the two unfoldings. */
static uint32_t in_common(const unf_explorer *x) {
  const struct probes *p = &x->probes;
  uint32_t i = 0;
  for (; i < x->run.base && i < p->events.count; i++) {
    unf_action a = unfi_action(x->u, event_at(x->u, x->path.steps.data[i].event)->action);
    unf_action b = unfi_action(p->u, event_at(p->u, p->events.data[i])->action);
    if (!unfi_same_action(&a, &b) || names_set(x->u, &a)) break;
  }
  return i;
}

void unfi_probe_end(unf_explorer *x) {
  x->probes.shared = in_common(x);
  x->probes.running = false;
  x->state = IDLE;
}

unf_status unfi_probe_finish(unf_explorer *x, bool error, unf_verdict *verdict) {
  struct probes *p = &x->probes;
  double value;
  if (verdict != NULL) {
    *verdict = (unf_verdict){.probe = true, .error = error};
    unfi_judge(p->u, configuration_cut(&p->C), verdict);
  }
  if (!p->lost) {
    unf_status status = unfi_probe_value(x, &value);
    if (status != UNF_OK) return status;
    unfi_estimate_add(x, value);
    unfi_chances_learn(x);
  }
  x->counts.probes++;
  unfi_probe_end(x);
  return UNF_OK;
}

void unfi_probe_free(unf_explorer *x) {
  struct probes *p = &x->probes;
  unf_context *context = x->u->context;
  forget_events(x);
  unfi_chances_free(x);
  vector_free(context, &p->events);
  vector_free(context, &p->prospects);
  vector_free(context, &p->ends);
  vector_free(context, &p->actions);
  vector_free(context, &p->contenders);
  vector_free(context, &p->ready);
  vector_free(context, &p->next);
  vector_free(context, &p->uses);
}

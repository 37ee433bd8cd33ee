/* Known traces in another order. What a thread does next follows from its own past and from what
 * it has seen of others by operations; so every linearisation of a trace comes to the same
 * operations and the same end. An access to memory that races with another one can make a
 * difference, and is seen by that alone where accesses are not watched. A share of the traces is
 * therefore performed a second time, in a random linearisation of the same causality, and compared:
 * the next operation of each thread after each event, the findings, the end. No event of such an
 * execution is new, so that nothing of the exploration changes. */
#include "reorder.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "../control.h"
#include "../control/findings.h"
#include "../control/settings.h"
#include "accesses.h"
#include "arena.h"
#include "crash.h"
#include "engine.h"
#include "entry.h"
#include "findings.h"
#include "inplace.h"
#include "learn.h"
#include "objects.h"
#include "process.h"
#include "refuse.h"
#include "scheduler.h"

/* After so many differences none is looked for: the counts are not the program's. */
enum { DIFFERENCES_MOST = 8, HUNDRED = 100 };

/* Of a hundred traces, so many are performed without what was learned; and so many of the first, in
 * several orders. */
enum { UNLEARNED = 10, UNLEARNED_FIRST = 16, UNLEARNED_ORDERS = 4 };

/* The other order is performed, and that again, and then the first one again. */
enum { FIRST_AGAIN = 2 };

static uint64_t mix(uint64_t *state) {
  uint64_t x = *state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/* For programs with few traces: the first, the second, the fourth … whatever the share. */
static bool is_power(uint64_t number) {
  return (number & (number - 1)) == 0;
}

/* Where all accesses are watched there is nothing to be found, unless it is asked for. */
static uint64_t share(void) {
  const struct settings *s = &control->settings;
  return s->moves && !s->reorder_asked ? 0 : s->reorder;
}

static bool is_learned(void) {
  bool learned = false;
  for (uint32_t i = 0; i < control->acquire_count; i++)
    learned |= !control->acquires[i].refuted;
  return learned && control->settings.learn;
}

void reorder_choose(void) {
  struct reorder *r = &pending->reorder;
  const uint64_t number = r->number = ++control->reorder_number;
  uint64_t state = control->settings.seed + number;
  r->shuffled = share() > 0 && control->differences < DIFFERENCES_MOST &&
                control->races_found == 0 && (is_power(number) || mix(&state) % HUNDRED < share());
  r->waiting += pending->waits;
  const bool waits =
      pending->waits && (pending->fresh || r->waiting <= UNLEARNED_FIRST || is_power(r->waiting));
  r->slow = is_learned() && (number <= UNLEARNED_FIRST || is_power(number) || waits ||
                             mix(&state) % HUNDRED < UNLEARNED);
  r->canonical = engine_run_written() != 0;
  r->slow_later = r->slow;
  r->slow = r->slow && !r->canonical;
  r->chosen = r->canonical || r->shuffled || r->slow;
  r->findings = findings_sum();
}

void reorder_ended(void) {
  struct reorder *r = &pending->reorder;
  if (r->running || control->settings.replay || share() == 0) return;
  r->ending_count = 0;
  for (const struct thread *t = threads; t != NULL && r->ending_count < INVOLVED_MAX; t = t->next) {
    r->endings[r->ending_count].thread = t->name;
    r->endings[r->ending_count++].place = t->place;
  }
}

/* ---- a linearisation ---- */

/* The events of a trace, and a random order of them. */
struct queue {
  unf_thread thread;
  uint64_t rank;
  uint64_t first; /* of its events that are to come, in `next`; or the number of events */
  uint64_t last;
  unf_object lock; /* that it has taken, and not given back */
};

struct shuffle {
  const unf_allocator *memory;
  unf_event *events;
  uint64_t *next;
  struct queue *queues;
  uint64_t count, capacity, queue_count;
};

static void *resize(const struct shuffle *s, void *block, uint64_t old, uint64_t size) {
  void *fresh = s->memory->reallocate(s->memory->user, block, (size_t)old, (size_t)size);
  if (fresh == NULL && size > 0) engine_must(UNF_MEMORY);
  return fresh;
}

static void count_event(struct shuffle *s) {
  if (s->count < s->capacity) return;
  const uint64_t capacity = s->capacity == 0 ? 256 : 2 * s->capacity;
  s->events = resize(s, s->events, s->capacity * sizeof *s->events, capacity * sizeof *s->events);
  s->next = resize(s, s->next, s->capacity * sizeof *s->next, capacity * sizeof *s->next);
  s->queues = resize(s, s->queues, s->capacity * sizeof *s->queues, capacity * sizeof *s->queues);
  s->capacity = capacity;
}

static bool add_event(void *user, unf_event event) {
  struct shuffle *s = user;
  unf_action action;
  uint64_t i = 0;
  engine_must(unf_event_action(engine_unfolding(), event, &action));
  count_event(s);
  while (i < s->queue_count && s->queues[i].thread != action.thread)
    i++;
  struct queue *q = &s->queues[i];
  if (i == s->queue_count) {
    *q = (struct queue){.thread = action.thread, .first = s->count, .lock = UNF_OBJECT_NONE};
    s->queue_count++;
  } else {
    s->next[q->last] = s->count;
  }
  q->last = s->count;
  s->next[s->count] = UINT64_MAX;
  s->events[s->count++] = event;
  return true;
}

/* How it is decided who comes first. */
enum order_manner {
  LAST_FIRST, /* what came last before: what can be exchanged mostly is */
  BY_THREADS, /* a thread runs as far as it can */
  BY_EVENTS,
  MANNERS,
  LOCKED = MANNERS, /* who has a lock waits until others want it */
  CANONICAL         /* by the fingerprints of events */
};

/* One that has not started waits for nothing yet. */
static unf_operation operation_of(const unf_configuration *so_far, const struct queue *q) {
  unf_operation operation;
  const unf_status status = unf_configuration_next(so_far, q->thread, &operation);
  if (status == UNF_STATE || status == UNF_MISSING) return UNF_OP_EXIT();
  engine_must(status);
  return operation;
}

static uint64_t rank_by_lock(const unf_configuration *so_far, const struct queue *q,
                             uint64_t *state) {
  const uint64_t any = mix(state) >> 2;
  if (q->lock != UNF_OBJECT_NONE) return any | (uint64_t)2 << 62;
  return operation_of(so_far, q).kind == UNF_EXCHANGE_AWAIT ? any | (uint64_t)1 << 62 : any;
}

/* The order of least.h, but for events of which the first halves are equal. */
static uint64_t rank_by_name(const struct shuffle *s, const struct queue *q) {
  uint64_t fingerprint[2];
  engine_must(unf_event_fingerprint(engine_unfolding(), s->events[q->first], fingerprint));
  return fingerprint[0];
}

static void follow_lock(const unf_configuration *so_far, struct queue *q) {
  const unf_operation operation = operation_of(so_far, q);
  if (q->lock == UNF_OBJECT_NONE && operation.kind == UNF_EXCHANGE_AWAIT)
    q->lock = operation.target;
  else if (q->lock == operation.target)
    q->lock = UNF_OBJECT_NONE;
}

/* Of the threads whose next event can come now, the first by rank. */
static unf_event take(struct shuffle *s, const unf_configuration *so_far, uint64_t *state,
                      enum order_manner manner) {
  struct queue *best = NULL;
  for (struct queue *q = s->queues; q < s->queues + s->queue_count; q++) {
    bool possible = false;
    if (manner == LAST_FIRST) q->rank = UINT64_MAX - q->first;
    if (manner == BY_EVENTS) q->rank = mix(state);
    if (manner == LOCKED && q->first != UINT64_MAX) q->rank = rank_by_lock(so_far, q, state);
    if (manner == CANONICAL && q->first != UINT64_MAX) q->rank = rank_by_name(s, q);
    if (q->first == UINT64_MAX || (best != NULL && q->rank > best->rank)) continue;
    engine_must(unf_configuration_extends(so_far, s->events[q->first], &possible));
    if (possible) best = q;
  }
  if (best == NULL) give_up(OUTCOME_BROKEN, "a trace has no order");
  const unf_event event = s->events[best->first];
  if (manner == LOCKED) follow_lock(so_far, best);
  best->first = s->next[best->first];
  return event;
}

static void shuffle(struct reorder *r) {
  const unf_allocator memory = arena_allocator();
  struct shuffle s = {.memory = &memory};
  uint64_t state = control->settings.seed ^ r->number << 32 ^ (uint64_t)r->repeated << 24;
  unf_configuration *so_far;
  engine_path(add_event, &s);
  r->other = resize(&s, NULL, 0, (s.count + 1) * sizeof *r->other);
  r->first = resize(&s, NULL, 0, (s.count + 1) * sizeof *r->first);
  r->count = s.count;
  for (uint64_t i = 0; i < s.queue_count; i++)
    s.queues[i].rank = mix(&state);
  const enum order_manner manner = r->canonical          ? CANONICAL
                                   : r->slow             ? LOCKED
                                   : is_power(r->number) ? LAST_FIRST
                                                         : mix(&state) % MANNERS;
  engine_must(unf_configuration_new(engine_unfolding(), &so_far));
  for (uint64_t i = 0; i < s.count; i++) {
    r->first[i] = s.events[i];
    r->other[i] = take(&s, so_far, &state, manner);
    engine_must(unf_configuration_extend(so_far, r->other[i]));
  }
  unf_configuration_free(so_far);
  resize(&s, s.events, s.capacity * sizeof *s.events, 0);
  resize(&s, s.next, s.capacity * sizeof *s.next, 0);
  resize(&s, s.queues, s.capacity * sizeof *s.queues, 0);
}

/* ---- the execution ---- */

bool reorder_begin(void) {
  struct reorder *r = &pending->reorder;
  if (!r->chosen) return false;
  if (r->again == 0) {
    shuffle(r);
    const bool counted = !r->canonical && r->repeated == 0;
    *(r->slow ? &control->unlearned : &control->reordered) += counted;
  }
  r->events = r->again == FIRST_AGAIN ? r->first : r->other;
  engine_must(unf_configuration_new(engine_unfolding(), &r->reached));
  execution_open();
  accesses_skip();
  r->position = 0;
  r->different = r->uncertain = false;
  r->running = true;
  return true;
}

unf_event reorder_last(void) {
  return pending->reorder.last;
}

/* Where the next operation of a thread was in the first order; 0: not known. */
static uint64_t place_before(const struct thread *t) {
  const struct reorder *r = &pending->reorder;
  uint64_t place = 0;
  for (uint64_t i = r->position; i < r->count; i++) {
    unf_action action;
    if (unf_event_action(engine_unfolding(), r->events[i], &action) != UNF_OK) return 0;
    if (action.thread != t->name) continue;
    return unf_event_cookie(engine_unfolding(), r->events[i], &place) == UNF_OK ? place : 0;
  }
  for (uint32_t i = 0; i < r->ending_count; i++)
    if (r->endings[i].thread == t->name) place = r->endings[i].place;
  return place;
}

static void involve(struct finding *f, const struct thread *t, const unf_operation *operation,
                    const struct object *o, uint64_t place) {
  struct involved *v = &f->involved[f->involved_count++];
  memset(v, 0, sizeof *v);
  engine_thread(v->name, sizeof v->name, t->name);
  snprintf(v->operation, sizeof v->operation, "%s", unf_operation_kind_text(operation->kind));
  v->place = place;
  if (o != NULL && o->address != 0) {
    object_text(v->target, sizeof v->target, o);
    v->kind = o->kind;
    v->address = o->address;
  }
  f->involved_total = f->involved_count;
}

/* The execution ends here. */
_Noreturn static void end_different(void) {
  pending->reorder.different = true;
  pending->ended = true;
  process_end();
}

_Noreturn void reorder_different(void) {
  memset(&pending->reorder.seen, 0, sizeof pending->reorder.seen);
  end_different();
}

unf_status reorder_offer(const struct thread *t) {
  struct reorder *r = &pending->reorder;
  unf_operation before;
  const unf_status status = unf_configuration_offer(r->reached, t->name, &t->operation);
  if (status != UNF_NONDETERMINISM) return status;
  engine_must(unf_configuration_next(r->reached, t->name, &before));
  /* Objects that are named by who is first to come have other names in another order. */
  if (before.kind == t->operation.kind && t->object != NULL && object_is_first_use(before.target)) {
    r->uncertain = true;
    pending->ended = true;
    process_end();
  }
  struct finding *f = &r->seen;
  memset(f, 0, sizeof *f);
  const bool meets_thread = before.kind == UNF_CREATE || before.kind == UNF_JOIN;
  involve(f, t, &before, meets_thread ? NULL : object_named(before.target), place_before(t));
  involve(f, t, &t->operation, t->object, t->place);
  end_different();
}

_Noreturn void reorder_refused(const char *text) {
  struct finding *f = &pending->reorder.seen;
  memset(f, 0, sizeof *f);
  snprintf(f->text, sizeof f->text, "%.400s", text);
  control->refused_call[0] = '\0';
  control->refused_object = control->place = 0;
  end_different();
}

unf_step reorder_step(void) {
  struct reorder *r = &pending->reorder;
  unf_step step = {.kind = UNF_STEP_MAXIMAL, .number = r->position + 1};
  control->steps++;
  if (r->position == r->count) return step;
  step.kind = UNF_STEP_ACTION;
  r->last = r->events[r->position++];
  engine_must(unf_event_action(engine_unfolding(), r->last, &step.action));
  engine_must(unf_configuration_extend(r->reached, r->last));
  return step;
}

/* ---- what came of it ---- */

/* The end alone differs: what was found there. */
static void compare_ends(struct reorder *r) {
  if (r->different || r->uncertain || findings_sum() == r->findings) return;
  struct finding *f = &r->seen;
  if (pending->count > 0)
    *f = pending->findings[0];
  else
    memset(f, 0, sizeof *f);
  r->different = true;
}

static void drop(struct reorder *r) {
  const unf_allocator memory = arena_allocator();
  const size_t size = (size_t)(r->count + 1) * sizeof *r->events;
  memory.reallocate(memory.user, r->first, size, 0);
  memory.reallocate(memory.user, r->other, size, 0);
  r->chosen = false;
  r->again = 0;
}

static void note(struct reorder *r) {
  if (r->seen.text[0] == '\0' && pending->count > 0)
    snprintf(r->seen.text, sizeof r->seen.text, "%s", pending->findings[0].text);
  r->difference = r->seen;
  r->difference.kind = FINDING_REORDERED;
  r->other_position = r->position;
}

/* Atomic loads are plain ones, and right programs wait with them: in one that has
 * read-modify-writes, but whose other accesses are not seen, a difference says no more than that
 * these decide. What is found in the other order is a finding all the same. */
static bool loads_decide(const struct reorder *r) {
  const struct settings *s = &control->settings;
  if (!s->sites || s->moves || control->sites_met == 0) return false;
  if (!r->different || (r->again == 0 && pending->count > 0)) return false;
  if (control->differences++ == 0 && r->seen.involved_count > 0)
    control->difference_place = r->seen.involved[r->seen.involved_count - 1].place;
  return true;
}

/* An execution without what was learned. If it is different, and its order is not to blame, it was
 * because of that. */
static void end_unlearned(struct reorder *r) {
  if (r->again == 0 && r->different && !r->uncertain) {
    r->again = 1;
    return;
  }
  const bool confirmed = r->again == 1 && !r->different && !r->uncertain;
  drop(r);
  learn_tested(confirmed);
  r->chosen = r->number <= UNLEARNED_FIRST && ++r->repeated < UNLEARNED_ORDERS;
  if (r->chosen) return;
  findings_learned(false);
  r->repeated = 0;
  r->chosen = r->shuffled;
  r->slow = false;
}

/* What the execution is described by: in the order of its trace it has to come to the same. */
static void end_canonical(struct reorder *r) {
  pending->count = 0;
  if (!r->different && !r->uncertain) findings_in_order(r->other, r->count);
  drop(r);
  r->canonical = false;
  r->slow = r->slow_later;
  r->chosen = r->shuffled || r->slow;
}

/* A difference counts if each of the two orders comes to the same as before once more. Otherwise it
 * is not the order that makes it. */
void reorder_end(void) {
  struct reorder *r = &pending->reorder;
  running = false;
  compare_ends(r);
  unf_configuration_free(r->reached);
  r->running = false;
  if (r->canonical) {
    end_canonical(r);
    return;
  }
  if (r->slow) {
    pending->count = 0;
    end_unlearned(r);
    return;
  }
  const bool wanted = r->again != FIRST_AGAIN;
  const bool explained = loads_decide(r);
  if (r->different && r->again == 0) note(r);
  pending->count = 0;
  if (explained || r->uncertain || (r->again == 0 && !r->different)) {
    drop(r);
    return;
  }
  if (r->different != wanted)
    give_up(OUTCOME_REFUSED, "the program is not deterministic: the same operations in the same "
                             "order came to something else");
  if (r->again++ < FIRST_AGAIN) return;
  control->differences++;
  findings_keep_reordered(&r->difference, r->other, r->other_position);
  drop(r);
}

/*
 * How a probe chooses. Every choice keeps the estimate unbiased; these keep it from varying much. A
 * value is large when the probe was lucky, that is, when it left an event of its trace waiting
 * while others could have taken what it needs. So
 * - what nobody contends for is performed first: unlocking, creating, arriving; and what only one
 * thread still wants;
 * - for an object that several threads are at, and no other is expected at, it is decided next who
 * takes it: each by as many uses as it is expected to have still, because of that many
 * interleavings of two rows of n and m steps n : m begin with the one and the other;
 * - whoever is at an object where others are expected waits; when nothing else is left, any of them
 * is taken, and those that were passed over most often least, because what is in no conflict with
 * the events performed meanwhile could have come before them.
 * Who uses an object how often is known from the probes before.
 */
#include "exploration/probes/chances.h"

#include <string.h>

#include "exploration/explorer.h"
#include "extension/adds.h"
#include "structure/cut.h"
#include "structure/effect.h"

static const double first_of_all = 4096, aside = 0.003, fading = 0.75, faded = 1e-4;
/* Expected uses by others below which it is decided who takes an object: among several, and for one
 * thread alone. */
static const double few_for_several = 0.95, few_for_one = 0.02;
static const double least_expected = 0.05, least_own = 0.5;

enum { TRIED_NOW = 1, TRIED_BEFORE = 2 };

bool unfi_chances_fit(unf_explorer *x) {
  struct probes *p = &x->probes;
  struct chances *c = &p->chances;
  unf_context *context = x->u->context;
  uint32_t before = c->paces.capacity;
  if (!vector_reserve_zero(context, &c->paces, p->u->threads.count) ||
      !vector_reserve_zero(context, &c->stands, p->u->objects.count) ||
      !vector_reserve_zero(context, &c->users_of, p->u->objects.count) ||
      !vector_reserve_zero(context, &c->tried, p->u->objects.count))
    return false;
  for (uint32_t t = before; t < c->paces.capacity; t++)
    c->paces.data[t] = (struct pace){1, 0, NONE, 0};
  return true;
}

void unfi_chances_begin(unf_explorer *x) {
  struct chances *c = &x->probes.chances;
  for (uint32_t t = 0; t < c->paces.capacity; t++)
    c->paces.data[t] = (struct pace){1, 0, NONE, 0};
  for (uint32_t o = 0; o < c->stands.capacity; o++)
    c->stands.data[o].step = 0;
  for (uint32_t i = 0; i < c->users.count; i++)
    c->users.data[i].done = 0;
}

static struct user *user_of(const struct chances *c, uint32_t object, uint32_t thread) {
  uint32_t i = c->users_of.data[object];
  while (i != 0 && c->users.data[i - 1].thread != thread)
    i = c->users.data[i - 1].next;
  return i != 0 ? &c->users.data[i - 1] : NULL;
}

static const unf_operation *next_of(const struct probes *p, uint32_t thread, uint32_t last) {
  return &p->u->operations.data[next_after(p->u, thread, last)];
}

/* What threads contend for by an operation. */
static uint32_t object_of(const struct probes *p, const unf_operation *o) {
  const struct operation_row *row = &p->u->effects->operations[o->kind];
  switch (row->contended) {
  case CONTENDED_NOTHING:
    return NONE;
  case CONTENDED_IF_TRIED:
    return p->chances.tried.data[o->target] & TRIED_BEFORE ? o->target : NONE;
  case CONTENDED_SECOND:
    return o->second;
  case CONTENDED_TARGET:
    break;
  }
  return o->target;
}

static void note_contenders(struct probes *p, uint32_t step) {
  struct chances *c = &p->chances;
  for (uint32_t i = 0; i < p->contenders.count; i++) {
    struct contender *t = &p->contenders.data[i];
    uint32_t last = cut_last(p->u, configuration_cut(&p->C), t->thread);
    const unf_operation *o = next_of(p, t->thread, last);
    if (p->u->effects->operations[o->kind].tries) c->tried.data[o->target] |= TRIED_NOW;
    t->object = object_of(p, o);
    struct pace *pace = &c->paces.data[t->thread];
    *pace = (struct pace){pace->fade, step, t->object, 0};
    if (t->object == NONE) continue;
    struct stand *stand = &c->stands.data[t->object];
    if (stand->step != step) *stand = (struct stand){step, 0, -1};
    stand->count++;
  }
}

/* The thread that has to act before another one can; the same one: it can act, or that is not
 * known. NONE: it is over. */
static uint32_t awaited(const struct probes *p, uint32_t thread) {
  struct cut C = configuration_cut(&p->C);
  uint32_t last = cut_last(p->u, C, thread), parent = p->u->threads.data[thread].parent;
  if (last == NONE) return parent == UNF_THREAD_NONE ? thread : parent;
  const unf_operation *o = next_of(p, thread, last);
  const struct operation_row *row = &p->u->effects->operations[o->kind];
  if (row->ends) return NONE;
  if (row->family->awaited == NULL) return thread;
  uint32_t other = row->family->awaited(p->u, C, o);
  return other != NONE ? other : thread;
}

/* Whether a thread that is not at an object can come to it before those that are there go on. */
static bool can_come(const struct probes *p, uint32_t thread, uint32_t object, uint32_t step) {
  const struct pace *paces = p->chances.paces.data;
  for (uint32_t i = 0; i <= p->u->threads.count; i++) {
    if (paces[thread].step == step) return paces[thread].object != object;
    uint32_t next = awaited(p, thread);
    if (next == NONE) return false;
    if (next == thread) return true;
    thread = next;
  }
  return true;
}

/* Uses of an object that are expected of threads that are not there. Finds what is known of those
 * that are. */
static double expected_at(struct probes *p, uint32_t object, uint32_t step) {
  struct chances *c = &p->chances;
  double expected = 0;
  for (uint32_t i = c->users_of.data[object]; i != 0; i = c->users.data[i - 1].next) {
    const struct user *user = &c->users.data[i - 1];
    struct pace *pace = &c->paces.data[user->thread];
    bool there = pace->step == step && pace->object == object;
    if (there) pace->user = i;
    if (there || user->most <= user->done || !can_come(p, user->thread, object, step)) continue;
    double left = user->mean - user->done;
    expected += left > 1 ? 1 : left < least_expected ? least_expected : left;
  }
  return expected;
}

/* Whether it is to be decided who takes the object of a contender. */
static bool is_due(struct probes *p, uint32_t object, uint32_t step) {
  struct stand *stand = &p->chances.stands.data[object];
  if (stand->expected < 0) stand->expected = expected_at(p, object, step);
  return p->count > 0 && stand->expected <= (stand->count > 1 ? few_for_several : few_for_one);
}

void unfi_chances_weigh(unf_explorer *x) {
  struct probes *p = &x->probes;
  struct chances *c = &p->chances;
  uint32_t step = p->events.count + 1, decided = NONE;
  note_contenders(p, step);
  for (uint32_t i = 0; i < p->contenders.count; i++) {
    struct contender *t = &p->contenders.data[i];
    t->weight = t->object == NONE ? first_of_all : 0;
    if (t->object == NONE || !is_due(p, t->object, step)) continue;
    t->weight = 1;
    if (t->object < decided) decided = t->object;
  }
  for (uint32_t i = 0; i < p->contenders.count; i++) {
    struct contender *t = &p->contenders.data[i];
    if (t->object == NONE) continue;
    const struct pace *pace = &c->paces.data[t->thread];
    const struct user *user = pace->user != 0 ? &c->users.data[pace->user - 1] : NULL;
    double own = user != NULL ? user->mean - user->done : 0;
    double fade = pace->fade * (decided == NONE ? 1 : aside);
    if (t->weight == 0)
      t->weight = fade > faded ? fade : faded;
    else if (t->object != decided)
      t->weight = aside;
    t->weight *= own > least_own ? own : least_own;
  }
}

static bool count_use(unf_explorer *x, uint32_t object, uint32_t thread) {
  struct chances *c = &x->probes.chances;
  struct user *user = user_of(c, object, thread);
  if (user == NULL) {
    if (!vector_reserve(x->u->context, &c->users, (uint64_t)c->users.count + 1)) return false;
    struct user fresh = {thread, c->users_of.data[object], 0, 0, 0};
    vector_push(&c->users, fresh);
    c->users_of.data[object] = c->users.count;
    user = &c->users.data[c->users.count - 1];
  }
  user->done++;
  return true;
}

bool unfi_chances_take(unf_explorer *x, const unf_action *action) {
  struct probes *p = &x->probes;
  struct chances *c = &p->chances;
  const struct action_row *row = &p->u->effects->actions[action->kind];
  if (is_object(row->target) && !count_use(x, action->target, action->thread)) return false;
  if (is_object(second_target(row->second)) && !count_use(x, action->second, action->thread))
    return false;
  for (uint32_t i = 0; i < p->contenders.count; i++)
    c->paces.data[p->contenders.data[i].thread].fade *= fading;
  c->paces.data[action->thread].fade = 1;
  return true;
}

void unfi_chances_learn(unf_explorer *x) {
  struct probes *p = &x->probes;
  struct chances *c = &p->chances;
  for (uint32_t i = 0; i < c->users.count; i++) {
    struct user *user = &c->users.data[i];
    user->mean += (user->done - user->mean) / (double)p->count;
    if (user->done > user->most) user->most = user->done;
  }
  for (uint32_t i = 0; i < p->u->objects.count; i++)
    if (c->tried.data[i] & TRIED_NOW) c->tried.data[i] = TRIED_BEFORE;
}

void unfi_chances_free(unf_explorer *x) {
  struct chances *c = &x->probes.chances;
  unf_context *context = x->u->context;
  vector_free(context, &c->paces);
  vector_free(context, &c->stands);
  vector_free(context, &c->users);
  vector_free(context, &c->users_of);
  vector_free(context, &c->tried);
}

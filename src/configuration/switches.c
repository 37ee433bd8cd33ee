/*
 * The linearisation of a configuration with the fewest switches of thread, that is, with the fewest
 * blocks of one thread each: to find one is hard in general (it contains the scheduling of chains
 * with set-up times), so the search is exact, and stops at a number of steps.
 *
 * Three things make it short. (1) A block can be made as long as possible: what comes earlier
 * hinders nobody. So the thread of the last block cannot go on, what is left does not depend on it,
 * and a set of events is all that counts. (2) A lower bound for what is left is the sum of the
 * blocks that each thread needs by itself (lanes.c). No block goes beyond the limit of its first
 * event. (3) A block that reaches its limit is made at once: in any linearisation the next block of
 * its thread ends no later, so it can be moved here as a whole, and the blocks do not become more.
 * There is only something to choose among threads that have to stop before their limits.
 *
 * A choice costs one block more than the bound said, or none, so the stages are searched level by
 * level of the bound, the newest first. A stage that is reached at its level is never reached with
 * fewer blocks later. From some stages a linearisation is completed greedily; it is a fewest one as
 * soon as it has no more blocks than the level.
 */
#include <string.h>

#include "base/null.h"
#include "base/table.h"
#include "configuration/lanes.h"

/* ---- blocks ---- */

/* A block of a lane: its events from one number on up to before another one. False ends that. */
typedef bool (*block_visitor)(void *user, uint32_t lane, uint32_t from, uint32_t to);

/* A set of events that is being added to. Lanes are numbered; 1 + a number where 0 is none. */
struct front {
  const struct lanes *l;
  uint32_t *at;       /* by lane: how many of its events there are */
  uint32_t *reach;    /* by lane: how many there would be after its longest block */
  uint32_t *needed;   /* by lane that waits: how many of the other lane's events */
  uint32_t *first;    /* by lane: 1 + the first that waits for it */
  uint32_t *next;     /* by lane that waits: 1 + the next one */
  uint32_t *ready;    /* lanes that can go on, but not up to their limit */
  uint32_t *ready_at; /* by lane: 1 + where it stands there */
  uint32_t *todo;     /* lanes to be looked at */
  uint32_t ready_count, todo_count;
  uint64_t steps;      /* needs and lanes looked at */
  block_visitor visit; /* may be NULL */
  void *user;
};

enum { FRONT_ARRAYS = 8 };

static size_t front_size(const struct lanes *l) {
  return (size_t)l->count * FRONT_ARRAYS * sizeof(uint32_t);
}

static bool front_make(struct front *f, const struct lanes *l) {
  uint32_t *room = unfi_reallocate(l->u->context, NULL, 0, front_size(l));
  const size_t n = l->count;
  *f = (struct front){.l = l};
  if (room == NULL) return false;
  f->at = room;
  f->reach = room + n;
  f->needed = room + 2 * n;
  f->first = room + 3 * n;
  f->next = room + 4 * n;
  f->ready = room + 5 * n;
  f->ready_at = room + 6 * n;
  f->todo = room + 7 * n;
  return true;
}

static void front_free(struct front *f) {
  if (f->at != NULL) unfi_reallocate(f->l->u->context, f->at, front_size(f->l), 0);
}

/* The set with so many events of each lane; NULL: none. */
static void front_set(struct front *f, const uint32_t *at) {
  const uint32_t lanes = f->l->count;
  if (at != NULL)
    memcpy(f->at, at, lanes * sizeof *at);
  else
    memset(f->at, 0, lanes * sizeof *f->at);
  memset(f->first, 0, lanes * sizeof *f->first);
  memset(f->ready_at, 0, lanes * sizeof *f->ready_at);
  f->ready_count = 0;
  f->todo_count = lanes;
  for (uint32_t i = 0; i < lanes; i++)
    f->todo[i] = lanes - 1 - i;
  f->steps += lanes;
}

static void unready(struct front *f, uint32_t lane) {
  const uint32_t at = f->ready_at[lane], last = f->ready[--f->ready_count];
  f->ready[at - 1] = last;
  f->ready_at[last] = at;
  f->ready_at[lane] = 0;
}

/* Adds the longest block of a lane, and has those looked at that waited for that. */
static bool add_block(struct front *f, uint32_t lane) {
  const uint32_t from = f->at[lane], to = f->reach[lane];
  f->at[lane] = to;
  if (f->ready_at[lane] != 0) unready(f, lane);
  for (uint32_t *link = &f->first[lane]; *link != 0;) {
    const uint32_t waiting = *link - 1;
    f->steps++;
    if (f->needed[waiting] > to) {
      link = &f->next[waiting];
      continue;
    }
    *link = f->next[waiting];
    f->todo[f->todo_count++] = waiting;
  }
  return f->visit == NULL || f->visit(f->user, lane, from, to);
}

/* The first need of a step that is not met; NULL: there is none. */
static const struct need *missing(struct front *f, const struct lane_step *step) {
  const struct need *needs = f->l->needs.data + step->need;
  for (uint32_t i = 0; i < step->needs; i++) {
    f->steps++;
    if (f->at[needs[i].lane] < needs[i].count) return &needs[i];
  }
  return NULL;
}

/* How far a lane can go on; whether up to the limit. Else it waits for what it needs then. */
static bool reaches_limit(struct front *f, uint32_t lane) {
  const struct lane_step *steps = f->l->steps.data + f->l->first.data[lane];
  const uint32_t limit = steps[f->at[lane]].limit;
  uint32_t reach = f->ready_at[lane] != 0 ? f->reach[lane] : f->at[lane];
  const struct need *need = NULL;
  while (reach < limit && (need = missing(f, &steps[reach])) == NULL)
    reach++;
  f->steps++;
  f->reach[lane] = reach;
  if (reach == limit) return true;
  f->needed[lane] = need->count;
  f->next[lane] = f->first[need->lane];
  f->first[need->lane] = lane + 1;
  return false;
}

/* Adds all blocks that reach their limits. False: the visitor ended it. */
static bool settle(struct front *f) {
  while (f->todo_count > 0) {
    const uint32_t lane = f->todo[--f->todo_count];
    while (f->at[lane] < lane_size(f->l, lane) && reaches_limit(f, lane))
      if (!add_block(f, lane)) return false;
    const bool ready = f->at[lane] < lane_size(f->l, lane) && f->reach[lane] > f->at[lane];
    if (!ready || f->ready_at[lane] != 0) continue;
    f->ready[f->ready_count++] = lane;
    f->ready_at[lane] = f->ready_count;
  }
  return true;
}

/* Whether the longest block of a lane is one more than the bound said. */
static uint32_t surplus(const struct front *f, uint32_t lane) {
  return 1 - (lane_blocks(f->l, lane, f->at[lane]) - lane_blocks(f->l, lane, f->reach[lane]));
}

/* ---- greedily to the end ---- */

enum { COMPARED_MOST = 64 };

/* The lane that goes on: one whose block the bound counted, or else the one with the longest. */
static uint32_t choose(const struct front *f) {
  uint32_t best = f->ready[0];
  for (uint32_t i = 1; i < f->ready_count && i < COMPARED_MOST; i++) {
    const uint32_t lane = f->ready[i];
    const uint32_t more = surplus(f, lane), most = surplus(f, best);
    const uint32_t length = f->reach[lane] - f->at[lane], longest = f->reach[best] - f->at[best];
    if (more < most || (more == most && length > longest)) best = lane;
  }
  return best;
}

/* Completes a set. *surplus_out: blocks beyond the bound. Not refused where there is a visitor. */
static unf_status complete(struct front *f, uint32_t *surplus_out) {
  unf_status status = UNF_OK;
  *surplus_out = 0;
  while (settle(f) && f->ready_count > 0 && status == UNF_OK) {
    const uint32_t lane = choose(f);
    const uint64_t before = f->steps;
    *surplus_out += surplus(f, lane);
    if (!add_block(f, lane)) break;
    const uint64_t made = f->steps - before + COMPARED_MOST;
    if (f->visit != NULL)
      unfi_count(f->l->u->context, made);
    else
      status = unfi_work(f->l->u->context, made);
  }
  return status;
}

/* ---- the search ---- */

/* A set of events in which nothing reaches its limit. */
struct stage {
  uint32_t parent, lane; /* the stage before it, and which lane went on there; NONE: the first */
  uint32_t level;        /* blocks so far, and those that the bound says are left */
  bool done;
};

struct switching {
  struct lanes lanes;
  struct front front;
  VECTOR(struct stage) stages;
  VECTOR(uint32_t) sets;     /* by stage: how many events of each lane */
  struct table table;        /* of stages, 1 + their numbers */
  handle_vector open, later; /* stages of this level, and of the next */
  handle_vector choices;
  uint32_t level;
  uint32_t best, best_stage; /* blocks, and the stage from which they were completed */
  uint64_t completing;       /* steps that went into that */
};

static const uint32_t *set_of(const struct switching *s, uint32_t stage) {
  return s->sets.data + (size_t)stage * s->lanes.count;
}

static uint64_t hash_of(const struct switching *s, const uint32_t *set) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < s->lanes.count; i++)
    hash = mix(hash, set[i]);
  return hash;
}

static uint64_t hash_again(const void *search, uint32_t handle) {
  const struct switching *s = search;
  return hash_of(s, set_of(s, handle - 1));
}

static bool open_stage(struct switching *s, uint32_t stage, uint32_t level) {
  handle_vector *to = level == s->level ? &s->open : &s->later;
  if (!vector_reserve(s->lanes.u->context, to, (uint64_t)to->count + 1)) return false;
  vector_push(to, stage);
  return true;
}

/* Enters the set of the front, reached at a level. Returns false when refused. */
static bool enter(struct switching *s, uint32_t parent, uint32_t lane, uint32_t level) {
  unf_context *context = s->lanes.u->context;
  const uint32_t lanes = s->lanes.count;
  const uint64_t hash = hash_of(s, s->front.at);
  table_each(&s->table, hash, handle) {
    struct stage *known = &s->stages.data[handle - 1];
    if (memcmp(set_of(s, handle - 1), s->front.at, lanes * sizeof *s->front.at) != 0) continue;
    if (level >= known->level) return true;
    if (!open_stage(s, handle - 1, level)) return false;
    *known = (struct stage){parent, lane, level, false};
    return true;
  }
  if (!vector_reserve(context, &s->stages, (uint64_t)s->stages.count + 1) ||
      !vector_reserve(context, &s->sets, (uint64_t)s->sets.count + lanes) ||
      !unfi_table_reserve_dense(context, &s->table, hash_again, s) ||
      !open_stage(s, s->stages.count, level))
    return false;
  memcpy(s->sets.data + s->sets.count, s->front.at, lanes * sizeof *s->front.at);
  s->sets.count += lanes;
  vector_push(&s->stages, ((struct stage){parent, lane, level, false}));
  table_put(&s->table, hash, s->stages.count);
  return true;
}

/* Completes the linearisations that lead to a stage, and keeps the best. */
static unf_status try_to_complete(struct switching *s, uint32_t stage) {
  const uint64_t before = s->front.steps;
  uint32_t more;
  front_set(&s->front, set_of(s, stage));
  unf_status status = complete(&s->front, &more);
  s->completing += s->front.steps - before;
  if (status != UNF_OK || s->stages.data[stage].level + more >= s->best) return status;
  s->best = s->stages.data[stage].level + more;
  s->best_stage = stage;
  return UNF_OK;
}

/* Enters what each lane that can go on leads to. */
static unf_status expand(struct switching *s, uint32_t stage) {
  unf_context *context = s->lanes.u->context;
  struct front *f = &s->front;
  uint64_t before = f->steps;
  front_set(f, set_of(s, stage));
  settle(f);
  s->choices.count = 0;
  if (!vector_reserve(context, &s->choices, f->ready_count)) return unfi_refused(context);
  memcpy(s->choices.data, f->ready, f->ready_count * sizeof *f->ready);
  s->choices.count = f->ready_count;
  for (uint32_t i = 0; i < s->choices.count; i++) {
    const uint32_t lane = s->choices.data[i];
    front_set(f, set_of(s, stage));
    settle(f);
    const uint32_t level = s->stages.data[stage].level + surplus(f, lane);
    add_block(f, lane);
    settle(f);
    if (!enter(s, stage, lane, level)) return unfi_refused(context);
    unf_status status = unfi_work(context, f->steps - before);
    if (status != UNF_OK) return status;
    before = f->steps;
  }
  return UNF_OK;
}

/* The newest stage of the level, or of the next one if there is none. */
static uint32_t take(struct switching *s) {
  while (s->level < s->best) {
    while (s->open.count > 0) {
      const uint32_t stage = s->open.data[--s->open.count];
      struct stage *found = &s->stages.data[stage];
      if (found->done || found->level != s->level) continue;
      found->done = true;
      return stage;
    }
    const handle_vector none = s->open;
    s->open = s->later;
    s->later = none;
    s->level++;
  }
  return NONE;
}

/* From the empty set, in which what reaches its limit was added. */
static unf_status begin(struct switching *s) {
  struct front *f = &s->front;
  for (uint32_t lane = 0; lane < s->lanes.count; lane++)
    s->level += lane_blocks(&s->lanes, lane, 0);
  s->best = NONE;
  front_set(f, NULL);
  settle(f);
  unf_status status = unfi_work(s->lanes.u->context, f->steps);
  if (status != UNF_OK) return status;
  if (!enter(s, NONE, NONE, s->level)) return unfi_refused(s->lanes.u->context);
  return try_to_complete(s, 0);
}

static unf_status search(struct switching *s, uint64_t most) {
  unf_status status = begin(s);
  while (status == UNF_OK && s->front.steps < most) {
    const uint32_t stage = take(s);
    if (stage == NONE) break;
    if (stage > 0 && 2 * s->completing <= s->front.steps) status = try_to_complete(s, stage);
    if (status == UNF_OK && s->best > s->level) status = expand(s, stage);
  }
  return status;
}

/* ---- the result ---- */

struct visiting_lanes {
  const struct lanes *l;
  unf_event_visitor visit;
  void *user;
};

static bool visit_steps(void *user, uint32_t lane, uint32_t from, uint32_t to) {
  const struct visiting_lanes *t = user;
  const struct lane_step *steps = t->l->steps.data + t->l->first.data[lane];
  for (uint32_t i = from; i < to; i++)
    if (!t->visit(t->user, steps[i].event)) return false;
  return true;
}

/* Goes the way to the best stage again, and from there on greedily, as when it was tried: what is
 * chosen may depend on how a set is entered. */
static unf_status visit_best(struct switching *s, unf_event_visitor visit, void *user) {
  struct visiting_lanes visiting = {&s->lanes, visit, user};
  uint32_t more, way = 0;
  /* The lanes that were chosen, from the last one back, into the room of the open stages. */
  for (uint32_t stage = s->best_stage; stage != 0; stage = s->stages.data[stage].parent)
    way++;
  if (!vector_reserve(s->lanes.u->context, &s->open, way)) return unfi_refused(s->lanes.u->context);
  s->open.count = way;
  for (uint32_t stage = s->best_stage; stage != 0; stage = s->stages.data[stage].parent)
    s->open.data[--way] = s->stages.data[stage].lane;
  front_set(&s->front, NULL);
  s->front.visit = visit_steps;
  s->front.user = &visiting;
  for (uint32_t i = 0; i < s->open.count; i++)
    if (!settle(&s->front) || !add_block(&s->front, s->open.data[i])) return UNF_OK;
  if (!settle(&s->front)) return UNF_OK;
  front_set(&s->front, set_of(s, s->best_stage));
  return complete(&s->front, &more);
}

unf_status unf_configuration_fewest_switches(const unf_configuration *c, uint64_t steps,
                                             unf_event_visitor visit, void *user,
                                             unf_switches *out) {
  RETURN_IF_NULL(c->u->context, c, visit, out);
  unf_context *context = c->u->context;
  struct switching s = {.level = 0};
  *out = (unf_switches){0, 0};
  if (c->size == 0) return UNF_OK;
  unf_status status = unfi_lanes_begin(&s.lanes, c);
  if (status == UNF_OK && !front_make(&s.front, &s.lanes)) status = unfi_refused(context);
  if (status == UNF_OK) status = search(&s, steps);
  if (status == UNF_OK) {
    out->switches = s.best - 1;
    out->least = s.level - 1;
    unfi_done(context);
    status = visit_best(&s, visit, user);
  }
  front_free(&s.front);
  vector_free(context, &s.stages);
  vector_free(context, &s.sets);
  unfi_table_free(context, &s.table);
  vector_free(context, &s.open);
  vector_free(context, &s.later);
  vector_free(context, &s.choices);
  unfi_lanes_free(&s.lanes);
  return status;
}

/*
 * Goes backwards through the execution. Before each of its steps everything else that was possible
 * there is tried, with everything that can follow: a search for an execution without the defect
 * among all those that begin so. What was reached before is not searched again: two beginnings with
 * the same events, whatever their order, go on alike. When nothing is found, all that begins so has
 * the defect, so the step did not decide, and the one before it is looked at. A set of events is
 * known by a hash of 128 bits.
 */
#include "decide.h"

#include <report.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MOST = 1 << 22 };

/* ---- runs ---- */

static bool push_action(unf_action **items, size_t *count, size_t *room, const unf_action *action) {
  if (*count == *room) {
    const size_t more = 2 * *room + 64;
    unf_action *bigger = realloc(*items, more * sizeof *bigger);
    if (bigger == NULL) return false;
    *items = bigger;
    *room = more;
  }
  (*items)[(*count)++] = *action;
  return true;
}

bool run_choice(void *user, const unf_action *action) {
  struct run *run = user;
  const size_t before = run->end_count > 0 ? run->ends[run->end_count - 1] : 0;
  if (run->choice_count - before == CHOICES_MOST) {
    run->partial = true;
    return false;
  }
  if (!push_action(&run->choices, &run->choice_count, &run->choice_room, action))
    run->failed = true;
  return !run->failed;
}

static bool end_choices(struct run *run) {
  if (run->end_count == run->end_room) {
    const size_t room = 2 * run->end_room + 64;
    size_t *ends = realloc(run->ends, room * sizeof *ends);
    if (ends == NULL) return false;
    run->ends = ends;
    run->end_room = room;
  }
  run->ends[run->end_count++] = run->choice_count;
  return true;
}

static bool push_event(struct run *run, struct run_event event) {
  if (run->event_count == run->event_room) {
    const size_t room = 2 * run->event_room + 64;
    struct run_event *events = realloc(run->events, room * sizeof *events);
    if (events == NULL) return false;
    run->events = events;
    run->event_room = room;
  }
  run->events[run->event_count++] = event;
  return true;
}

void run_step(struct run *run, const unf_action *action, struct run_event event) {
  if (run->count >= run->from && !end_choices(run)) run->failed = true;
  if (!push_action(&run->steps, &run->count, &run->room, action) || !push_event(run, event))
    run->failed = true;
}

void run_free(struct run *run) {
  free(run->steps);
  free(run->events);
  free(run->choices);
  free(run->ends);
  memset(run, 0, sizeof *run);
}

/* ---- sets of events ---- */

struct set {
  uint64_t hash[2];
};

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
  return x ^ (x >> 32);
}

/* The sum does not depend on the order in which events are added. */
static void set_add(struct set *set, struct run_event event) {
  set->hash[0] += mix(event.key[0]);
  set->hash[1] += mix(event.key[1] ^ 0xd6e8feb86659fd93u);
}

/* Sets that were reached: open addressing; both halves 0 is an empty place. */
struct reached {
  struct set *slots;
  size_t room, count;
};

static struct set *slot_of(const struct reached *r, const struct set *set) {
  size_t at = (size_t)set->hash[0] & (r->room - 1);
  while ((r->slots[at].hash[0] | r->slots[at].hash[1]) != 0 &&
         memcmp(&r->slots[at], set, sizeof *set) != 0)
    at = (at + 1) & (r->room - 1);
  return &r->slots[at];
}

static bool grow(struct reached *r) {
  struct reached bigger = {NULL, r->room == 0 ? 1024 : 2 * r->room, r->count};
  bigger.slots = calloc(bigger.room, sizeof *bigger.slots);
  if (bigger.slots == NULL) return false;
  for (size_t i = 0; i < r->room; i++)
    if ((r->slots[i].hash[0] | r->slots[i].hash[1]) != 0)
      *slot_of(&bigger, &r->slots[i]) = r->slots[i];
  free(r->slots);
  *r = bigger;
  return true;
}

/* ---- the search ---- */

/* A step, and the one before it; 0: none. */
struct node {
  uint32_t before;
  unf_action action;
};

struct search {
  const struct decide_engine *engine;
  struct reached reached;
  struct node *nodes; /* the first one stands for the beginning */
  size_t node_count, node_room;
  uint32_t *open; /* nodes whose executions are still to be performed */
  size_t open_count, open_room;
  unf_action *prefix;
  size_t prefix_count, prefix_room;
  struct decided *out;
  bool failed;
};

/* Enters a set; false: it was there, or there is no memory. */
static bool enter(struct search *s, const struct set *set) {
  if (2 * s->reached.count >= s->reached.room && !grow(&s->reached)) s->failed = true;
  if (s->failed) return false;
  struct set *slot = slot_of(&s->reached, set);
  if ((slot->hash[0] | slot->hash[1]) != 0) return false;
  *slot = *set;
  s->reached.count++;
  return true;
}

/* The number of a new node; 0: no memory, or too many. */
static uint32_t add_node(struct search *s, uint32_t before, const unf_action *action) {
  if (s->node_count == s->node_room) {
    const size_t room = 2 * s->node_room + 64;
    struct node *nodes = realloc(s->nodes, room * sizeof *nodes);
    if (nodes == NULL) s->failed = true;
    if (nodes == NULL) return 0;
    s->nodes = nodes;
    s->node_room = room;
  }
  s->nodes[s->node_count] = (struct node){before, *action};
  return (uint32_t)s->node_count++;
}

static void open_node(struct search *s, uint32_t before, const unf_action *action) {
  const uint32_t node = add_node(s, before, action);
  if (s->open_count == s->open_room) {
    const size_t room = 2 * s->open_room + 64;
    uint32_t *open = realloc(s->open, room * sizeof *open);
    if (open == NULL) s->failed = true;
    if (open == NULL) return;
    s->open = open;
    s->open_room = room;
  }
  s->open[s->open_count++] = node;
}

static bool same(const unf_action *a, const unf_action *b) {
  return a->kind == b->kind && a->thread == b->thread && a->target == b->target &&
         a->second == b->second && a->value == b->value;
}

/* Opens everything else that was possible before a step of a run. */
static void open_others(struct search *s, const struct run *run, size_t step, uint32_t before) {
  const size_t row = step - run->from, low = row > 0 ? run->ends[row - 1] : 0;
  for (size_t i = run->ends[row]; i-- > low && !s->failed;)
    if (!same(&run->choices[i], &run->steps[step])) open_node(s, before, &run->choices[i]);
}

/* Enters what a run came to from a node on, and opens what else was possible there. */
static void follow_run(struct search *s, const struct run *run, uint32_t node) {
  struct set set = {{0, 0}};
  for (size_t i = 0; i < run->from; i++)
    set_add(&set, run->events[i]);
  for (size_t i = run->from; !s->failed && enter(s, &set) && i < run->count; i++) {
    open_others(s, run, i, node);
    set_add(&set, run->events[i]);
    node = add_node(s, node, &run->steps[i]);
  }
}

/* The steps up to a node. */
static void find_prefix(struct search *s, uint32_t node) {
  s->prefix_count = 0;
  for (; node != 0 && !s->failed; node = s->nodes[node].before)
    s->failed = !push_action(&s->prefix, &s->prefix_count, &s->prefix_room, &s->nodes[node].action);
  for (size_t i = 0, j = s->prefix_count; i + 1 < j; i++) {
    const unf_action action = s->prefix[i];
    s->prefix[i] = s->prefix[--j];
    s->prefix[j] = action;
  }
}

static bool out_of_time(const struct search *s) {
  return cli_now() > s->engine->until || s->node_count > NODES_MOST;
}

/* Performs what is open until nothing is, or an execution without the defect was found. */
static bool find_other(struct search *s) {
  while (s->open_count > 0 && !s->failed && !out_of_time(s)) {
    const uint32_t node = s->open[--s->open_count];
    find_prefix(s, node);
    if (s->failed) break;
    struct run run = {.from = s->prefix_count};
    s->out->tried++;
    if (!s->engine->perform(s->engine->user, s->prefix, s->prefix_count, &run) || run.failed) {
      if (out_of_time(s))
        s->open_count++; /* it stays open */
      else
        s->failed = true;
    } else if (!run.defect) {
      s->out->other = run;
      return true;
    } else {
      s->out->partial |= run.partial;
      follow_run(s, &run, node);
    }
    run_free(&run);
  }
  return false;
}

/* The sets of events before each step of a run, and behind it; NULL: no memory. */
static struct set *sets_of(const struct run *run) {
  struct set *sets = calloc(run->count + 1, sizeof *sets);
  for (size_t i = 0; sets != NULL && i < run->count; i++) {
    sets[i + 1] = sets[i];
    set_add(&sets[i + 1], run->events[i]);
  }
  return sets;
}

/* From the last step backwards; the nodes of the steps have their numbers, from 1. */
static void go_back(struct search *s, const struct run *run) {
  struct decided *out = s->out;
  struct set *sets = sets_of(run);
  for (size_t i = run->count; i-- > 0 && sets != NULL && !s->failed;) {
    out->step = i;
    enter(s, &sets[i + 1]);
    open_others(s, run, i, (uint32_t)i);
    const bool found = find_other(s);
    out->decision = found               ? DECIDED
                    : s->failed         ? DECIDED_NOT
                    : s->open_count > 0 ? DECIDED_UNKNOWN
                                        : DECIDED_NOWHERE;
    if (out->decision == DECIDED_UNKNOWN) out->step = i + 1;
    if (out->decision != DECIDED_NOWHERE) break;
  }
  free(sets);
}

void decide(const struct decide_engine *engine, const unf_action *steps, size_t count,
            struct decided *out) {
  const unf_action none = {.thread = 0};
  struct search s = {.engine = engine, .out = out};
  struct run run = {.from = 0};
  memset(out, 0, sizeof *out);
  out->decision = DECIDED_NOT;
  s.failed = !engine->perform(engine->user, steps, count, &run) || run.failed;
  add_node(&s, 0, &none);
  for (size_t i = 0; i < run.count && !s.failed; i++)
    add_node(&s, (uint32_t)i, &run.steps[i]);
  out->partial = run.partial;
  if (!s.failed && run.defect) go_back(&s, &run);
  run_free(&run);
  free(s.reached.slots);
  free(s.nodes);
  free(s.open);
  free(s.prefix);
}

void decided_free(struct decided *decided) {
  run_free(&decided->other);
}

static json_t *other_json(const struct decided *decided, json_t *steps,
                          const struct cli_defects *found, const char *end) {
  const struct cli_defect *defect = found->count > 0 ? &found->items[0] : NULL;
  json_t *threads = defect != NULL ? json_incref(defect->threads) : json_array();
  return json_pack("{s:I, s:I, s:{s:o, s:s, s:b, s:o}}", "step", (json_int_t)decided->step + 1,
                   "tried", (json_int_t)decided->tried, "other", "steps", steps, "end",
                   defect != NULL ? cli_kind_name(defect->kind) : end, "fine", defect == NULL,
                   "ends", threads);
}

json_t *decided_json(const struct decided *decided, size_t count, json_t *steps,
                     const struct cli_defects *found, const char *end) {
  static const char *const partly = "; of choices among many values only some were tried";
  const char *more = decided->partial ? partly : "";
  const unsigned long long tried = decided->tried;
  if (decided->decision == DECIDED) return other_json(decided, steps, found, end);
  json_t *why =
      decided->decision == DECIDED_NOWHERE
          ? json_sprintf("no step decided: every execution has this defect (%llu others were "
                         "performed)%s",
                         tried, more)
      : decided->decision == DECIDED_UNKNOWN
          ? json_sprintf("no deciding step was found in the time that there was: %llu other "
                         "executions were performed; none of the last %zu of %zu steps decided, "
                         "and it is not known whether one before them did%s",
                         tried, count - decided->step, count, more)
          : json_string("no deciding step was found: an execution did not come to its end in time, "
                        "or there was no memory");
  return json_pack("{s:o, s:I}", "why", why, "tried", (json_int_t)decided->tried);
}

/*
 * The public parts of optimal DPOR on random programs: an explorer made of them must reach every
 * maximal configuration of the lattice exactly once, in every order of the threads, and never stand
 * where everything sleeps. On the way each part is compared with its definition:
 * - weak initials: by trying all sequences that swapping adjacent independent events leads to;
 * - sleep sets: what was explored at a node above and is independent of all steps since;
 * - races: pairs of threads' events ordered by causality with nothing between;
 * - reversals: with the node's events a configuration; what is left out comes after something in
 *   conflict with the event;
 * - wakeup trees: after an insertion, a way through the tree is compatible with what was inserted,
 *   up to its end or to where it first has something else; no left sibling and no sleeping event is
 *   a weak initial of a way.
 *
 *   random_wakeup [--programs N] [--seed S] [--only SEED]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"
#include "permutation.h"
#include "sketch.h"

enum { LONGEST = 512, SWAPPED = 6, SEQUENCES = 720, WAYS = 256 };
enum {
  FAMILIES = FAMILY_CONDITION | FAMILY_RWLOCK | FAMILY_SEMAPHORE | FAMILY_BARRIER | FAMILY_ATOMIC |
             FAMILY_FUTEX | FAMILY_CHANNEL | FAMILY_MAILBOX | FAMILY_FUTURE
};

struct exploration {
  bridge *bridge;
  unf_unfolding *u;
  const lattice *lattice;
  report *report;
  unf_sleep_sets *sleep;
  unf_wakeup_trees *trees;
  unf_event path[LONGEST];
  unf_event explored[LONGEST][64]; /* by node */
  uint32_t explored_count[LONGEST];
  uint64_t depth;
  bool *reached;
  uint64_t traces, checks, inserted;
};

static bool fail(const struct exploration *x, const char *call, unf_status status) {
  return bridge_fail(x->bridge, x->report, call, status);
}

static bool wrong(const struct exploration *x, const char *what) {
  return report_fail(x->report, "%s", what);
}

static bool dependent(const struct exploration *x, unf_event a, unf_event b) {
  unf_action first, second;
  bool out = true;
  unf_event_action(x->u, a, &first);
  unf_event_action(x->u, b, &second);
  unf_actions_dependent(x->u, &first, &second, &out);
  return out;
}

static bool precedes(const struct exploration *x, unf_event a, unf_event b) {
  bool out = false;
  unf_event_precedes(x->u, a, b, &out);
  return out;
}

/* ---- weak initials ---- */

/* Whether swapping adjacent independent events of the sequence leads to one that begins so. */
static bool swapped_to(const struct exploration *x, const unf_event *sequence, uint64_t count,
                       unf_event step) {
  static unf_event seen[SEQUENCES][SWAPPED + 1];
  uint32_t known = 1;
  size_t size = count * sizeof *sequence;
  memcpy(seen[0], sequence, size);
  for (uint32_t i = 0; i < known; i++) {
    if (seen[i][0] == step) return true;
    for (uint64_t k = 0; k + 1 < count; k++) {
      unf_event next[SWAPPED + 1];
      bool is_new = !dependent(x, seen[i][k], seen[i][k + 1]);
      memcpy(next, seen[i], size);
      next[k] = seen[i][k + 1];
      next[k + 1] = seen[i][k];
      for (uint32_t j = 0; j < known && is_new; j++)
        is_new = memcmp(seen[j], next, size) != 0;
      if (is_new) memcpy(seen[known++], next, size);
    }
  }
  return false;
}

static bool check_initial(struct exploration *x, unf_event step, const unf_event *v,
                          uint64_t count) {
  unf_event sequence[SWAPPED + 1];
  bool seen, inside = false;
  if (count >= SWAPPED) return true;
  memcpy(sequence, v, count * sizeof *v);
  for (uint64_t i = 0; i < count; i++)
    inside = inside || v[i] == step;
  if (!inside) sequence[count] = step;
  unf_status s = unf_weak_initial(x->u, step, v, count, &seen);
  if (s != UNF_OK) return fail(x, "unf_weak_initial", s);
  x->checks++;
  return seen == swapped_to(x, sequence, count + !inside, step) || wrong(x, "a weak initial");
}

/* ---- sleep sets ---- */

static bool count_one(void *user, unf_event step) {
  (void)step;
  ++*(uint32_t *)user;
  return true;
}

static bool check_sleep(struct exploration *x) {
  uint32_t expected = 0, seen = 0;
  for (uint64_t above = 0; above <= x->depth; above++)
    for (uint32_t i = 0; i < x->explored_count[above]; i++) {
      unf_event step = x->explored[above][i];
      bool asleep = true, contained;
      for (uint64_t d = above; d < x->depth && asleep; d++)
        asleep = !dependent(x, step, x->path[d]);
      expected += asleep;
      unf_status s = unf_sleep_contains(x->sleep, step, &contained);
      if (s != UNF_OK) return fail(x, "unf_sleep_contains", s);
      if (asleep && !contained) return wrong(x, "an event that should sleep does not");
    }
  unf_status s = unf_sleep_visit(x->sleep, x->depth, count_one, &seen);
  if (s != UNF_OK) return fail(x, "unf_sleep_visit", s);
  return seen == expected || wrong(x, "another number of events sleeps");
}

/* ---- races ---- */

static bool mark_race(void *user, uint64_t first, uint64_t second) {
  bool *marks = user;
  marks[first * LONGEST + second] = !marks[first * LONGEST + second];
  return true;
}

static bool is_race(const struct exploration *x, uint64_t first, uint64_t second) {
  unf_action a, b;
  unf_event_action(x->u, x->path[first], &a);
  unf_event_action(x->u, x->path[second], &b);
  if (a.thread == b.thread || !precedes(x, x->path[first], x->path[second])) return false;
  if (a.kind == UNF_DID_CREATE && a.target == b.thread) {
    bool begins = true;
    for (uint64_t i = first + 1; i < second && begins; i++) {
      unf_action c;
      unf_event_action(x->u, x->path[i], &c);
      begins = c.thread != b.thread;
    }
    if (begins) return false;
  }
  for (uint64_t i = first + 1; i < second; i++)
    if (precedes(x, x->path[first], x->path[i]) && precedes(x, x->path[i], x->path[second]))
      return false;
  return true;
}

static bool check_races(struct exploration *x) {
  static bool marks[LONGEST * LONGEST];
  memset(marks, 0, sizeof marks);
  unf_status s = unf_execution_races(x->u, x->path, x->depth, mark_race, marks);
  if (s != UNF_OK) return fail(x, "unf_execution_races", s);
  for (uint64_t i = 0; i < x->depth; i++)
    for (uint64_t j = 0; j < x->depth; j++)
      if (marks[i * LONGEST + j] != (i < j && is_race(x, i, j)))
        return report_fail(x->report, "steps %" PRIu64 " and %" PRIu64 ": a race or none", i, j);
  return true;
}

/* ---- wakeup trees ---- */

struct ways {
  struct exploration *x;
  const unf_reversal *reversal;
  unf_event way[LONGEST];
  uint32_t level;
  bool begun, good, compatible;
  unf_event siblings[LONGEST][64]; /* left of the way, by level */
  uint32_t sibling_count[LONGEST];
};

/* A way from the root of a tree to a leaf. */
static void check_way(struct ways *w) {
  struct exploration *x = w->x;
  const unf_reversal *r = w->reversal;
  uint64_t length = w->level + 1u;
  bool conflict = false, initial = false;
  for (uint64_t i = 0, inside = 1; i < length && inside; i++) {
    inside = 0;
    for (uint64_t j = 0; j < r->count && !conflict; j++) {
      unf_event_conflicts(x->u, w->way[i], r->sequence[j], &conflict);
      inside |= w->way[i] == r->sequence[j];
    }
  }
  w->compatible = w->compatible || !conflict;
  unf_status s = unf_sleep_initial(x->sleep, r->position, w->way, length, &initial);
  w->good = w->good && s == UNF_OK && !initial;
  for (uint32_t level = 0; level < length; level++)
    for (uint32_t i = 0; i < w->sibling_count[level]; i++) {
      unf_weak_initial(x->u, w->siblings[level][i], w->way + level, length - level, &initial);
      w->good = w->good && !initial;
    }
}

static bool visit_way(void *user, unf_event step, uint32_t level) {
  struct ways *w = user;
  if (w->begun && level <= w->level) {
    check_way(w);
    w->siblings[level][w->sibling_count[level]++] = w->way[level];
  } else {
    w->sibling_count[level] = 0;
  }
  w->begun = true;
  w->way[level] = step;
  w->level = level;
  return true;
}

static bool check_tree(struct exploration *x, const unf_reversal *r) {
  static struct ways w;
  memset(&w, 0, sizeof w);
  w.x = x;
  w.reversal = r;
  w.good = true;
  unf_status s = unf_wakeup_visit(x->trees, r->position, visit_way, &w);
  if (s != UNF_OK) return fail(x, "unf_wakeup_visit", s);
  if (w.begun) check_way(&w);
  if (!w.good) return wrong(x, "a way that begins weakly with what stands left of it or sleeps");
  return w.compatible || wrong(x, "no way is compatible with what was inserted");
}

/* ---- reversals ---- */

static bool check_reversal(struct exploration *x, const unf_reversal *r) {
  unf_configuration *C;
  unf_status s = unf_configuration_new(x->u, &C);
  for (uint64_t i = 0; s == UNF_OK && i < r->position; i++)
    s = unf_configuration_extend(C, x->path[i]);
  for (uint64_t i = 0; s == UNF_OK && i < r->count; i++)
    s = unf_configuration_extend(C, r->sequence[i]);
  unf_configuration_free(C);
  if (s != UNF_OK) return fail(x, "what a reversal gives is no execution:", s);
  if (r->count == 0 || r->sequence[r->count - 1] != r->event) return wrong(x, "a reversal's end");
  for (uint64_t i = r->position, v = 0; i < x->depth; i++) {
    bool blamed = false, conflict = false;
    if (x->path[i] == r->sequence[v] && v + 1 < r->count) {
      v++;
      continue;
    }
    for (uint64_t j = r->position; j <= i && !blamed; j++) {
      if (!precedes(x, x->path[j], x->path[i])) continue;
      unf_event_conflicts(x->u, x->path[j], r->event, &conflict);
      blamed = conflict;
    }
    if (!blamed) return wrong(x, "a reversal leaves out what could have stayed");
  }
  return true;
}

static bool insert(void *user, const unf_reversal *r) {
  struct exploration *x = user;
  bool explored, changed;
  if (!check_reversal(x, r)) return false;
  for (uint32_t i = 0; i < x->explored_count[r->position]; i++)
    if (!check_initial(x, x->explored[r->position][i], r->sequence, r->count)) return false;
  if (!check_initial(x, x->path[r->position], r->sequence, r->count) ||
      !check_initial(x, r->event, r->sequence, r->count))
    return false;
  unf_status s = unf_sleep_initial(x->sleep, r->position, r->sequence, r->count, &explored);
  if (s != UNF_OK) return fail(x, "unf_sleep_initial", s);
  if (explored) return true;
  uint64_t size = unf_wakeup_size(x->trees);
  s = unf_wakeup_insert(x->trees, r->position, r->sequence, r->count, &changed);
  if (s != UNF_OK) return fail(x, "unf_wakeup_insert", s);
  x->inserted += changed;
  if (changed != (unf_wakeup_size(x->trees) > size)) return wrong(x, "the size of the trees");
  return check_tree(x, r);
}

/* ---- the explorer ---- */

struct choice {
  struct exploration *x;
  unf_event step;
  bool any, good;
};

static bool choose(void *user, unf_event step) {
  struct choice *c = user;
  bool asleep = false;
  c->any = true;
  c->good = unf_sleep_contains(c->x->sleep, step, &asleep) == UNF_OK;
  if (!asleep) c->step = step;
  return asleep && c->good;
}

/* The next event of a new node, or UNF_EVENT_NONE at the end of an execution. */
static bool choose_freely(struct exploration *x, unf_configuration *C, uint32_t at,
                          unf_event *step) {
  struct choice choice = {x, UNF_EVENT_NONE, false, true};
  unf_status s = unf_extensions_enabled(C, choose, &choice);
  if (s != UNF_OK || !choice.good) return fail(x, "unf_extensions_enabled", s);
  *step = choice.step;
  if (*step != UNF_EVENT_NONE) return true;
  if (choice.any) return wrong(x, "everything enabled sleeps");
  if (!x->lattice->configurations[at].maximal) return wrong(x, "ends before the end");
  if (x->reached[at]) return wrong(x, "a maximal configuration came twice");
  x->reached[at] = true;
  x->traces++;
  if (!check_races(x)) return false;
  s = unf_execution_reversals(x->u, x->path, x->depth, insert, x);
  if (s != UNF_OK) return fail(x, "unf_execution_reversals", s);
  return x->report->text[0] == '\0';
}

static bool offer_all(struct exploration *x, unf_configuration *C, uint32_t at) {
  for (uint32_t t = 0; t < x->bridge->program->thread_count; t++) {
    operation o = lattice_next(x->lattice, at, t);
    if (o.kind == OPERATION_WAITING) continue;
    unf_operation op = bridge_operation(x->bridge, &o);
    unf_status s = unf_configuration_offer(C, x->bridge->threads[t], &op);
    if (s != UNF_OK) return fail(x, "unf_configuration_offer", s);
  }
  return true;
}

static bool explore(struct exploration *x, uint32_t at) {
  unf_event step;
  unf_configuration *C;
  uint64_t depth = x->depth;
  unf_status s = unf_wakeup_take(x->trees, depth, &step);
  if (s == UNF_OK) s = unf_configuration_new(x->u, &C);
  if (s != UNF_OK) return fail(x, "unf_wakeup_take", s);
  for (uint64_t i = 0; s == UNF_OK && i < depth; i++)
    s = unf_configuration_extend(C, x->path[i]);
  x->explored_count[depth] = 0;
  bool good = s == UNF_OK && offer_all(x, C, at) && check_sleep(x) &&
              (step != UNF_EVENT_NONE || choose_freely(x, C, at, &step));
  unf_configuration_free(C);
  while (good && step != UNF_EVENT_NONE) {
    unf_action action_of;
    action a;
    unf_event_action(x->u, step, &action_of);
    const edge *e =
        bridge_read(x->bridge, &action_of, &a) ? lattice_step(x->lattice, at, &a) : NULL;
    if (e == NULL || !bridge_match(x->bridge, e->event, step))
      return wrong(x, "a step that is not possible");
    x->path[x->depth++] = step;
    s = unf_sleep_push(x->sleep, step);
    good = s == UNF_OK && unf_sleep_last(x->sleep) == step && explore(x, e->to);
    if (!good) return s == UNF_OK ? false : fail(x, "unf_sleep_push", s);
    x->depth = depth;
    if (s == UNF_OK) s = unf_sleep_pop(x->sleep);
    if (s == UNF_OK) s = unf_sleep_add(x->sleep, step);
    x->explored[depth][x->explored_count[depth]++] = step;
    if (s == UNF_OK) s = unf_wakeup_take(x->trees, depth, &step);
    if (s != UNF_OK) return fail(x, "a step", s);
  }
  return good;
}

static bool explore_order(const lattice *l, const uint32_t *order, uint64_t sums[3], report *r) {
  static struct exploration x;
  bridge b;
  memset(&x, 0, sizeof x);
  x.bridge = &b;
  x.lattice = l;
  x.report = r;
  if (!bridge_open(&b, l->program, l, order, 8, r)) return false;
  x.u = b.unfolding;
  x.reached = oracle_allocate(l->configuration_count * sizeof *x.reached);
  unf_status s = unf_sleep_new(x.u, &x.sleep);
  if (s == UNF_OK) s = unf_wakeup_new(x.u, &x.trees);
  bool good = s == UNF_OK && explore(&x, 0);
  if (good && x.traces != l->counts.maximal)
    good = report_fail(r, "%" PRIu64 " maximal configurations of %" PRIu32, x.traces,
                       l->counts.maximal);
  if (good && unf_wakeup_size(x.trees) != 0) good = wrong(&x, "wakeup trees are not empty");
  unf_sleep_free(x.sleep);
  unf_wakeup_free(x.trees);
  free(x.reached);
  bridge_close(&b);
  sums[0] += x.traces;
  sums[1] += x.checks;
  sums[2] += x.inserted;
  return good;
}

/* False when it failed, with the program and what is wrong printed. */
static bool check(const char *text, int64_t bound, bool commuting, uint64_t *done,
                  uint64_t sums[3]) {
  report r = {{0}};
  program_options options = {.bound = bound, .commuting = commuting, .saturating = true};
  program *p = program_read(text, &options, r.text);
  bool good = p != NULL;
  lattice *l = good ? lattice_walk(p, 1000) : NULL;
  r.text[0] = '\0';
  if (l != NULL && l->status == LATTICE_WHOLE && l->counts.maximal <= 80) {
    uint32_t order[SKETCH_THREADS_MAX] = {0, 1, 2, 3, 4};
    do
      good = explore_order(l, order, sums, &r);
    while (good && next_permutation(order, p->thread_count));
    ++*done;
  }
  if (!good) printf("FAILED:\n%s%s\n", text, r.text);
  if (l != NULL) lattice_free(l);
  if (p != NULL) program_free(p);
  return good;
}

int main(int argc, char **argv) {
  uint64_t programs = 400, seed = 1, only = 0, done = 0, sums[3] = {0};
  for (int i = 1; i + 1 < argc; i += 2) {
    uint64_t value = strtoull(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--programs") == 0) programs = value;
    if (strcmp(argv[i], "--seed") == 0) seed = value;
    if (strcmp(argv[i], "--only") == 0) only = value;
  }
  for (uint64_t i = 0; done < programs; i++) {
    uint64_t drawn = only != 0 ? only : seed * UINT64_C(1000000000) + i;
    random_source random = {drawn};
    sketch *s = sketch_generate(&random, drawn % 2 == 0 ? 0 : FAMILIES);
    char *text = sketch_text(s);
    bool good = check(text, s->bound, s->commuting, &done, sums);
    if (!good) printf("--only %" PRIu64 "\n", drawn);
    free(text);
    sketch_free(s);
    if (!good) return 1;
    if (only != 0) break;
  }
  printf("%" PRIu64 " programs in every order of their threads: %" PRIu64 " traces, %" PRIu64
         " weak initials tried, %" PRIu64 " insertions\n",
         done, sums[0], sums[1], sums[2]);
  return sums[1] > 0 && sums[2] > 0 ? 0 : only == 0;
}

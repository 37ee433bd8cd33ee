#include "valued_engine.h"

#include <stdlib.h>
#include <string.h>

const char *const tellings[TELLINGS] = {"all inputs", "inputs that are read", "terms"};

size_t words_of(const exploration *x) {
  return x->valued->subject.machine.words;
}

int64_t *state_of(const exploration *x, int64_t *states, uint32_t value) {
  return states + value * words_of(x);
}

uint64_t all_values(const exploration *x) {
  return (UINT64_C(1) << x->valued->values) - 1;
}

bool failed(const exploration *x, const char *call, unf_status status) {
  return bridge_fail(&x->bridge, x->report, call, status);
}

/* ---- literals ---- */

static uint64_t values_of(const exploration *x, unf_event branch) {
  unf_literal literal;
  uint64_t values = 0;
  if (unf_event_literal(x->bridge.unfolding, branch, &literal) != UNF_OK ||
      literal.term >= x->point_count) {
    report_fail(x->report, "an event without a literal was asked about");
    return 0;
  }
  for (uint32_t v = 0; v < x->valued->values; v++)
    if (x->points[literal.term].outcome[v] == literal.outcome) values |= UINT64_C(1) << v;
  return values;
}

static unf_answer solve(void *user, const unf_event *events, uint64_t count, uint64_t known,
                        unf_event *core, uint64_t *core_count, uint64_t *witness) {
  exploration *x = user;
  uint64_t values = all_values(x);
  (void)known, (void)core, (void)core_count;
  for (uint64_t i = 0; i < count; i++)
    values &= values_of(x, events[i]);
  if (x->unknown > 0 && random_below(&x->random, 100) < x->unknown) return UNF_ANSWER_UNKNOWN;
  if (values == 0) return UNF_ANSWER_NO;
  *witness = 1 + (uint64_t)__builtin_ctzll(values);
  return UNF_ANSWER_YES;
}

static bool holds(void *user, uint64_t witness, unf_event asked) {
  return values_of(user, asked) >> (witness - 1) & 1;
}

bool and_literal(void *conjunction_of, unf_event e) {
  conjunction *in = conjunction_of;
  unf_action a;
  if (unf_event_action(in->x->bridge.unfolding, e, &a) == UNF_OK && a.kind == UNF_DID_BRANCH)
    in->values &= values_of(in->x, e);
  return true;
}

unf_consistency solver_of(exploration *x) {
  unf_consistency consistency = UNF_CONSISTENCY_INIT;
  consistency.consistent = solve;
  consistency.holds = random_chance(&x->random, 50) ? holds : NULL;
  consistency.user = x;
  return consistency;
}

/* The values that an event leaves to the inputs. */
static uint64_t condition_of(const exploration *x, unf_event e) {
  conjunction in = {x, all_values(x)};
  if (e != UNF_EVENT_BOTTOM) unf_event_history(x->bridge.unfolding, e, and_literal, &in);
  return in.values;
}

/* ---- the program ---- */

static uint32_t point_of(exploration *x, uint32_t thread, const operation *o) {
  size_t i = 0;
  while (i < x->point_count &&
         (x->points[i].thread != thread || x->points[i].last != x->last[thread]))
    i++;
  if (i < x->point_count || i == MOST_POINTS) return (uint32_t)i;
  point *p = &x->points[x->point_count++];
  *p = (point){.thread = thread, .last = x->last[thread], .outcomes = (uint32_t)o->high};
  for (uint32_t v = 0; v < x->valued->values; v++) {
    const int64_t low =
        machine_next(&x->valued->subject.machine, state_of(x, x->states, v), thread).low;
    p->outcome[v] = (uint32_t)(low >= 0 && low < o->high ? low : o->high - 1);
  }
  return (uint32_t)i;
}

static bool is_same(const operation *a, const operation *b) {
  return a->kind == b->kind && a->target == b->target && a->second == b->second &&
         (a->kind == OPERATION_BRANCH || a->low == b->low) && a->high == b->high;
}

bool offer(exploration *x, uint32_t t) {
  const machine *m = &x->valued->subject.machine;
  operation o = machine_next(m, x->states, t);
  for (uint32_t v = 1; v < x->valued->values; v++) {
    const operation other = machine_next(m, state_of(x, x->states, v), t);
    if (!is_same(&o, &other)) {
      x->left_out = true;
      return false;
    }
  }
  if (o.kind == OPERATION_WAITING) return true;
  if (o.kind == OPERATION_BRANCH) {
    o.low = point_of(x, t, &o);
    if (o.low == MOST_POINTS) x->left_out = true;
    if (x->left_out) return false;
  }
  unf_operation op = bridge_operation(&x->bridge, &o);
  unf_status s = unf_explorer_offer(x->explorer, x->bridge.threads[t], &op);
  return s == UNF_OK || failed(x, "unf_explorer_offer", s);
}

bool start(exploration *x, int64_t *states) {
  for (uint32_t v = 0; v < x->valued->values; v++) {
    valued_set(x->valued, v);
    if (!machine_start(&x->valued->subject.machine, state_of(x, states, v))) x->left_out = true;
  }
  valued_set(x->valued, 0);
  return !x->left_out;
}

bool perform_all(exploration *x, int64_t *states, const struct action *own) {
  for (uint32_t v = 0; v < x->valued->values; v++)
    if (!machine_perform(&x->valued->subject.machine, state_of(x, states, v), own))
      x->left_out = true;
  return !x->left_out;
}

/* ---- what a step changed ---- */

static int compare_rows(const int64_t *a, const int64_t *b, size_t words) {
  return memcmp(a, b, words * sizeof *a);
}

typedef struct replaying {
  exploration *x;
  bool good;
} replaying;

static bool replay_event(void *user, unf_event e) {
  replaying *in = user;
  unf_action a;
  struct action own;
  in->good = in->good && unf_event_action(in->x->bridge.unfolding, e, &a) == UNF_OK &&
             bridge_read(&in->x->bridge, &a, &own) && perform_all(in->x, in->x->scratch, &own);
  return in->good;
}

/* All states to which the causes of an event lead, each once. */
static bool tell_states(exploration *x, unf_event e, unf_fingerprint *condition) {
  size_t words = words_of(x), count = 0;
  const uint64_t values = condition_of(x, e);
  replaying in = {x, start(x, x->scratch)};
  unf_event_history(x->bridge.unfolding, e, replay_event, &in);
  int64_t *list = oracle_allocate((VALUES_MAX * words + 1) * sizeof *list);
  for (uint32_t v = 0; v < x->valued->values; v++)
    if ((values >> v & 1) != 0)
      valued_essence(x->valued, state_of(x, x->scratch, v), list + count++ * words);
  /* Insertion keeps them ascending, without those that are there. */
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    size_t at = 0;
    while (at < kept && compare_rows(list + at * words, list + i * words, words) < 0)
      at++;
    if (at < kept && compare_rows(list + at * words, list + i * words, words) == 0) continue;
    int64_t *row = oracle_allocate((words + 1) * sizeof *row);
    memcpy(row, list + i * words, words * sizeof *row);
    memmove(list + (at + 1) * words, list + at * words, (kept - at) * words * sizeof *row);
    memcpy(list + at * words, row, words * sizeof *row);
    free(row);
    kept++;
  }
  unf_fingerprint_toggle(UNF_HASH_FAST, condition, 0, list, kept * words * sizeof *list);
  free(list);
  return in.good;
}

/* The words that are not the same for some value, as lists of their values. */
static void tell_terms(exploration *x, unf_event e, unf_fingerprint *change,
                       unf_fingerprint *condition) {
  const machine *m = &x->valued->subject.machine;
  const uint64_t values = condition_of(x, e);
  const size_t first = m->base[SYMBOL_SEMAPHORE];
  for (size_t i = 0; i < m->words; i++) {
    int64_t from[VALUES_MAX] = {0}, to[VALUES_MAX] = {0};
    for (uint32_t v = 0; v < x->valued->values && !x->valued->subject.ignored[i]; v++) {
      from[v] = state_of(x, x->before, v)[i];
      to[v] = state_of(x, x->states, v)[i];
    }
    const bool counts = i >= first && i < first + m->program->counts[SYMBOL_SEMAPHORE];
    if (counts)
      unf_fingerprint_count(UNF_HASH_FAST, change, i, to[0] - from[0]);
    else if (memcmp(from, to, sizeof from) != 0)
      unf_fingerprint_replace(UNF_HASH_FAST, change, i, from, to, sizeof from);
  }
  unf_fingerprint_toggle(UNF_HASH_FAST, condition, UINT64_MAX, &values, sizeof values);
}

bool tell(exploration *x) {
  unf_fingerprint change = UNF_FINGERPRINT_INIT, condition = UNF_FINGERPRINT_INIT;
  const unf_event e = unf_explorer_last(x->explorer);
  if (x->telling == TELL_TERMS)
    tell_terms(x, e, &change, &condition);
  else if (!tell_states(x, e, &condition))
    return false;
  unf_status s = unf_explorer_changed_under(x->explorer, &change, &condition);
  return s == UNF_OK || failed(x, "unf_explorer_changed_under", s);
}

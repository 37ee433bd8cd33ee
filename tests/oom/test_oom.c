/*
 * Every allocation of a whole exploration is refused in turn: once, and for a while. The call that
 * failed is made again, and the exploration must perform the same executions in the same order as
 * without failures, end with the same counts, hold its invariants, and give every byte back. The
 * limit on bytes is met in small steps too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "script.h"

static bool after_refusal(void *user, unf_status status) {
  struct memory *m = user;
  if (status != UNF_MEMORY) m->wrong++;
  return status == UNF_MEMORY;
}

struct expected {
  unf_counts counts;
  uint32_t events;
  uint64_t sequence; /* of all executions in their order, as a number */
  uint64_t calls;    /* allocations up to the end of the exploration */
};

/* How it is explored. */
struct form {
  const char *text;
  bool fed, cutoffs, saves; /* by whole traces; with cutoffs; with every state saved */
  unf_order order;
  uint64_t collect, probes; /* 1: events are freed before every run */
  uint64_t max_preemptions; /* 0: no bound */
};
static const struct form forms[] = {
    {.text = ""},
    {.text = ", fed", .fed = true},
    {.text = ", with cutoffs", .cutoffs = true},
    {.text = ", freeing events", .collect = 1},
    {.text = ", with probes", .probes = 4},
    {.text = ", breadth-first", .order = UNF_ORDER_BREADTH_FIRST, .saves = true},
    {.text = ", at random", .order = UNF_ORDER_RANDOM, .saves = true, .max_preemptions = 1000},
    {.text = ", with cutoffs, deepest first",
     .order = UNF_ORDER_DEEPEST,
     .saves = true,
     .cutoffs = true},
    {.text = ", freeing events, deepest first",
     .order = UNF_ORDER_DEEPEST,
     .saves = true,
     .collect = 1},
    {.text = ", at random, with probes", .order = UNF_ORDER_RANDOM, .probes = 4},
    {.text = ", deepest first", .order = UNF_ORDER_DEEPEST},
    {.text = ", as chosen", .order = UNF_ORDER_CHOSEN},
};
enum { STEPPED, FED, CUT_OFF, COLLECTING, BREADTH_FIRST = 5, FORMS = sizeof forms / sizeof *forms };

/* Neither the first nor the last one. */
static uint64_t choose_leaf(void *user, const unf_leaf *leaves, uint64_t count) {
  (void)user;
  return leaves[count / 2].number % count;
}

struct listing {
  struct session *s;
  uint64_t sequence;
};

static bool list_step(void *user, unf_event event) {
  struct listing *l = user;
  unf_action a;
  if (unf_event_action(l->s->u, event, &a) != UNF_OK) return false;
  const uint64_t fields[] = {a.kind, a.thread, a.target, (uint64_t)a.value};
  for (unsigned i = 0; i < 4; i++)
    l->sequence = (l->sequence ^ fields[i]) * 0x100000001b3u + 1;
  return true;
}

static void list_run(struct session *s, const unf_verdict *verdict) {
  struct expected *out = s->finished_user;
  struct listing l = {s, out->sequence + verdict->redundant};
  unf_explorer_path(s->x, list_step, &l);
  out->sequence = l.sequence * 31 + 7;
}

static bool explore(struct memory *m, const struct script *script, unf_algorithm algorithm,
                    const struct form *form, struct expected *out) {
  struct session s = {
      .again = after_refusal, .user = m, .finished = list_run, .finished_user = out};
  unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
  unf_explorer_options explorer = UNF_EXPLORER_OPTIONS_INIT;
  options.allocator.reallocate = reallocate;
  options.allocator.user = m;
  explorer.algorithm = algorithm;
  if (form->cutoffs) explorer.cutoffs = UNF_CUTOFFS_ERV;
  explorer.collect = form->collect;
  explorer.collect_percent = 0;
  explorer.probes = form->probes;
  explorer.order = form->order;
  explorer.choose = choose_leaf;
  if (form->max_preemptions > 0) explorer.max_preemptions = form->max_preemptions;
  s.saves = form->saves;
  memset(out, 0, sizeof *out);
  unf_status status = session_open(&s, script, &options);
  if (status == UNF_OK) status = session_explorer(&s, &explorer);
  if (status == UNF_OK) status = form->fed ? session_explore_fed(&s) : session_explore(&s);
  if (status == UNF_OK) {
    unf_explorer_counts(s.x, &out->counts);
    out->events = unf_unfolding_events(s.u);
    out->calls = m->calls;
    m->fail_at = 0;
    status = unf_check_unfolding(s.u);
  }
  if (status != UNF_OK)
    printf("%s: %s\n", unf_status_text(status),
           s.context == NULL ? "" : unf_context_detail(s.context)->text);
  session_close(&s);
  return status == UNF_OK && m->bytes == 0 && m->wrong == 0;
}

static bool same(const struct expected *a, const struct expected *b) {
  return a->counts.traces == b->counts.traces && a->counts.complete == b->counts.complete &&
         a->counts.deadlocks == b->counts.deadlocks && a->counts.redundant == b->counts.redundant &&
         a->counts.events == b->counts.events && a->counts.executions == b->counts.executions &&
         a->counts.extensions == b->counts.extensions &&
         a->counts.collected == b->counts.collected && a->events == b->events &&
         a->sequence == b->sequence;
}

static bool each_refused(const struct script *script, unf_algorithm algorithm,
                         const struct form *form, uint64_t traces) {
  struct memory whole = {0};
  struct expected expected, seen;
  if (!explore(&whole, script, algorithm, form, &expected)) return false;
  if (traces > 0 && expected.counts.traces != traces) {
    printf("%llu traces\n", (unsigned long long)expected.counts.traces);
    return false;
  }
  static const uint64_t runs_of_refusals[] = {1, 2, 3};
  uint64_t stride = expected.calls / 250 + 1;
  for (unsigned i = 0; i < 3; i++)
    for (uint64_t n = 1; n <= expected.calls; n += stride) {
      struct memory m = {.fail_at = n, .refuse = runs_of_refusals[i]};
      if (!explore(&m, script, algorithm, form, &seen) || m.refused == 0 ||
          !same(&expected, &seen)) {
        printf("%s, algorithm %d%s: refusal %llu of %llu, for %llu: traces %llu of %llu, redundant "
               "%llu, events %llu of %llu, "
               "known %llu of %llu, bytes left %llu, wrong status %llu%s\n",
               script->name, (int)algorithm, form->text, (unsigned long long)n,
               (unsigned long long)expected.calls, (unsigned long long)m.refuse,
               (unsigned long long)seen.counts.traces, (unsigned long long)expected.counts.traces,
               (unsigned long long)seen.counts.redundant, (unsigned long long)seen.counts.events,
               (unsigned long long)expected.counts.events,
               (unsigned long long)seen.counts.extensions,
               (unsigned long long)expected.counts.extensions, (unsigned long long)m.bytes,
               (unsigned long long)m.wrong,
               seen.sequence != expected.sequence ? ", in another order" : "");
        return false;
      }
    }
  printf("%s, algorithm %d%s: %llu traces, %llu allocations, each %llu. refused in turn\n",
         script->name, (int)algorithm, form->text, (unsigned long long)expected.counts.traces,
         (unsigned long long)expected.calls, (unsigned long long)stride);
  return true;
}

static bool widen(void *user, unf_status status) {
  struct session *s = user;
  unf_limits limits = {0};
  if (status != UNF_LIMIT) return false;
  limits.bytes = unf_context_bytes(s->context) + 3000 + (uint64_t)s->reg[SCRIPT_THREADS - 1]++ * 16;
  return unf_context_set_limits(s->context, &limits) == UNF_OK;
}

/* The limit on bytes, a little wider each time. */
static bool little_room(const struct script *script, uint64_t traces) {
  struct session s = {.again = widen};
  unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
  unf_counts counts = {0};
  s.user = &s;
  options.limits.bytes = 2000;
  unf_status status = session_open(&s, script, &options);
  if (status == UNF_OK) status = session_explorer(&s, NULL);
  if (status == UNF_OK) status = session_explore(&s);
  if (status == UNF_OK) unf_explorer_counts(s.x, &counts);
  session_close(&s);
  printf("limit on bytes: %s, %llu traces\n", unf_status_text(status),
         (unsigned long long)counts.traces);
  return status == UNF_OK && counts.traces == traces;
}

static bool drop(void *user, const char *text, size_t size) {
  (void)text;
  *(uint64_t *)user += size;
  return true;
}

/* Too long for a buffer of fixed size. */
static size_t long_name(void *user, uint32_t handle, char *buffer, size_t size) {
  return (size_t)snprintf(buffer, size, "%0300u", handle + (uint32_t)(user != NULL));
}

static bool ignore(void *user, unf_event event) {
  (void)event;
  return ++*(uint64_t *)user > 0;
}

static void add_run(struct session *s, const unf_verdict *verdict) {
  unf_names names = UNF_NAMES_INIT;
  names.event = long_name;
  while (unf_tree_add_named(s->finished_user, s->x, verdict, &names) == UNF_MEMORY)
    continue;
}

/* Every other call that may ask for memory, one after the other; each is made again when
 * it was refused. */
#define AGAIN(call)                                                                                \
  do {                                                                                             \
    unf_status status_ = (call);                                                                   \
    if (status_ == UNF_MEMORY) status_ = (call);                                                   \
    if (status_ != UNF_OK) return status_;                                                         \
  } while (0)

/* The parts of optimal DPOR, on the execution that the explorer made last. */
struct parts {
  unf_event path[64];
  uint32_t count;
  unf_sleep_sets *sleep;
  unf_wakeup_trees *trees;
  unf_status status;
};

static bool keep(void *user, unf_event event) {
  struct parts *parts = user;
  parts->path[parts->count++] = event;
  return parts->count < 64;
}

static bool count_race(void *user, uint64_t first, uint64_t second) {
  *(uint64_t *)user += second - first;
  return true;
}

static bool count_node(void *user, unf_event event, uint32_t level) {
  *(uint64_t *)user += event + level;
  return true;
}

static unf_status insert(struct parts *parts, const unf_reversal *r) {
  bool explored;
  AGAIN(unf_sleep_initial(parts->sleep, r->position, r->sequence, r->count, &explored));
  if (!explored) AGAIN(unf_wakeup_insert(parts->trees, r->position, r->sequence, r->count, NULL));
  return UNF_OK;
}

static bool reversal(void *user, const unf_reversal *r) {
  struct parts *parts = user;
  parts->status = insert(parts, r);
  return parts->status == UNF_OK;
}

static unf_status use_parts(struct session *s, uint64_t *sum) {
  struct parts parts = {.count = 0};
  unf_event event = UNF_EVENT_NONE;
  unf_explorer_path(s->x, keep, &parts);
  AGAIN(unf_sleep_new(s->u, &parts.sleep));
  AGAIN(unf_wakeup_new(s->u, &parts.trees));
  AGAIN(unf_execution_races(s->u, parts.path, parts.count, count_race, sum));
  for (uint32_t i = 0; i < parts.count; i++) {
    AGAIN(unf_sleep_push(parts.sleep, parts.path[i]));
    AGAIN(unf_sleep_add(parts.sleep, parts.path[parts.count - 1]));
  }
  AGAIN(unf_execution_reversals(s->u, parts.path, parts.count, reversal, &parts));
  for (uint32_t i = 0; i < parts.count; i++)
    AGAIN(unf_wakeup_visit(parts.trees, i, count_node, sum));
  for (uint32_t i = parts.count; i-- > 0 && event == UNF_EVENT_NONE;)
    AGAIN(unf_wakeup_take(parts.trees, i, &event));
  unf_sleep_free(parts.sleep);
  unf_wakeup_free(parts.trees);
  return parts.status;
}

static unf_status use_all(struct session *s, unf_tree *tree, uint64_t *sum) {
  unf_configuration *c, *J;
  unf_schedule *schedule, *read;
  static const unf_names names = {.size = sizeof names, .thread = long_name, .object = long_name};
  uint64_t fingerprint[2];
  unf_switches few;
  unf_event last = unf_unfolding_events(s->u), D[2] = {last, last - 1};
  unf_event U[3] = {last - 2, last - 3, last - 4};
  bool found;
  static const char text[] =
      "unfold-schedule 1\nprogram p\n9.8.7 acq mutex 6.5 4\nchecksum b10b235ab1a0cbcf\n";
  AGAIN(unf_configuration_new(s->u, &c));
  AGAIN(unf_configuration_new(s->u, &J));
  AGAIN(unf_alternative_find(s->u, U, 3, c, D, 2, NULL, &found, J, NULL));
  AGAIN(unf_explorer_configuration(s->x, c));
  AGAIN(unf_configuration_assign(J, c));
  unf_configuration_clear(J);
  AGAIN(unf_configuration_add(J, last));
  AGAIN(unf_configuration_linearize(c, ignore, sum));
  AGAIN(unf_configuration_maximal(c, ignore, sum));
  AGAIN(unf_configuration_fewest_switches(c, 1000, ignore, sum, &few));
  AGAIN(unf_extensions_all(c, ignore, sum));
  AGAIN(unf_event_history(s->u, last, ignore, sum));
  AGAIN(unf_event_fingerprint(s->u, last, fingerprint));
  AGAIN(unf_event_set_cookie(s->u, last, 1));
  AGAIN(unf_dot_unfolding(s->u, drop, sum));
  AGAIN(unf_dot_configuration(c, drop, sum));
  AGAIN(unf_dot_unfolding_named(s->u, &names, drop, sum));
  AGAIN(unf_json_unfolding(s->u, drop, sum));
  AGAIN(unf_json_configuration(c, drop, sum));
  AGAIN(unf_dot_tree(tree, drop, sum));
  AGAIN(unf_schedule_new(s->u, "a program", &schedule));
  AGAIN(unf_schedule_append_run(schedule, s->x));
  AGAIN(unf_schedule_write(schedule, drop, sum));
  AGAIN(unf_schedule_read(s->u, text, sizeof text - 1, &read));
  AGAIN(unf_check_unfolding(s->u));
  AGAIN(unf_check_configuration(c));
  AGAIN(unf_check_explorer(s->x));
  unf_status parts = use_parts(s, sum);
  if (parts != UNF_OK) return parts;
  unf_schedule_free(read);
  unf_schedule_free(schedule);
  unf_configuration_free(c);
  unf_configuration_free(J);
  return UNF_OK;
}

/* Then the explorer still reports a path. */
static unf_status two_runs(struct session *s) {
  bool done;
  unf_status status = session_run(s, &done);
  return status == UNF_OK ? session_run(s, &done) : status;
}

static bool each_call_refused(const struct script *script) {
  uint64_t expected = 0;
  for (uint64_t n = 0;; n++) {
    struct memory m = {0};
    struct session s = {.again = after_refusal, .user = &m, .finished = add_run};
    unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
    unf_tree *tree = NULL;
    uint64_t sum = 0;
    options.allocator.reallocate = reallocate;
    options.allocator.user = &m;
    unf_status status = session_open(&s, script, &options);
    if (status == UNF_OK) status = session_explorer(&s, NULL);
    if (status == UNF_OK) status = unf_tree_new(s.u, &tree);
    s.finished_user = tree;
    if (status == UNF_OK) status = two_runs(&s);
    m.fail_at = n == 0 ? 0 : m.calls + n;
    m.refuse = 1;
    if (status == UNF_OK) status = use_all(&s, tree, &sum);
    if (status != UNF_OK)
      printf("call refused at %llu: %s\n", (unsigned long long)n,
             unf_context_detail(s.context)->text);
    unf_tree_free(tree);
    session_close(&s);
    if (status != UNF_OK || m.bytes != 0) return false;
    if (n == 0)
      expected = sum;
    else if (m.refused == 0) {
      printf("each of %llu allocations of the other calls refused in turn\n",
             (unsigned long long)n - 1);
      return true;
    }
    /* What was written or visited before a refusal is written or visited again. */
    if (sum < expected) return false;
  }
}

/* A comb search that goes back, each of its allocations refused. */
static bool search_refused(void) {
  for (uint64_t n = 0;; n++) {
    struct memory m = {0};
    unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
    unf_context *context;
    unf_unfolding *u;
    unf_configuration *C, *J;
    unf_event D[7], U[42];
    bool found = true;
    options.allocator.reallocate = reallocate;
    options.allocator.user = &m;
    if (unf_context_new(&options, &context) != UNF_OK ||
        unf_unfolding_new(context, NULL, &u) != UNF_OK || unf_configuration_new(u, &C) != UNF_OK ||
        unf_configuration_new(u, &J) != UNF_OK || pigeons_make(u, 7, 6, D, U) != UNF_OK)
      return false;
    m.fail_at = n == 0 ? 0 : m.calls + n;
    m.refuse = 1;
    unf_status status = unf_alternative_find(u, U, 42, C, D, 7, NULL, &found, J, NULL);
    if (status == UNF_MEMORY && m.refused == 1)
      status = unf_alternative_find(u, U, 42, C, D, 7, NULL, &found, J, NULL);
    unf_configuration_free(J);
    unf_configuration_free(C);
    unf_unfolding_free(u);
    unf_context_free(context);
    if (status != UNF_OK || found || m.bytes != 0) return false;
    if (n > 0 && m.refused == 0) {
      printf("each of %llu allocations of a comb search refused in turn\n",
             (unsigned long long)n - 1);
      return n > 5;
    }
  }
}

/* Two executions of two threads that touch some memory, each allocation of the detector refused. */
static unf_status touch(unf_races *races, unf_thread thread, uint64_t address, uint64_t size) {
  unf_access access = {thread, true, address, size, 1 + address % 5};
  unf_status status = unf_races_access(races, &access);
  return status == UNF_MEMORY ? unf_races_access(races, &access) : status;
}

static unf_status race(unf_races *races, const unf_thread *threads, const unf_event *events) {
  uint64_t resumed = 0;
  bool watched;
  for (uint64_t run = 0; run < 2; run++) {
    resumed = run;
    AGAIN(unf_races_begin(races, run, &resumed, &watched));
    for (uint64_t i = resumed; i < 4; i++) {
      AGAIN(unf_races_step(races, events[i]));
      for (uint64_t word = 0; word < 40; word++)
        AGAIN(touch(races, threads[i % 2], 8 * word + i, 4));
    }
    AGAIN(unf_races_forget(races, 3, 50));
    AGAIN(unf_races_forget(races, 0, 4000));
  }
  return UNF_OK;
}

static bool races_refused(void) {
  unf_races_counts expected = {0}, seen;
  for (uint64_t n = 0;; n++) {
    struct memory m = {0};
    unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
    unf_context *context;
    unf_unfolding *u;
    unf_configuration *c;
    unf_races *races;
    unf_thread threads[2];
    unf_object mutexes[2];
    unf_event events[4];
    options.allocator.reallocate = reallocate;
    options.allocator.user = &m;
    bool good = unf_context_new(&options, &context) == UNF_OK &&
                unf_unfolding_new(context, NULL, &u) == UNF_OK &&
                unf_configuration_new(u, &c) == UNF_OK;
    for (uint32_t i = 0; good && i < 2; i++)
      good = unf_thread_name(u, UNF_THREAD_NONE, i, &threads[i]) == UNF_OK &&
             unf_thread_start(u, threads[i]) == UNF_OK &&
             unf_object_name(u, UNF_MUTEX, UNF_THREAD_NONE, i, &mutexes[i]) == UNF_OK;
    for (uint32_t i = 0; good && i < 4; i++) {
      unf_action action = {i < 2 ? UNF_DID_ACQUIRE : UNF_DID_RELEASE, threads[i % 2],
                           mutexes[i % 2], 0, 0};
      good = unf_configuration_perform(c, &action, &events[i]) == UNF_OK;
    }
    if (!good) return false;
    m.fail_at = n == 0 ? 0 : m.calls + n;
    m.refuse = 1;
    unf_status status = unf_races_new(u, NULL, &races);
    if (status == UNF_MEMORY) status = unf_races_new(u, NULL, &races);
    if (status == UNF_OK) status = race(races, threads, events);
    if (status == UNF_OK) unf_races_counts_get(races, &seen);
    if (status == UNF_OK) unf_races_free(races);
    unf_configuration_free(c);
    unf_unfolding_free(u);
    unf_context_free(context);
    if (n == 0) expected = seen;
    if (status != UNF_OK || m.bytes != 0 || seen.races != expected.races || seen.races == 0) {
      printf("detector refused at %llu: %s\n", (unsigned long long)n, unf_status_text(status));
      return false;
    }
    if (n > 0 && m.refused == 0) {
      printf("each of %llu allocations of a race detector refused in turn\n",
             (unsigned long long)n - 1);
      return n > 5;
    }
  }
}

/* Every algorithm, and every order that it has. */
static bool in_all_orders(void) {
  struct script script;
  uint64_t seed = 3;
  bool good = true;
  for (unsigned i = 0; i < 3; i++) {
    if (i < 2)
      script_random(&script, &seed);
    else
      script_crossing(&script, true);
    for (int algorithm = 0; algorithm < UNF_RANDOM; algorithm++) {
      bool ordered = algorithm != UNF_ODPOR && algorithm != UNF_EAGER;
      if (algorithm == UNF_DFS && script.threads > 3) continue;
      for (int order = 0; order < (ordered ? UNF_ORDER_COUNT : 1); order++) {
        const struct form form = {.text = ", in one of the orders", .order = (unf_order)order};
        good = each_refused(&script, (unf_algorithm)algorithm, &form, 0) && good;
      }
    }
  }
  return good;
}

int main(void) {
  struct script script;
  uint64_t seed = 11;
  bool good = true;
  script_dispatcher(&script, 2, 2);
  for (int fed = 0; fed < 2; fed++)
    good = each_refused(&script, UNF_QPOR, &forms[fed], 32) && good;
  good = each_refused(&script, UNF_QPOR, &forms[CUT_OFF], 0) && good;
  for (int form = BREADTH_FIRST; form < FORMS; form++)
    good = each_refused(&script, UNF_QPOR, &forms[form], 0) && good;
  good = each_refused(&script, UNF_SDPOR, &forms[STEPPED], 32) && good;
  good = each_refused(&script, UNF_QPOR, &forms[COLLECTING], 32) && good;
  good = each_refused(&script, UNF_ODPOR, &forms[COLLECTING], 32) && good;
  good = little_room(&script, 32) && good;
  script_crossing(&script, false);
  good = each_refused(&script, UNF_DFS, &forms[STEPPED], 3) && good;
  script_crossing(&script, true);
  good = each_call_refused(&script) && good;
  good = search_refused() && good;
  good = races_refused() && good;
  for (int form = STEPPED; form <= CUT_OFF; form++)
    good = each_refused(&script, UNF_QPOR, &forms[form], 0) && good;
  script_choosing(&script);
  for (int form = STEPPED; form <= CUT_OFF; form++)
    good = each_refused(&script, UNF_QPOR, &forms[form], 0) && good;
  for (unsigned i = 0; i < 8; i++) {
    script_random(&script, &seed);
    good = each_refused(&script, UNF_QPOR, &forms[i % FORMS], 0) && good;
  }
  good = in_all_orders() && good;
  return good ? 0 : 1;
}

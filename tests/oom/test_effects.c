/*
 * Every allocation refused in turn while programs with all effects are explored: the call that is
 * refused is made again, the executions come in the same order as if nothing had been refused, and
 * in the end all counts are as if nothing had been refused, and all memory is freed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unfold/unfold.h>

enum { THREADS = 3, STEPS = 10, PROGRAMS = 7, BRANCHES = 5, VALUES = 3 };

struct memory {
  uint64_t calls, bytes;
  uint64_t fail_at, refuse; /* the first to refuse (from 1; 0: none), and how many */
  uint64_t refused;
};

static void *reallocate(void *user, void *block, size_t old_size, size_t new_size) {
  struct memory *m = user;
  m->calls += new_size > 0;
  if (new_size > 0 && m->fail_at > 0 && m->calls - m->fail_at < m->refuse) {
    m->refused++;
    return NULL;
  }
  m->bytes += new_size - old_size;
  if (new_size > 0) return realloc(block, new_size);
  free(block);
  return NULL;
}

static unf_context *context;
static unf_unfolding *u;
static unf_explorer *x;
static unf_thread thread[THREADS];
static unf_object mutex, condition, rwlock, semaphore, barrier, location, word, half, box, futex;
static uint32_t family;
static unf_channel channel;
static unf_mailbox mailbox;
static unf_future future;

/* Makes a call until nothing of it is refused any more. */
#define TRY(call)                                                                                  \
  do {                                                                                             \
    unf_status answer;                                                                             \
    do                                                                                             \
      answer = (call);                                                                             \
    while (answer == UNF_MEMORY);                                                                  \
    if (answer != UNF_OK) return answer;                                                           \
  } while (0)

static unf_status uses(void *user, const unf_action *action, unf_use_visitor visit, void *visitor) {
  (void)user;
  return visit(visitor, action->target, UNF_MODE_WRITE);
}

static bool count_event(void *user, unf_event event) {
  (void)event;
  ++*(uint64_t *)user;
  return true;
}

static unf_status outcomes(void *user, const unf_view *view, unf_thread who,
                           const unf_operation *operation, unf_action_visitor visit,
                           void *visitor) {
  uint64_t before = 0;
  (void)user;
  unf_status status = unf_view_history(view, operation->target, count_event, &before);
  unf_action action = {UNF_DID_CUSTOM, who, operation->target, operation->second, (int64_t)before};
  if (status == UNF_OK) visit(visitor, &action);
  return status;
}

static unf_status open_names(void) {
  uint32_t ready[3];
  static const unf_effect effect = {sizeof effect, "counter", NULL, uses,
                                    outcomes,      NULL,      NULL, NULL};
  TRY(unf_effect_register(u, &effect, &family));
  TRY(unf_object_name(u, UNF_MUTEX, UNF_THREAD_NONE, 0, &mutex));
  TRY(unf_object_name(u, UNF_CONDITION, UNF_THREAD_NONE, 0, &condition));
  TRY(unf_object_name(u, UNF_RWLOCK, UNF_THREAD_NONE, 0, &rwlock));
  TRY(unf_object_name(u, UNF_SEMAPHORE, UNF_THREAD_NONE, 0, &semaphore));
  TRY(unf_object_name(u, UNF_BARRIER, UNF_THREAD_NONE, 0, &barrier));
  TRY(unf_object_name(u, UNF_LOCATION, UNF_THREAD_NONE, 0, &location));
  TRY(unf_object_name(u, UNF_LOCATION, UNF_THREAD_NONE, 1, &word));
  TRY(unf_object_name(u, UNF_LOCATION, UNF_THREAD_NONE, 2, &half));
  TRY(unf_location_place(u, word, word, 0, 4));
  TRY(unf_location_place(u, half, word, 1, 2));
  TRY(unf_object_set_initial(u, word, 256));
  TRY(unf_object_set_maximum(u, semaphore, 1));
  TRY(unf_object_name(u, UNF_CUSTOM, UNF_THREAD_NONE, 0, &box));
  TRY(unf_object_name(u, UNF_FUTEX, UNF_THREAD_NONE, 0, &futex));
  for (uint32_t t = 0; t < THREADS; t++) {
    TRY(unf_thread_name(u, UNF_THREAD_NONE, t, &thread[t]));
    TRY(unf_thread_start(u, thread[t]));
  }
  TRY(unf_channel_register(u, &ready[0]));
  TRY(unf_mailbox_register(u, &ready[1]));
  TRY(unf_future_register(u, &ready[2]));
  TRY(unf_channel_name(u, ready[0], 1, 1, &channel));
  TRY(unf_mailbox_name(u, ready[1], thread[2], 0, &mailbox));
  TRY(unf_future_name(u, ready[2], 2, &future));
  return UNF_OK;
}

/* Some programs; the operation of a thread at a step, and whether its wait ended before: at a
 * condition variable by a time-out, at a futex because it did not begin. */
static unf_operation next(int program, uint32_t who, uint32_t step, bool ended) {
  const unf_operation end = UNF_OP_EXIT();
  const unf_operation code[PROGRAMS][THREADS][STEPS] = {
      {{UNF_OP_LOCK(mutex), UNF_OP_WAIT(condition, mutex), UNF_OP_TIMED_WAKE(condition, mutex),
        ended ? UNF_OP_LOCK(mutex) : UNF_OP_UNLOCK(mutex), ended ? UNF_OP_UNLOCK(mutex) : end, end},
       {UNF_OP_TRYLOCK(mutex), UNF_OP_SIGNAL(condition), end},
       {UNF_OP_BROADCAST(condition), end}},
      {{UNF_OP_RDLOCK(rwlock), UNF_OP_RWUNLOCK(rwlock), UNF_OP_POST(semaphore),
        UNF_OP_ARRIVE(barrier, 2), UNF_OP_PASS(barrier, 2), end},
       {UNF_OP_TRYWRLOCK(rwlock), UNF_OP_SEM_TRYWAIT(semaphore), UNF_OP_ARRIVE(barrier, 2),
        UNF_OP_PASS(barrier, 2), end},
       {UNF_OP_TRYRDLOCK(rwlock), UNF_OP_SEM_WAIT(semaphore), end}},
      {{UNF_OP_ADD(location, 1), UNF_OP_CAS(location, 1, 5), end},
       {UNF_OP_ADD(location, 1), UNF_OP_AWAIT(location, UNF_AT_LEAST, 2),
        unf_operation_custom(family, box, 0, 0), end},
       {UNF_OP_EXCHANGE_AWAIT(location, UNF_UNEQUAL, 0, 3), unf_operation_custom(family, box, 0, 0),
        end}},
      {{UNF_OP_STORE(half, 1), UNF_OP_ADD(half, 255), end},
       {UNF_OP_ADD(half, 2), UNF_OP_FETCH_OR(word, 1024), end},
       {UNF_OP_AWAIT(word, UNF_GREATER, 1), UNF_OP_ADD(word, 1), end}},
      {{UNF_OP_FUTEX_WAIT(futex, word, 256), ended ? end : UNF_OP_TIMED_FUTEX_RETURN(futex), end},
       {UNF_OP_FUTEX_WAIT(futex, word, 256), ended ? end : UNF_OP_FUTEX_RETURN(futex), end},
       {UNF_OP_FUTEX_WAKE(futex, 1), UNF_OP_STORE(half, 0), UNF_OP_FUTEX_WAKE(futex, 2), end}},
      {{UNF_OP_BRANCH(0, 2), UNF_OP_LOCK(mutex), UNF_OP_UNLOCK(mutex), end},
       {UNF_OP_BRANCH(1, 3), UNF_OP_STORE(location, 1), end},
       {UNF_OP_TRYLOCK(mutex), UNF_OP_BRANCH(2, 2), end}},
      {{unf_channel_send(channel, 1), unf_channel_close(channel), end},
       {unf_channel_receive(channel), unf_mailbox_send(mailbox, 1, 0), unf_future_set(future, 1),
        end},
       {unf_channel_try_send(channel, 3), unf_mailbox_try_receive(mailbox, UNF_MAILBOX_ANY),
        unf_future_get(future), end}},
  };
  return code[program][who][step];
}

/* One input, from 0 to 2: whether it is 0, which it is, whether it is above 1. */
static bool holds(void *user, uint64_t witness, unf_event event) {
  uint32_t input = (uint32_t)witness - 1;
  unf_literal literal;
  (void)user;
  if (unf_event_literal(u, event, &literal) != UNF_OK) return false;
  const uint32_t outcomes[] = {input == 0, input, input > 1};
  return literal.outcome == outcomes[literal.term];
}

static unf_answer consistent(void *user, const unf_event *events, uint64_t count, uint64_t known,
                             unf_event *core, uint64_t *core_count, uint64_t *witness) {
  (void)known, (void)core, (void)core_count;
  for (uint64_t value = 1; value <= VALUES; value++) {
    uint64_t i = 0;
    while (i < count && holds(user, value, events[i]))
      i++;
    if (i < count) continue;
    *witness = value;
    return UNF_ANSWER_YES;
  }
  return UNF_ANSWER_NO;
}

static unf_status one_run(int program) {
  uint32_t step[THREADS] = {0};
  bool ended[THREADS] = {false};
  unf_step chosen;
  for (uint32_t t = 0; t < THREADS; t++) {
    unf_operation operation = next(program, t, 0, false);
    TRY(unf_explorer_offer(x, thread[t], &operation));
  }
  for (;;) {
    TRY(unf_explorer_step(x, &chosen));
    if (chosen.kind != UNF_STEP_ACTION) break;
    uint32_t t = chosen.action.thread;
    TRY(unf_explorer_commit(x, NULL, 0));
    ended[t] = ended[t] || chosen.action.kind == UNF_DID_TIMEOUT ||
               chosen.action.kind == UNF_DID_FUTEX_AGAIN;
    unf_operation operation = next(program, t, ++step[t], ended[t]);
    TRY(unf_explorer_offer(x, thread[t], &operation));
  }
  return UNF_OK;
}

struct result {
  unf_counts counts;
  uint64_t extensions, calls;
  uint64_t sequence; /* of the steps of all executions, as a number */
};

static bool list_step(void *user, unf_event event) {
  uint64_t *sequence = user;
  unf_action a;
  if (unf_event_action(u, event, &a) != UNF_OK) return false;
  const uint64_t fields[] = {a.kind, a.thread, a.target, (uint64_t)a.value};
  for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++)
    *sequence = (*sequence ^ fields[i]) * 0x100000001b3u + 1;
  return true;
}

/* How it is explored. */
struct way {
  unf_algorithm algorithm;
  unf_order order;
};

static unf_status explore(struct memory *m, int program, struct way way, struct result *out) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  unf_run run;
  options.algorithm = way.algorithm;
  options.order = way.order;
  options.runs = 12;
  TRY(unf_unfolding_new(context, NULL, &u));
  unf_consistency consistency = UNF_CONSISTENCY_INIT;
  consistency.consistent = consistent;
  consistency.holds = holds;
  if (program == BRANCHES) TRY(unf_unfolding_set_consistency(u, &consistency));
  unf_status named = open_names();
  if (named != UNF_OK) return named;
  TRY(unf_explorer_new(u, &options, &x));
  for (;;) {
    unf_configuration *c;
    uint64_t extensions;
    TRY(unf_explorer_next(x, &run));
    if (run.finished) break;
    unf_status status = one_run(program);
    if (status != UNF_OK) return status;
    TRY(unf_explorer_finish(x, false, NULL));
    unf_explorer_path(x, list_step, &out->sequence);
    TRY(unf_configuration_new(u, &c));
    TRY(unf_explorer_configuration(x, c));
    /* What came before a refusal is reported again. */
    TRY((extensions = 0, unf_extensions_conflicting(c, count_event, &extensions)));
    TRY(unf_check_independence(c));
    unf_configuration_free(c);
    out->extensions += extensions;
  }
  unf_explorer_counts(x, &out->counts);
  out->calls = m->calls;
  m->fail_at = 0;
  TRY(unf_check_unfolding(u));
  return UNF_OK;
}

static bool attempt(uint64_t fail_at, uint64_t refuse, int program, struct way way,
                    struct result *out) {
  struct memory m = {.fail_at = fail_at, .refuse = refuse};
  unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
  options.allocator.reallocate = reallocate;
  options.allocator.user = &m;
  memset(out, 0, sizeof *out);
  u = NULL;
  x = NULL;
  while (unf_context_new(&options, &context) == UNF_MEMORY)
    continue;
  unf_status status = explore(&m, program, way, out);
  if (status != UNF_OK)
    printf("%s: %s\n", unf_status_text(status), unf_context_detail(context)->text);
  unf_explorer_free(x);
  unf_unfolding_free(u);
  unf_context_free(context);
  return status == UNF_OK && m.bytes == 0 && (fail_at == 0 || m.refused > 0);
}

static bool each_refused(int program, struct way way) {
  struct result whole, seen;
  if (!attempt(0, 0, program, way, &whole)) return false;
  uint64_t stride = whole.calls / 250 | 1;
  for (uint64_t n = 1; n <= whole.calls; n += stride) {
    bool good = attempt(n, n % 2 + 1, program, way, &seen) &&
                seen.counts.traces == whole.counts.traces &&
                seen.counts.redundant == whole.counts.redundant &&
                seen.counts.events == whole.counts.events && seen.extensions == whole.extensions &&
                seen.sequence == whole.sequence;
    if (good) continue;
    printf("program %d, algorithm %d, order %d, refusal %llu of %llu: traces %llu of %llu%s\n",
           program, (int)way.algorithm, (int)way.order, (unsigned long long)n,
           (unsigned long long)whole.calls, (unsigned long long)seen.counts.traces,
           (unsigned long long)whole.counts.traces,
           seen.sequence != whole.sequence ? ", in another order" : "");
    return false;
  }
  printf("program %d, algorithm %d, order %d: %llu traces, %llu allocations, each %llu. refused in "
         "turn\n",
         program, (int)way.algorithm, (int)way.order, (unsigned long long)whole.counts.traces,
         (unsigned long long)whole.calls, (unsigned long long)stride);
  return true;
}

int main(void) {
  static const struct way ways[] = {
      {UNF_QPOR, UNF_ORDER_DEPTH_FIRST},    {UNF_ODPOR, UNF_ORDER_DEPTH_FIRST},
      {UNF_EAGER, UNF_ORDER_DEPTH_FIRST},   {UNF_QPOR, UNF_ORDER_BREADTH_FIRST},
      {UNF_QPOR, UNF_ORDER_RANDOM},         {UNF_QPOR, UNF_ORDER_DEEPEST},
      {UNF_SDPOR, UNF_ORDER_BREADTH_FIRST}, {UNF_DFS, UNF_ORDER_DEEPEST},
      {UNF_RANDOM, UNF_ORDER_DEPTH_FIRST},  {UNF_PCT, UNF_ORDER_DEPTH_FIRST}};
  int passed = 0, failed = 0;
  for (int program = 0; program < PROGRAMS; program++)
    for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
      if (program == BRANCHES && ways[i].algorithm >= UNF_RANDOM) continue;
      bool good = each_refused(program, ways[i]);
      passed += good;
      failed += !good;
    }
  printf("%d passed, %d failed\n", passed, failed);
  return failed > 0;
}

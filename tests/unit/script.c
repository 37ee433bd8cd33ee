/* Scripts, their interpreter, and the two forms of the run protocol. */
#include "script.h"

#include <string.h>

/* What a call returned; UNF_BROKEN if it failed and the detail is not its own. Then the detail is
 * made that of another call. */
static unf_status told(struct session *s, unf_status status) {
  static const unf_limits wrong = {.seconds = -1};
  if (status == UNF_OK || s->context == NULL) return status;
  if (unf_context_detail(s->context)->status != status) return UNF_BROKEN;
  if (s->again != NULL) unf_context_set_limits(s->context, &wrong);
  return status;
}

/* Makes a call until it succeeds or the test gives up. */
#define TRY(s, call)                                                                               \
  do {                                                                                             \
    unf_status status_;                                                                            \
    do                                                                                             \
      status_ = told((s), (call));                                                                 \
    while (status_ != UNF_OK && (s)->again != NULL && (s)->again((s)->user, status_));             \
    if (status_ != UNF_OK) return status_;                                                         \
  } while (0)

struct instruction *script_add(struct script *script, unsigned thread, unf_operation_kind kind,
                               uint32_t target) {
  struct instruction *in = &script->code[thread][script->length[thread]++];
  in->kind = kind;
  in->target = target;
  return in;
}

static void critical(struct script *script, unsigned thread, uint32_t mutex) {
  script_add(script, thread, UNF_LOCK, mutex);
  script_add(script, thread, UNF_UNLOCK, mutex);
}

void script_dispatcher(struct script *script, unsigned servers, unsigned rounds) {
  memset(script, 0, sizeof *script);
  script->name = "dispatcher";
  script->mutexes = servers + 1;
  script->threads = 1 + servers + rounds;
  for (unsigned i = 0; i < servers; i++) {
    script_add(script, 0, UNF_CREATE, 1 + i);
    critical(script, 1 + i, i);
  }
  for (unsigned r = 0; r < rounds; r++) {
    unsigned picker = 1 + servers + r;
    script_add(script, 0, UNF_CREATE, picker);
    for (unsigned i = 0; i < servers; i++) {
      script_add(script, picker, UNF_LOCK, servers)->set = (int)i + 1;
      script_add(script, picker, UNF_UNLOCK, servers);
    }
    script_add(script, 0, UNF_LOCK, servers)->get = true;
    script_add(script, 0, UNF_UNLOCK, servers);
    script_add(script, 0, UNF_LOCK, 0)->by_register = true;
    script_add(script, 0, UNF_UNLOCK, 0)->by_register = true;
    script_add(script, 0, UNF_JOIN, picker);
  }
}

static void two_threads(struct script *script, const char *name) {
  memset(script, 0, sizeof *script);
  script->name = name;
  script->threads = 3;
  script->mutexes = 3;
  script_add(script, 0, UNF_CREATE, 1);
  script_add(script, 0, UNF_CREATE, 2);
}

void script_crossing(struct script *script, bool tries) {
  two_threads(script, tries ? "crossing with trylock" : "crossing");
  for (unsigned t = 1; t <= 2; t++) {
    script_add(script, t, UNF_LOCK, t - 1);
    script_add(script, t, tries && t == 1 ? UNF_TRYLOCK : UNF_LOCK, 2 - t);
    script_add(script, t, UNF_UNLOCK, 2 - t);
    script_add(script, t, UNF_UNLOCK, t - 1);
  }
  script_add(script, 0, UNF_JOIN, 1);
  script_add(script, 0, UNF_JOIN, 2);
}

void script_choosing(struct script *script) {
  two_threads(script, "choosing");
  for (unsigned t = 1; t <= 2; t++) {
    struct instruction *choice = script_add(script, t, UNF_LOCAL, 0);
    choice->high = 2;
    choice->get = true;
    script_add(script, t, UNF_LOCK, 0)->by_register = true;
    script_add(script, t, UNF_UNLOCK, 0)->by_register = true;
  }
}

void script_rivals(struct script *script) {
  two_threads(script, "rivals");
  script->threads = 4;
  for (unsigned t = 1; t <= 2; t++) {
    critical(script, t, 0);
    script_add(script, t, UNF_CREATE, 3);
  }
  critical(script, 3, 0);
}

void script_halting(struct script *script, unf_halt reason) {
  two_threads(script, "halting");
  script_add(script, 1, UNF_TRYLOCK, 0);
  script_add(script, 1, UNF_HALT, (uint32_t)reason);
  script_add(script, 2, UNF_LOCK, 0);
}

void script_random(struct script *script, uint64_t *seed) {
  memset(script, 0, sizeof *script);
  script->name = "random";
  script->threads = 2 + (unsigned)script_draw(seed, 3);
  script->mutexes = 2;
  for (unsigned t = 1; t < script->threads; t++)
    script_add(script, t == 3 ? 1 : 0, UNF_CREATE, t);
  for (unsigned t = 0; t < script->threads; t++) {
    for (uint64_t i = 1 + script_draw(seed, 2); i > 0; i--) {
      uint32_t mutex = (uint32_t)script_draw(seed, 2);
      uint64_t what = script_draw(seed, 8);
      if (what == 0) {
        script_add(script, t, UNF_LOCAL, 0)->high = 1;
      } else if (what == 1 && t + 1 < script->threads) {
        script_add(script, t, UNF_JOIN, t + 1);
      } else {
        script_add(script, t, what < 4 ? UNF_TRYLOCK : UNF_LOCK, mutex);
        script_add(script, t, UNF_UNLOCK, mutex);
      }
    }
  }
}

/* Of one pigeon, beginning from ⊥. */
static unf_status pigeon(unf_configuration *c, unf_thread thread, int64_t hole,
                         const unf_object *mutex, unf_event *out) {
  unf_action choose = {UNF_DID_LOCAL, thread, 0, 0, hole};
  unf_configuration_clear(c);
  unf_status status = unf_configuration_perform(c, &choose, out);
  if (status != UNF_OK || mutex == NULL) return status;
  unf_action acquire = {UNF_DID_ACQUIRE, thread, *mutex, 0, 0};
  return unf_configuration_perform(c, &acquire, out);
}

unf_status pigeons_make(unf_unfolding *u, unsigned pigeons, unsigned holes, unf_event *D,
                        unf_event *U) {
  unf_configuration *c;
  unf_thread thread;
  unf_object mutex;
  unf_status status = unf_configuration_new(u, &c);
  if (status != UNF_OK) return status;
  for (unsigned i = 0; status == UNF_OK && i < pigeons; i++) {
    status = unf_thread_name(u, UNF_THREAD_NONE, i, &thread);
    if (status == UNF_OK) status = unf_thread_start(u, thread);
  }
  for (unsigned i = 0; status == UNF_OK && i < pigeons; i++) {
    status = unf_thread_name(u, UNF_THREAD_NONE, i, &thread);
    for (unsigned h = 0; status == UNF_OK && h < holes; h++) {
      status = unf_object_name(u, UNF_MUTEX, UNF_THREAD_NONE, h, &mutex);
      if (status == UNF_OK) status = pigeon(c, thread, (int64_t)h, &mutex, &U[i * holes + h]);
    }
    if (status == UNF_OK) status = pigeon(c, thread, -1, NULL, &D[i]);
  }
  unf_configuration_free(c);
  return status;
}

unf_status session_open(struct session *s, const struct script *script,
                        const unf_context_options *options) {
  s->script = script;
  TRY(s, unf_context_new(options, &s->context));
  TRY(s, unf_unfolding_new(s->context, NULL, &s->u));
  for (unsigned t = 0; t < script->threads; t++)
    TRY(s, unf_thread_name(s->u, UNF_THREAD_NONE, t, &s->threads[t]));
  for (unsigned m = 0; m < script->mutexes; m++)
    TRY(s, unf_object_name(s->u, UNF_MUTEX, UNF_THREAD_NONE, m, &s->mutexes[m]));
  TRY(s, unf_thread_start(s->u, s->threads[0]));
  return UNF_OK;
}

unf_status session_explorer(struct session *s, const unf_explorer_options *options) {
  TRY(s, unf_explorer_new(s->u, options, &s->x));
  return UNF_OK;
}

void session_close(struct session *s) {
  unf_explorer_free(s->x);
  unf_unfolding_free(s->u);
  unf_context_free(s->context);
  s->x = NULL;
  s->u = NULL;
  s->context = NULL;
}

void session_reset(struct session *s) {
  memset(s->pc, 0, sizeof s->pc);
  memset(s->reg, 0, sizeof s->reg);
  s->shared = 0;
}

unf_operation session_next(const struct session *s, unsigned thread) {
  if (s->pc[thread] >= s->script->length[thread]) return UNF_OP_EXIT();
  const struct instruction *in = &s->script->code[thread][s->pc[thread]];
  uint32_t target = in->target;
  if (in->kind == UNF_LOCK || in->kind == UNF_TRYLOCK || in->kind == UNF_UNLOCK)
    target = s->mutexes[target + (in->by_register ? (uint32_t)s->reg[thread] : 0)];
  else if (in->kind == UNF_CREATE || in->kind == UNF_JOIN)
    target = s->threads[target];
  return unf_operation_make(in->kind, target, in->low, in->high);
}

unsigned session_number(const struct session *s, unf_thread thread) {
  unsigned t = 0;
  while (s->threads[t] != thread)
    t++;
  return t;
}

void session_did(struct session *s, const unf_action *action) {
  unsigned t = session_number(s, action->thread);
  const struct instruction *in = &s->script->code[t][s->pc[t]++];
  if (action->kind == UNF_DID_TRYFAIL) s->pc[t]++;
  if (in->get) s->reg[t] = in->kind == UNF_LOCAL ? action->value : s->shared;
  if (in->set > 0) s->shared = in->set - 1;
}

static unf_status offer(struct session *s, unsigned thread) {
  unf_operation operation = session_next(s, thread);
  TRY(s, unf_explorer_offer(s->x, s->threads[thread], &operation));
  return UNF_OK;
}

void session_change(const struct session *s, const struct session *before,
                    unf_fingerprint *change) {
  for (unsigned t = 0; t < s->script->threads; t++) {
    unf_fingerprint_replace(UNF_HASH_FAST, change, t, &before->pc[t], &s->pc[t], sizeof s->pc[t]);
    unf_fingerprint_replace(UNF_HASH_FAST, change, SCRIPT_THREADS + t, &before->reg[t], &s->reg[t],
                            sizeof s->reg[t]);
  }
  unf_fingerprint_replace(UNF_HASH_FAST, change, 2 * SCRIPT_THREADS, &before->shared, &s->shared,
                          sizeof s->shared);
}

unf_status session_run(struct session *s, bool *done) {
  unf_run run;
  unf_step step;
  unf_verdict verdict;
  TRY(s, unf_explorer_next(s->x, &run));
  *done = run.finished;
  if (run.finished) return UNF_OK;
  session_reset(s);
  unf_status status = offer(s, 0);
  for (;;) {
    if (status != UNF_OK) return status;
    if (s->saves && !run.probe) TRY(s, unf_explorer_save(s->x, s->runs));
    TRY(s, unf_explorer_step(s->x, &step));
    if (step.kind != UNF_STEP_ACTION) break;
    struct session before = *s;
    session_did(s, &step.action);
    TRY(s, unf_explorer_commit(s->x, &step.action, step.number));
    if (unf_explorer_cutoffs(s->x) != NULL) {
      unf_fingerprint change = UNF_FINGERPRINT_INIT;
      session_change(s, &before, &change);
      TRY(s, unf_explorer_changed(s->x, &change));
    }
    status = offer(s, session_number(s, step.action.thread));
    if (status == UNF_OK && step.action.kind == UNF_DID_CREATE)
      status = offer(s, session_number(s, step.action.target));
  }
  TRY(s, unf_explorer_finish(s->x, false, &verdict));
  s->runs += !run.probe;
  if (s->finished != NULL && !run.probe) s->finished(s, &verdict);
  if (s->probed != NULL && run.probe) s->probed(s, &verdict);
  return UNF_OK;
}

unf_status session_explore(struct session *s) {
  bool done = false;
  unf_status status = UNF_OK;
  while (status == UNF_OK && !done)
    status = session_run(s, &done);
  return status;
}

/* An execution elsewhere: the prefix, then at each point the first action that is possible. */
struct tracing {
  struct session *s;
  unf_traced trace[SCRIPT_THREADS * SCRIPT_LENGTH];
  unsigned count;
  bool started[SCRIPT_THREADS];
};

static bool trace_action(void *user, const unf_action *action) {
  struct tracing *tr = user;
  unsigned t = session_number(tr->s, action->thread);
  unf_traced *traced = &tr->trace[tr->count++];
  traced->action = *action;
  traced->operation = session_next(tr->s, t);
  traced->cookie = tr->count;
  if (action->kind == UNF_DID_CREATE) tr->started[session_number(tr->s, action->target)] = true;
  session_did(tr->s, action);
  return true;
}

static bool first_of(void *user, const unf_action *action) {
  *(unf_action *)user = *action;
  return false;
}

/* Goes on from the prefix in a configuration of its own, which knows what is possible. */
static unf_status go_on(struct tracing *tr, unf_configuration *c) {
  struct session *s = tr->s;
  for (unsigned i = 0;; i++) {
    for (unsigned t = 0; i >= tr->count && t < s->script->threads; t++) {
      unf_operation operation = session_next(s, t);
      if (tr->started[t]) TRY(s, unf_configuration_offer(c, s->threads[t], &operation));
    }
    if (i >= tr->count) {
      unf_action action = {UNF_ACTION_COUNT, 0, 0, 0, 0};
      TRY(s, unf_configuration_actions(c, first_of, &action));
      if (action.kind == UNF_ACTION_COUNT) return UNF_OK;
      trace_action(tr, &action);
    }
    const unf_traced *traced = &tr->trace[i];
    TRY(s, unf_configuration_offer(c, traced->action.thread, &traced->operation));
    TRY(s, unf_configuration_perform(c, &traced->action, NULL));
  }
}

unf_status session_explore_fed(struct session *s) {
  for (;;) {
    struct tracing tr = {.s = s};
    unf_pending pending[SCRIPT_THREADS];
    unf_configuration *c;
    unf_run run;
    unf_verdict verdict;
    unsigned count = 0;
    session_reset(s);
    tr.started[0] = true;
    TRY(s, unf_explorer_prefix(s->x, trace_action, &tr, &run));
    if (run.finished) return UNF_OK;
    TRY(s, unf_configuration_new(s->u, &c));
    unf_status status = go_on(&tr, c);
    unf_configuration_free(c);
    if (status != UNF_OK) return status;
    for (unsigned t = 0; t < s->script->threads; t++)
      if (tr.started[t]) pending[count++] = (unf_pending){s->threads[t], session_next(s, t)};
    TRY(s, unf_explorer_feed(s->x, tr.trace, tr.count, pending, count, false, &verdict));
    s->runs++;
    if (s->finished != NULL) s->finished(s, &verdict);
  }
}

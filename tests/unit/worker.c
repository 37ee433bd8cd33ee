/* Workers and ledgers, each in a context of its own. */
#include "worker.h"

static const unf_explorer_options plain = UNF_EXPLORER_OPTIONS_INIT;

bool take(void *user, void *to, size_t size, size_t *got) {
  struct bytes *bytes = user;
  size_t left = bytes->size - bytes->at;
  *got = size < left ? size : left;
  memcpy(to, bytes->text + bytes->at, *got);
  bytes->at += *got;
  return !bytes->broken;
}

/* ---- programs: rows of operations ---- */

unf_object worker_name(struct worker *w, unf_object_class class, uint64_t key) {
  unf_object object;
  ok(unf_object_name(w->u, class, UNF_THREAD_NONE, key, &object));
  return object;
}

static void add(struct worker *w, unsigned thread, unf_operation operation) {
  w->code[thread][w->length[thread]++] = operation;
}

void locks(struct worker *w) {
  unf_object m = worker_name(w, UNF_MUTEX, 0), n = worker_name(w, UNF_MUTEX, 1);
  w->created = true;
  add(w, 0, UNF_OP_CREATE(w->thread[2]));
  add(w, 0, UNF_OP_LOCK(m));
  add(w, 0, UNF_OP_UNLOCK(m));
  add(w, 0, UNF_OP_JOIN(w->thread[2]));
  for (unsigned t = 1; t < WORKER_THREADS; t++) {
    add(w, t, UNF_OP_LOCK(t == 1 ? m : n));
    add(w, t, t == 1 ? UNF_OP_TRYLOCK(n) : UNF_OP_LOCK(m));
  }
}

void waiting(struct worker *w) {
  unf_object m = worker_name(w, UNF_MUTEX, 0), c = worker_name(w, UNF_CONDITION, 7);
  for (unsigned t = 0; t < 2; t++) {
    add(w, t, UNF_OP_LOCK(m));
    add(w, t, UNF_OP_WAIT(c, m));
    add(w, t, UNF_OP_WAKE(c, m));
    add(w, t, UNF_OP_UNLOCK(m));
  }
  add(w, 2, UNF_OP_BROADCAST(c));
  add(w, 2, UNF_OP_SIGNAL(c));
}

void words(struct worker *w) {
  unf_object space = worker_name(w, UNF_LOCATION, 0), word = worker_name(w, UNF_LOCATION, 1);
  unf_object half = worker_name(w, UNF_LOCATION, 2), s = worker_name(w, UNF_SEMAPHORE, 3);
  ok(unf_location_place(w->u, word, space, 16, 4));
  ok(unf_location_place(w->u, half, space, 18, 2));
  ok(unf_object_set_initial(w->u, word, 0x70001));
  ok(unf_object_set_maximum(w->u, s, 3));
  ok(unf_object_set_initial(w->u, s, 1));
  add(w, 0, UNF_OP_STORE(word, -5));
  add(w, 0, UNF_OP_LOCAL(-1, 1));
  add(w, 1, UNF_OP_LOAD(half));
  add(w, 1, UNF_OP_SEM_WAIT(s));
  add(w, 2, UNF_OP_FETCH_ADD(half, 3));
  add(w, 2, UNF_OP_SEM_WAIT(s));
  add(w, 2, UNF_OP_POST(s));
}

const program programs[] = {locks, waiting, words};

void open_names(struct worker *w, program code, const unf_context_options *options) {
  memset(w, 0, sizeof *w);
  ok(unf_context_new(options, &w->context));
  ok(unf_unfolding_new(w->context, NULL, &w->u));
  for (uint32_t t = 0; t < WORKER_THREADS; t++)
    ok(unf_thread_name(w->u, UNF_THREAD_NONE, t, &w->thread[t]));
  code(w);
  for (uint32_t t = 0; t < WORKER_THREADS; t++)
    if (t != 2 || !w->created) ok(unf_thread_start(w->u, w->thread[t]));
}

void open_worker(struct worker *w, program code, const unf_context_options *options) {
  unf_explorer_options odpor = plain;
  odpor.algorithm = UNF_ODPOR;
  open_names(w, code, options);
  ok(unf_explorer_new(w->u, &odpor, &w->x));
}

void close_worker(struct worker *w) {
  unf_explorer_free(w->x);
  unf_unfolding_free(w->u);
  unf_context_free(w->context);
}

static unf_status offer(struct worker *w, unsigned t) {
  unf_operation end = UNF_OP_EXIT();
  TRY(unf_explorer_offer(w->x, w->thread[t],
                         w->pc[t] < w->length[t] ? &w->code[t][w->pc[t]] : &end));
  return UNF_OK;
}

unf_status run(struct worker *w, bool *finished) {
  unf_run run;
  unf_step step;
  TRY(unf_explorer_next(w->x, &run));
  *finished = run.finished;
  if (run.finished) return UNF_OK;
  memset(w->pc, 0, sizeof w->pc);
  for (unsigned t = 0; t < WORKER_THREADS; t++)
    if (t != 2 || !w->created) TRY(offer(w, t));
  for (;;) {
    TRY(unf_explorer_step(w->x, &step));
    if (step.kind != UNF_STEP_ACTION) break;
    TRY(unf_explorer_commit(w->x, NULL, 0));
    unsigned t = 0;
    while (t < WORKER_THREADS && w->thread[t] != step.action.thread)
      t++;
    if (t == WORKER_THREADS) return UNF_DIVERGENCE;
    w->pc[t]++;
    TRY(offer(w, t));
    if (step.action.kind == UNF_DID_CREATE) TRY(offer(w, 2));
  }
  TRY(unf_explorer_finish(w->x, false, NULL));
  w->runs++;
  return UNF_OK;
}

/* ---- ledgers ---- */

void open_office(struct office *o, const unf_context_options *options) {
  ok(unf_context_new(options, &o->context));
  ok(unf_unfolding_new(o->context, NULL, &o->u));
  o->ledger = NULL;
}

void close_office(struct office *o) {
  unf_ledger_free(o->ledger);
  unf_unfolding_free(o->u);
  unf_context_free(o->context);
}

unf_ledger_state look(const struct office *o) {
  unf_ledger_state state = UNF_LEDGER_STATE_INIT;
  ok(unf_ledger_look(o->ledger, &state));
  return state;
}

struct collected give(struct office *o, uint64_t *item) {
  struct collected text = {0};
  ok(unf_ledger_give(o->ledger, collect, &text, item));
  return text;
}

unf_status begin(struct worker *w, const struct collected *text) {
  struct bytes bytes = {text->text, text->size, 0, false};
  unf_status status = unf_explorer_begin_item(w->x, take, &bytes);
  if (status == UNF_OK) assert_int_equal(bytes.at, bytes.size);
  return status;
}

void hand_over(struct office *o, struct worker *w) {
  struct collected text = give(o, &w->item);
  assert_true(w->item != 0);
  ok(begin(w, &text));
  free(text.text);
}

struct collected report(struct worker *w, bool split, unf_report *told) {
  struct collected text = {0};
  *told = (unf_report)UNF_REPORT_INIT;
  ok(unf_explorer_report(w->x, split, collect, &text, told));
  return text;
}

unf_status deliver(struct office *o, uint64_t item, const struct collected *text) {
  struct bytes bytes = {text->text, text->size, 0, false};
  return unf_ledger_report(o->ledger, item, take, &bytes);
}

unf_report send(struct office *o, struct worker *w, bool split) {
  unf_report told;
  struct collected text = report(w, split, &told);
  ok(deliver(o, w->item, &text));
  free(text.text);
  if (told.finished) w->item = 0;
  return told;
}

/* Families, interpreter, and an exploration loop that returns to the deepest shared step by copying
 * a state back. */
#include "programs.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void emit(struct program *p, unsigned thread, enum code code, unsigned target,
                 int32_t value) {
  if (p->length[thread] == p->room[thread]) {
    p->room[thread] = p->room[thread] * 2 + 8;
    p->code[thread] = realloc(p->code[thread], p->room[thread] * sizeof **p->code);
    if (p->code[thread] == NULL) abort();
  }
  struct instruction in = {(uint8_t)code, (uint16_t)target, value};
  p->code[thread][p->length[thread]++] = in;
}

static void critical(struct program *p, unsigned thread, unsigned mutex) {
  emit(p, thread, CODE_LOCK, mutex, 0);
  emit(p, thread, CODE_UNLOCK, mutex, 0);
}

static void store(struct program *p, unsigned thread, unsigned mutex, int32_t value) {
  emit(p, thread, CODE_LOCK, mutex, 0);
  emit(p, thread, CODE_SET, 0, value);
  emit(p, thread, CODE_UNLOCK, mutex, 0);
}

/* lock; register = shared; unlock; crit(base + register) */
static void follow(struct program *p, unsigned thread, unsigned mutex, unsigned base) {
  emit(p, thread, CODE_LOCK, mutex, 0);
  emit(p, thread, CODE_GET, 0, 0);
  emit(p, thread, CODE_UNLOCK, mutex, 0);
  emit(p, thread, CODE_LOCK_REGISTER, base, 0);
  emit(p, thread, CODE_UNLOCK_REGISTER, base, 0);
}

static unsigned add_thread(struct program *p) {
  return p->threads++;
}

static void start(struct program *p, unsigned thread, unsigned child) {
  emit(p, thread, CODE_CREATE, child, 0);
}

static void dispatcher(struct program *p, unsigned servers, unsigned rounds) {
  p->mutexes = servers + 1;
  unsigned k = servers;
  for (unsigned i = 0; i < servers; i++) {
    unsigned server = add_thread(p);
    start(p, 0, server);
    critical(p, server, i);
  }
  for (unsigned r = 0; r < rounds; r++) {
    unsigned picker = add_thread(p);
    start(p, 0, picker);
    for (unsigned x = 0; x < servers; x++)
      store(p, picker, k, (int32_t)x);
    follow(p, 0, k, 0);
    emit(p, 0, CODE_JOIN, picker, 0);
  }
}

static void mpat(struct program *p, unsigned n) {
  p->mutexes = n + 1;
  for (unsigned i = 0; i < n; i++) {
    unsigned writer = add_thread(p), reader = add_thread(p);
    start(p, 0, writer);
    start(p, 0, reader);
    critical(p, writer, i);
    emit(p, reader, CODE_LOCK, n, 0);
    critical(p, reader, i);
    emit(p, reader, CODE_UNLOCK, n, 0);
  }
}

static void mpc(struct program *p, unsigned producers, unsigned workers) {
  p->mutexes = workers + 1;
  for (unsigned i = 0; i < workers; i++) {
    unsigned worker = add_thread(p);
    start(p, 0, worker);
    critical(p, worker, i);
    critical(p, worker, i);
  }
  for (unsigned i = 0; i < producers; i++) {
    unsigned producer = add_thread(p);
    p->id[producer] = (int32_t)i;
    start(p, 0, producer);
    for (int twice = 0; twice < 2; twice++) {
      emit(p, producer, CODE_LOCK, workers, 0);
      emit(p, producer, CODE_APPEND, 0, (int32_t)producers);
      emit(p, producer, CODE_GET, 0, 0);
      emit(p, producer, CODE_UNLOCK, workers, 0);
    }
    emit(p, producer, CODE_LOCK_REGISTER, 0, (int32_t)workers);
    emit(p, producer, CODE_UNLOCK_REGISTER, 0, (int32_t)workers);
  }
}

static void pi(struct program *p, unsigned n) {
  p->mutexes = 1;
  for (unsigned i = 0; i < n; i++) {
    unsigned thread = add_thread(p);
    start(p, 0, thread);
    critical(p, thread, 0);
  }
  for (unsigned i = 1; i <= n; i++)
    emit(p, 0, CODE_JOIN, i, 0);
}

static void tiny(struct program *p, unsigned n, unsigned rounds) {
  p->mutexes = 1;
  for (unsigned i = 0; i < n; i++) {
    unsigned thread = add_thread(p);
    start(p, 0, thread);
    for (unsigned r = 0; r < rounds; r++)
      critical(p, thread, 0);
  }
  for (unsigned i = 1; i <= n; i++)
    emit(p, 0, CODE_JOIN, i, 0);
}

static void pol(struct program *p, unsigned n, unsigned k) {
  p->mutexes = n + 1;
  for (unsigned i = 0; i < n; i++) {
    unsigned worker = add_thread(p);
    start(p, 0, worker);
    critical(p, worker, i);
  }
  for (unsigned r = 0; r < k; r++) {
    unsigned choice = add_thread(p), reader = add_thread(p);
    start(p, 0, choice);
    start(p, 0, reader);
    for (unsigned x = 1; x < n; x++)
      store(p, choice, n, (int32_t)x);
    follow(p, reader, n, 0);
    emit(p, 0, CODE_JOIN, choice, 0);
    emit(p, 0, CODE_JOIN, reader, 0);
  }
  for (unsigned i = 1; i <= n; i++)
    emit(p, 0, CODE_JOIN, i, 0);
}

bool program_make(struct program *p, const char *family, int a, int b) {
  memset(p, 0, sizeof *p);
  p->threads = 1;
  unsigned x = (unsigned)a, y = (unsigned)b;
  if (strcmp(family, "disp") == 0)
    dispatcher(p, x, y);
  else if (strcmp(family, "mpat") == 0)
    mpat(p, x);
  else if (strcmp(family, "mpc") == 0)
    mpc(p, x, y);
  else if (strcmp(family, "pi") == 0)
    pi(p, x);
  else if (strcmp(family, "tiny") == 0)
    tiny(p, x, y);
  else if (strcmp(family, "pol") == 0)
    pol(p, x, y);
  else
    return false;
  for (unsigned t = 0; t < p->threads; t++)
    emit(p, t, CODE_EXIT, 0, 0);
  return true;
}

void program_free(struct program *p) {
  for (unsigned t = 0; t < p->threads; t++)
    free(p->code[t]);
}

unf_status program_bind(const struct program *p, unf_unfolding *u, struct binding *b) {
  b->program = p;
  b->unfolding = u;
  b->restarts = false;
  unf_status status = unf_thread_name(u, UNF_THREAD_NONE, 0, &b->threads[0]);
  for (unsigned t = 1; status == UNF_OK && t < p->threads; t++)
    status = unf_thread_name(u, b->threads[0], t - 1, &b->threads[t]);
  for (unsigned m = 0; status == UNF_OK && m < p->mutexes; m++)
    status = unf_object_name(u, UNF_MUTEX, UNF_THREAD_NONE, m, &b->mutexes[m]);
  return status == UNF_OK ? unf_thread_start(u, b->threads[0]) : status;
}

/* Runs the silent instructions of a thread from one on up to its next operation. */
static void settle(const struct program *p, struct state *s, unsigned t, uint16_t pc) {
  for (;; pc++) {
    const struct instruction *in = &p->code[t][pc];
    if (in->code == CODE_SET)
      s->shared[in->target] = (uint32_t)in->value;
    else if (in->code == CODE_GET)
      s->threads[t].reg = s->shared[in->target];
    else if (in->code == CODE_APPEND)
      s->shared[in->target] = s->shared[in->target] * (uint32_t)in->value + (uint32_t)p->id[t];
    else
      break;
  }
  s->threads[t].pc = pc;
}

static unf_operation operation_of(const struct binding *b, const struct state *s, unsigned t) {
  const struct thread_state *thread = &s->threads[t];
  const struct instruction *in = &b->program->code[t][thread->pc];
  uint32_t index = in->target;
  if (in->code == CODE_LOCK_REGISTER || in->code == CODE_UNLOCK_REGISTER)
    index += in->value > 0 ? thread->reg % (uint32_t)in->value : thread->reg;
  switch (in->code) {
  case CODE_LOCK:
  case CODE_LOCK_REGISTER:
    return UNF_OP_LOCK(b->mutexes[index]);
  case CODE_UNLOCK:
  case CODE_UNLOCK_REGISTER:
    return UNF_OP_UNLOCK(b->mutexes[index]);
  case CODE_CREATE:
    return UNF_OP_CREATE(b->threads[index]);
  case CODE_JOIN:
    return UNF_OP_JOIN(b->threads[index]);
  default:
    return UNF_OP_EXIT();
  }
}

static unf_status offer(struct binding *b, unf_explorer *x, const struct state *s, unsigned t) {
  unf_operation operation = operation_of(b, s, t);
  return unf_explorer_offer(x, b->threads[t], &operation);
}

static void replace(unf_fingerprint *change, uint64_t location, uint32_t from, uint32_t to) {
  if (from != to) unf_fingerprint_replace(UNF_HASH_FAST, change, location, &from, &to, sizeof from);
}

/* Who holds a mutex follows from where the threads are and what they have in their registers. */
static unf_status tell_change(struct binding *b, unf_explorer *x, const struct state *from,
                              const struct state *to) {
  unf_fingerprint change = UNF_FINGERPRINT_INIT;
  for (unsigned t = 0; t < b->program->threads; t++) {
    replace(&change, t, from->threads[t].pc, to->threads[t].pc);
    replace(&change, MAX_THREADS + t, from->threads[t].reg, to->threads[t].reg);
  }
  for (unsigned i = 0; i < MAX_SHARED; i++)
    replace(&change, 2 * MAX_THREADS + i, from->shared[i], to->shared[i]);
  return unf_explorer_changed(x, &change);
}

/* One run; states[i] is the program after i steps. */
static unf_status run(struct binding *b, unf_explorer *x, struct state **states, uint64_t *room,
                      uint64_t at) {
  unf_step step;
  unf_status status = UNF_OK;
  const size_t size =
      offsetof(struct state, threads) + b->program->threads * sizeof(struct thread_state);
  if (at == 0) {
    settle(b->program, &(*states)[0], 0, 0);
    status = offer(b, x, &(*states)[0], 0);
  }
  while (status == UNF_OK) {
    status = unf_explorer_step(x, &step);
    if (status != UNF_OK || step.kind != UNF_STEP_ACTION) break;
    if (at + 1 >= *room) {
      *room = *room * 2 + 64;
      *states = realloc(*states, *room * sizeof **states);
      if (*states == NULL) abort();
    }
    const struct state *from = &(*states)[at++];
    struct state *s = &(*states)[at];
    memcpy(s, from, size);
    /* Threads are named in the order of their numbers. */
    unsigned t = step.action.thread;
    settle(b->program, s, t, (uint16_t)(from->threads[t].pc + 1));
    status = unf_explorer_commit(x, NULL, 0);
    if (status == UNF_OK) status = offer(b, x, s, t);
    if (status == UNF_OK && step.action.kind == UNF_DID_CREATE) {
      settle(b->program, s, step.action.target, 0);
      status = offer(b, x, s, step.action.target);
    }
    if (status == UNF_OK && unf_explorer_cutoffs(x) != NULL) status = tell_change(b, x, from, s);
  }
  return status == UNF_OK ? unf_explorer_finish(x, false, NULL) : status;
}

unf_status program_once(struct binding *b, unf_explorer *x) {
  uint64_t room = 64;
  struct state *states = calloc(room, sizeof *states);
  if (states == NULL) abort();
  unf_status status = run(b, x, &states, &room, 0);
  free(states);
  return status;
}

unf_status program_explore(struct binding *b, const unf_explorer_options *options,
                           unf_counts *counts) {
  unf_explorer *x;
  unf_status status = unf_explorer_new(b->unfolding, options, &x);
  if (status != UNF_OK) return status;
  uint64_t room = 64;
  struct state *states = calloc(room, sizeof *states);
  if (states == NULL) abort();
  for (;;) {
    unf_run next;
    status = unf_explorer_next(x, &next);
    if (status != UNF_OK || next.finished) break;
    uint64_t kept = b->restarts ? 0 : next.shared;
    if (kept > 0) status = unf_explorer_resume(x, kept);
    if (status == UNF_OK) status = run(b, x, &states, &room, kept);
    if (status != UNF_OK) break;
  }
  unf_explorer_counts(x, counts);
  free(states);
  unf_explorer_free(x);
  return status;
}

unf_status program_estimate(struct binding *b, uint64_t seed, uint64_t probes, unf_estimate *out) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  unf_explorer *x;
  options.probes = probes * probes;
  options.seed = seed;
  unf_status status = unf_explorer_new(b->unfolding, &options, &x);
  if (status != UNF_OK) return status;
  uint64_t room = 64;
  struct state *states = calloc(room, sizeof *states);
  if (states == NULL) abort();
  unf_counts counts = {0};
  while (status == UNF_OK && counts.probes < probes) {
    unf_run next;
    status = unf_explorer_next(x, &next);
    if (status == UNF_OK && next.finished) break;
    if (status == UNF_OK) status = run(b, x, &states, &room, 0);
    unf_explorer_counts(x, &counts);
  }
  unf_explorer_estimate(x, out);
  out->left += (double)counts.traces;
  free(states);
  unf_explorer_free(x);
  return status;
}

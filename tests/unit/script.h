/*
 * Small programs for tests: rows of operations, one shared variable that is used under locks only,
 * one register for each thread. The explorer is driven in steps, each run from the start, or by
 * whole traces. A call that fails is made again as long as the test says so.
 */
#ifndef UNIT_SCRIPT_H
#define UNIT_SCRIPT_H

#include <unfold/unfold.h>

#define SCRIPT_THREADS 12
#define SCRIPT_LENGTH  24
#define SCRIPT_MUTEXES 8

struct instruction {
  unf_operation_kind kind; /* after a TRYLOCK that failed, the next instruction is left out */
  uint32_t target;         /* number of a thread or mutex, or the reason of a halt */
  int64_t low, high;
  bool by_register; /* the mutex is target + register */
  bool get;         /* then register = shared variable, or the value chosen */
  int set;          /* then, if not 0, shared variable = set - 1 */
};

struct script {
  const char *name;
  unsigned threads, mutexes;
  unsigned length[SCRIPT_THREADS];
  struct instruction code[SCRIPT_THREADS][SCRIPT_LENGTH]; /* an EXIT stands after the last one */
};

/* A script under exploration. */
struct session {
  const struct script *script;
  unf_context *context;
  unf_unfolding *u;
  unf_explorer *x;
  unf_thread threads[SCRIPT_THREADS];
  unf_object mutexes[SCRIPT_MUTEXES];
  unsigned pc[SCRIPT_THREADS];
  int64_t reg[SCRIPT_THREADS];
  int64_t shared;
  /* Asked after a call that failed; true: make it again. NULL: never. */
  bool (*again)(void *user, unf_status status);
  void *user;
  /* Called after each finished run, if not NULL. */
  void (*finished)(struct session *s, const unf_verdict *verdict);
  void *finished_user;
  /* Called after each probe, if not NULL. */
  void (*probed)(struct session *s, const unf_verdict *verdict);
  void *probed_user;
  uint64_t runs;
  bool saves; /* names every state to the explorer */
};

struct instruction *script_add(struct script *script, unsigned thread, unf_operation_kind kind,
                               uint32_t target);

/* The dispatcher of families.md with a servers and b rounds. */
void script_dispatcher(struct script *script, unsigned servers, unsigned rounds);
/* Thread 0 creates two that lock mutexes 0 and 1 in opposite orders; one of them by
 * trylock when `tries`. */
void script_crossing(struct script *script, bool tries);
/* Two threads that choose one of three values and then lock the mutex of that number. */
void script_choosing(struct script *script);
/* Threads 1 and 2 both create thread 3, which locks mutex 0, as they do; one of them
 * blocks for ever. */
void script_rivals(struct script *script);
/* Thread 1 halts for the reason when it gets mutex 0 by trylock; thread 2 locks it for ever. */
void script_halting(struct script *script, unf_halt reason);
/* Some program of 2 to 4 threads and 2 mutexes, from a seed. */
void script_random(struct script *script, uint64_t *seed);

/*
 * Pigeons and holes: thread i chooses a hole and takes its mutex (pigeons * holes events in U), or
 * it chooses none (D[i]). An alternative to D puts every pigeon into a hole of its own.
 */
unf_status pigeons_make(unf_unfolding *u, unsigned pigeons, unsigned holes, unf_event *D,
                        unf_event *U);

/* Context (options may be NULL), unfolding, names. The script's threads are named,
 * thread 0 starts. */
unf_status session_open(struct session *s, const struct script *script,
                        const unf_context_options *options);
void session_close(struct session *s);
/* Makes the explorer. */
unf_status session_explorer(struct session *s, const unf_explorer_options *options);
/* Explores to the end, in steps or by whole traces. */
unf_status session_explore(struct session *s);
unf_status session_explore_fed(struct session *s);
/* One run; *done: there was none. */
unf_status session_run(struct session *s, bool *done);

/* The interpreter alone. */
void session_reset(struct session *s);
unf_operation session_next(const struct session *s, unsigned thread);
void session_did(struct session *s, const unf_action *action);
unsigned session_number(const struct session *s, unf_thread thread);
/* What changed since `before`: where each thread is with which register, and the shared variable.
 * The locks follow from that. */
void session_change(const struct session *s, const struct session *before, unf_fingerprint *change);

static inline uint64_t script_draw(uint64_t *seed, uint64_t below) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (*seed >> 33) % below;
}

#endif

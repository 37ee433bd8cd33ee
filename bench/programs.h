/*
 * The families of the quasi-optimal paper as tiny straight-line programs, with an interpreter that
 * costs next to nothing, so that exploration times are those of the algorithm. One register a
 * thread; shared variables are used under locks only.
 */
#ifndef BENCH_PROGRAMS_H
#define BENCH_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/unfold.h>

enum code {
  CODE_LOCK,
  CODE_UNLOCK,
  CODE_LOCK_REGISTER,
  CODE_UNLOCK_REGISTER,
  CODE_CREATE,
  CODE_JOIN,
  CODE_EXIT,
  /* silent: */ CODE_SET,
  CODE_GET,
  CODE_APPEND
};

struct instruction {
  uint8_t code;
  uint16_t target; /* mutex, thread, shared variable; base mutex for the register forms */
  /* SET: the value; LOCK_REGISTER: the modulus; APPEND: shared = shared * value + thread's id. */
  int32_t value;
};

#define MAX_THREADS 64
#define MAX_SHARED  2

struct program {
  struct instruction *code[MAX_THREADS];
  unsigned length[MAX_THREADS], room[MAX_THREADS];
  int32_t id[MAX_THREADS];
  unsigned threads, mutexes;
};

struct thread_state {
  uint32_t reg;
  uint16_t pc;
};
/* Only the threads that the program has are copied. */
struct state {
  uint32_t shared[MAX_SHARED];
  struct thread_state threads[MAX_THREADS];
};

/* "disp", "mpat", "mpc", "pi", "pol", "tiny" with its parameters (the second is ignored where there
 * is one); false: no such family. */
bool program_make(struct program *program, const char *family, int a, int b);
void program_free(struct program *program);

/* The explorer's side of a program: handles by number. */
struct binding {
  const struct program *program;
  unf_unfolding *unfolding;
  unf_thread threads[MAX_THREADS];
  unf_object mutexes[MAX_THREADS];
  bool restarts; /* every execution from its beginning */
};

unf_status program_bind(const struct program *program, unf_unfolding *unfolding,
                        struct binding *binding);

/* Explores to the end. seconds (may be NULL): time in the library's and this
 * program's code together. */
unf_status program_explore(struct binding *binding, const unf_explorer_options *options,
                           unf_counts *counts);

/* Performs the execution that was begun, from its beginning. */
unf_status program_once(struct binding *binding, unf_explorer *explorer);

/* The estimate of all traces after one execution and so many probes. */
unf_status program_estimate(struct binding *binding, uint64_t seed, uint64_t probes,
                            unf_estimate *out);

#endif

/* Workers and ledgers for tests: programs that are rows of operations, and letters that are kept as
 * text. */
#ifndef UNIT_WORKER_H
#define UNIT_WORKER_H

#include "fixture.h"

enum { WORKER_THREADS = 3, WORKER_LENGTH = 8, WORKER_PROGRAMS = 3 };

/* Bytes that are read by take(). */
struct bytes {
  const char *text;
  size_t size, at;
  bool broken;
};

bool take(void *user, void *to, size_t size, size_t *got);

struct worker {
  unf_context *context;
  unf_unfolding *u;
  unf_explorer *x;
  unf_thread thread[WORKER_THREADS];
  unf_operation code[WORKER_THREADS][WORKER_LENGTH]; /* EXIT stands behind the last one */
  unsigned length[WORKER_THREADS];
  bool created; /* the last thread is, by the first */
  unsigned pc[WORKER_THREADS];
  uint64_t item, runs;
};

typedef void (*program)(struct worker *w);

/* Two threads lock two mutexes in opposite orders, one of them by trylock; a third one is created.
 */
void locks(struct worker *w);
/* Two threads wait, a third one wakes both. */
void waiting(struct worker *w);
/* A word and a half of it, which begin with values; choices; a semaphore with a maximum. */
void words(struct worker *w);
extern const program programs[WORKER_PROGRAMS];

unf_object worker_name(struct worker *w, unf_object_class class, uint64_t key);
/* Without an explorer; options may be NULL. */
void open_names(struct worker *w, program code, const unf_context_options *options);
/* With one for optimal DPOR. */
void open_worker(struct worker *w, program code, const unf_context_options *options);
void close_worker(struct worker *w);

/* Makes a call until no memory is refused to it. */
#define TRY(call)                                                                                  \
  do {                                                                                             \
    unf_status status_;                                                                            \
    do                                                                                             \
      status_ = (call);                                                                            \
    while (status_ == UNF_MEMORY);                                                                 \
    if (status_ != UNF_OK) return status_;                                                         \
  } while (0)

/* One execution; *finished: there was none. */
unf_status run(struct worker *w, bool *finished);

struct office {
  unf_context *context;
  unf_unfolding *u;
  unf_ledger *ledger;
};

/* Without a ledger. */
void open_office(struct office *o, const unf_context_options *options);
void close_office(struct office *o);
unf_ledger_state look(const struct office *o);

/* An item as it is written; the caller frees the text. */
struct collected give(struct office *o, uint64_t *item);
unf_status begin(struct worker *w, const struct collected *text);
struct collected report(struct worker *w, bool split, unf_report *told);
unf_status deliver(struct office *o, uint64_t item, const struct collected *text);
/* An item, and a report, that arrive at once. */
void hand_over(struct office *o, struct worker *w);
unf_report send(struct office *o, struct worker *w, bool split);

#endif

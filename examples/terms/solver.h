/*
 * Whether terms can be true together. The solver is a process of its own, which can crash, run out
 * of memory or be killed: then that query is not decided, and the next one starts it again.
 *
 * Over its pipes go messages of 64-bit words in the order of this machine, each behind the number
 * of its bytes in four. A question: the number of new terms, SOLVER_TERM_WORDS for each of them
 * (operator, three arguments, value, low, high; numbered from 1 on as they come); the number of
 * inputs; the limit of steps, 0 for none; whether a core is wanted; then the terms that are to be
 * true. An answer: an enum solver_answer, then each input of these terms and its value, or the
 * indices of a core. So a question costs what its terms are, beside those that are new.
 */
#ifndef TERMS_SOLVER_H
#define TERMS_SOLVER_H

#include <sys/types.h>

#include "terms.h"

enum solver_answer { SOLVER_NO, SOLVER_YES, SOLVER_UNKNOWN };

enum { SOLVER_TERM_WORDS = 7, SOLVER_BYTES_MAX = 1 << 30 };

struct solver_counts {
  uint64_t queries, yes, no, unknown;
  uint64_t facts; /* that were to be true, of all queries together */
  uint64_t lost;  /* how often the process ended; these queries are among the unknown */
};

struct solver {
  const char *program;
  uint64_t steps;            /* limit of a query, 0: none */
  uint64_t memory;           /* of the process, in bytes, 0: no limit */
  bool (*stops)(void *user); /* whether to wait no longer */
  void *user;
  pid_t pid; /* 0: it does not run */
  int to, from;
  term sent; /* terms below are known to the process */
  int64_t *message;
  size_t room;  /* in words */
  bool refused; /* there was no memory for a message */
  struct solver_counts counts;
};

/* Starts the process and asks it something. False: it cannot be used, or there was no memory. */
bool solver_open(struct solver *solver);
void solver_close(struct solver *solver);
/* The next question is about other terms, with a new process. */
void solver_forget(struct solver *solver);
/* In a process that was forked: the solver's is the other one's, and this one has its own. */
void solver_leave(struct solver *solver);

/*
 * Asks about terms. YES: values has, by number, those of the inputs that are in the terms. NO, with
 * core not NULL: that has, in the order of the terms, the indices of some that exclude each other,
 * *core_count of them.
 */
enum solver_answer solver_ask(struct solver *solver, const struct terms *terms, const term *list,
                              uint32_t count, uint32_t inputs, int64_t *values, uint32_t *core,
                              uint32_t *core_count);

#endif

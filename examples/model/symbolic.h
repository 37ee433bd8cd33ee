/*
 * Programs with inputs whose values are not known. A value is a number or a term over inputs
 * (terms.h); the second half of a state has for each word the term that it is, or TERM_NONE. Silent
 * code is run by an interpreter of its own (symbolic.c), which stops the thread where what it does
 * next depends on the inputs: it then stands at a branch, an event with one outcome for each way to
 * go on.
 */
#ifndef MODEL_SYMBOLIC_H
#define MODEL_SYMBOLIC_H

#include "branches.h"
#include "index.h"

struct machine;
struct problem;
struct intent;

/* X(NAME, "what happened"). The texts of an index are made where the array is known. */
#define ERROR_TABLE(X)                                                                             \
  X(OVERFLOW, "signed overflow")                                                                   \
  X(DIVISION, "division by zero")                                                                  \
  X(SHIFT, "a shift by less than 0 or more than 63")                                               \
  X(INDEX, "an index is out of range")                                                             \
  X(CHOICE, "choose with a lower bound above the upper one")                                       \
  X(WAKE, "futex_wake of fewer than 0 threads")                                                    \
  X(DIVERGES, "100000 statements and loop tests without an operation")

enum error {
#define ERROR_ENUM(name, text) ERROR_##name,
  ERROR_TABLE(ERROR_ENUM)
#undef ERROR_ENUM
      ERRORS
};

const char *error_text(enum error error);

/*
 * Places of shared ints whose accesses overlap another thread's for no inputs, as far as is known,
 * though nothing orders the two. What is read in between is a term in which the other thread's
 * write stands or not, by who came first, so that it is no function of what the reader did before.
 * Where that has made a thread do something else after the same history, threads perform a branch
 * at the places known by then, whether and to which element the access is made, and the exploration
 * begins again.
 */
struct apart {
  struct index places; /* by line and column: a number */
  uint32_t count, decided;
};

/* Adds a place. False: no memory. */
bool apart_note(struct apart *apart, uint64_t place);
/* From now on there are branches at all of them. False: so there were. */
bool apart_decide(struct apart *apart);

struct symbolic {
  struct terms *terms;
  struct branches *branches; /* at which threads stand */
  uint64_t max_branches;     /* of a thread */
  uint64_t max_values;       /* of an index or a bound */
  bool keep_implied;         /* what follows from the history of a thread is a branch, too */
  /* What is a branch, and its outcomes, follow from the terms alone and not from what the thread
   * did: with cutoffs, where the same must follow on states that were come to in several ways. */
  bool by_terms;
  struct apart *apart; /* NULL: none is known */
  /* Whether a fact is possible beside what follows from the causes of the thread's last event. */
  possible_function *possible;
  /* Names what is known of the inputs there. */
  uint32_t (*history)(void *user);
  /* A thread comes to stand at a branch. False: no memory, or it cannot be named. */
  bool (*stands)(void *user, uint32_t branch);
  void *user;
  bool refused;       /* there was no memory */
  bool over_values;   /* a thread was stopped by max_values */
  bool over_branches; /* by max_branches */
  /* Accesses to shared ints. Each is a branch of one outcome:
   * the fact that it is made, as its value the place, as its position the history. */
  struct branches accesses;
  /* While a statement is evaluated: */
  struct outcomes errors;   /* what can be wrong, in the order of evaluation */
  struct outcomes outcomes; /* of the branch that is looked at */
};

/* Marks the lines of places that are numbers of symbolic.accesses. */
#define LINE_OF_ACCESS UINT32_C(0x80000000)

/* Without limits; the terms and branches are the caller's. */
void symbolic_make(struct symbolic *symbolic, struct terms *terms, struct branches *branches);
void symbolic_free(struct symbolic *symbolic);

/* Words of a thread behind its registers: whether the result of an operation is to be used, and
 * which that is; whether the errors of the statement were looked at; which of its indices and
 * bounds, and of its accesses at places apart, have a value, as bits; the branch that it stands at;
 * how many it came to; the values. More accesses of a statement have none.
 */
enum {
  RESUMES,
  RESULT,
  CHECKED,
  RESOLVED,
  BRANCH,
  BRANCHES,
  FIRST_VALUE,
  FIRST_ACCESS = 2, /* among the values */
  VALUE_COUNT = 18,
  SYMBOLIC_WORDS = FIRST_VALUE + VALUE_COUNT
};

/* A thread stands at a branch, and goes on with this outcome. */
void symbolic_perform(const struct machine *m, int64_t *state, uint32_t thread, int64_t outcome);
/* Performs an operation on an atomic that can hold a term, and returns the result as a number; if
 * it is a term, that is the one of the thread's operand then. */
int64_t symbolic_access(const struct machine *m, int64_t *state, uint32_t thread,
                        const struct intent *in);

#endif

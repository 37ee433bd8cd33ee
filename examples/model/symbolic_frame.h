/* What the interpreter of programs with inputs works on: symbolic.c has what stops a thread,
 * symbolic_run.c the instructions. Functions that return a bool say whether the thread goes on; if
 * not, it stands at a branch, was stopped, or there was no memory. */
#ifndef MODEL_SYMBOLIC_FRAME_H
#define MODEL_SYMBOLIC_FRAME_H

#include "compile.h"
#include "machine.h"

/* A number, or a term, if that is not TERM_NONE; the number is 0 then. */
struct value {
  int64_t number;
  term term;
};

/* The right side of an && or ||, whose left side is a term. */
struct guard {
  term left, condition; /* the condition with those of the guards around it */
  uint32_t closes;      /* the instruction that makes one value of both sides */
  bool or ;
};

struct range_of_values {
  int64_t low, high;
};

struct frame {
  const struct machine *m;
  struct symbolic *s;
  int64_t *state, *words; /* of the thread */
  uint32_t thread;
  uint32_t extra; /* where in the words those of SYMBOLIC_WORDS begin */
  uint32_t start; /* of the statement */
  struct value *stack;
  uint32_t height;
  struct guard *guards;
  uint32_t guard_count;
  unsigned accesses; /* of the statement: the next one at a place apart, among the values */
};

/* Elements that an index can name, none if high is below low, and the condition of all of this. */
struct elements {
  int64_t low, high;
  uint32_t first; /* the one with the lowest index of the symbol */
  term index, guard;
};
/* Instead of an element. */
#define NO_ACCESS INT64_MIN

/* A word of the state. */
struct value frame_get(const struct frame *f, size_t word);
void frame_put(const struct frame *f, size_t word, struct value value);
term frame_term(struct frame *f, struct value value);
struct value frame_value(const struct frame *f, term a);

/* The instruction at hand goes wrong if this is true, and the place is evaluated. */
bool frame_wrong(struct frame *f, term wrong, enum error error);
/* The statement is evaluated: what was found wrong in it decides. */
bool frame_check(struct frame *f);
/* Whether a value is true; or stands at a branch of that phase. */
bool frame_test(struct frame *f, struct value value, enum phase phase, bool *truth);
/* The number that an index or a bound is, in a range. */
bool frame_resolve(struct frame *f, struct value value, unsigned slot, struct range_of_values range,
                   int64_t *number);
/* The one element to which an access is made, or none, if its place is apart. */
bool frame_decide_access(struct frame *f, struct place place, struct elements *e);
/* The thread is stopped; for an error at an instruction. Always false. */
bool frame_stop(struct frame *f, enum stop why);
bool frame_fail(struct frame *f, uint32_t position, enum error error);

#endif

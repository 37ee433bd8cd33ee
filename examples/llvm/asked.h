/*
 * Inputs of one execution: those that its threads asked for, in order, and values that were given
 * for some (--input, or a schedule). An input that was given is a constant, so that nothing depends
 * on it. A schedule and a test name an input by its thread, whose inputs stand in their order.
 */
#ifndef LLVM_ASKED_H
#define LLVM_ASKED_H

#include <jansson.h>

#include "array.h"
#include "knowledge.h"

struct asked_input {
  unf_thread thread;
  term term;
  const char *name; /* of a given one; NULL: the term is an input, which has one */
  /* For those who tell the execution: the last event of the thread before it, where it was asked
   * for, and by which __VERIFIER_nondet_…; NULL: its bytes were in memory. */
  unf_event after;
  uint64_t place;
  const char *type;
};

/* A value that was given: for every input of a name, or for the next one of a thread. */
struct given_input {
  char *name;
  bool of_thread, used;
  int64_t value;
};

struct asked {
  struct array_pool *pool;
  struct array items; /* of the execution */
  char **names;       /* of given ones, in all executions */
  size_t name_count, name_room;
  struct given_input *given;
  size_t given_count, given_room;
  bool all_given; /* an input without a value is 0 */
};

/* Reads NAME=VALUE,… and adds the values. False: *wrong is where the text is wrong, or NULL if
 * there is no memory. */
bool asked_give(struct asked *asked, const char *text, const char **wrong);
/* A name that was given and that no execution asked for; NULL: there is none. */
const char *asked_unused(const struct asked *asked);
/* A new execution begins; one at these items goes on. */
void asked_begin(struct asked *asked);
void asked_go_on(struct asked *asked, const struct array *items);
/* Items of an execution. */
extern const struct array_kind asked_kind;
const struct asked_input *asked_item(const struct asked *asked, uint64_t index);
void asked_free(struct asked *asked);

enum asked_answer { ASKED_ITSELF, ASKED_GIVEN, ASKED_TOO_LARGE };
/* A thread asks for its n-th input, of so many bits and this name: whether a value was given, that
 * its width has, and which. */
enum asked_answer asked_look(struct asked *asked, const unf_unfolding *unfolding, unf_thread thread,
                             uint32_t number, unsigned width, const char *name, int64_t *value);
/* Keeps an input that a thread got, and returns its item. The name is copied, or NULL. NULL: no
 * memory. */
struct asked_input *asked_keep(struct asked *asked, unf_thread thread, term input,
                               const char *name);

/* The value of an input where a set of facts is true. 1: it is known; 0: it is not; -1: no memory.
 */
int asked_value(const struct asked_input *item, struct knowledge *knowledge, uint32_t set,
                int64_t *value);

/* Values of the inputs that were asked for where a set of facts is true: an object by name; null if
 * none are known; NULL: no memory. */
json_t *asked_values(const struct asked *asked, struct knowledge *knowledge, uint32_t set);
/* These values by thread, as asked_give() reads them, to be freed; "" if none are known. NULL: no
 * memory.
 */
char *asked_text(const struct asked *asked, struct knowledge *knowledge, uint32_t set);

#endif

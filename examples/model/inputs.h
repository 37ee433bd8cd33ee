/*
 * The inputs of a program under exploration: what the interpreter and the library ask about them is
 * answered from what is known (knowledge.h), and what is found is said with values of them.
 */
#ifndef MODEL_INPUTS_H
#define MODEL_INPUTS_H

#include "condition.h"
#include "knowledge.h"
#include "symbolic.h"

struct session;

struct inputs {
  bool made; /* the program has inputs with more than one value, and the rest is in use */
  bool open; /* and they are not known: it is no replay */
  struct session *session;
  struct symbolic symbolic;
  struct knowledge knowledge;
  struct conditions conditions; /* with cutoffs */
  char *solver_program;
  struct apart apart;
  bool undecided;  /* what is a branch depended on a question that was not decided */
  bool by_terms;   /* what is one follows from the terms alone */
  bool again;      /* more is apart than was known, or so: the exploration begins again */
  json_t *asked;   /* with several processes: what the solvers of all were asked */
  unf_event cause; /* after which the silent code of the current step runs */
  bool has_history;
  uint32_t history; /* set: what is known at the cause */
};

/* Reads --input. False: it is wrong, which was said. */
bool inputs_fix(struct session *session, const char *text);
/* Whether there is an input with more than one value. */
bool inputs_unknown(const struct session *session);
/* Starts the solver and looks at what the program does with its inputs, if there are some that are
 * not known. CLI_CLEAN, or another status when what is wrong was said. */
int inputs_open(struct session *session);
/* Gives the unfolding the predicate of consistency. */
unf_status inputs_attach(struct session *session);
void inputs_close(struct inputs *inputs);
uint64_t inputs_bytes(const struct inputs *inputs);
/* Silent code runs now after this event. */
void inputs_cause(struct inputs *inputs, unf_event event);
/* Whether there was no memory. */
bool inputs_refused(const struct inputs *inputs);

/* Values of the inputs for the run of an explorer: an object, null if none are known, or NULL:
 * there are no unknown inputs, or no memory. */
json_t *inputs_of_run(struct session *session, const unf_explorer *explorer);
/* What the inputs of that run satisfy, a text for each fact; NULL: no memory. */
json_t *inputs_constraint(struct session *session, const unf_explorer *explorer);
/* The text of --input for an object of values; to be freed. NULL: no memory. */
char *inputs_text(const json_t *values);
/* Whether the accesses of a race can both be made in the run of an explorer, as far as it depends
 * on inputs, and then values of them for which it is so, or null; without one NULL, as where all
 * inputs are known. The places in the race become those in the text. */
bool inputs_race(struct session *session, unf_race *race, const unf_explorer *explorer,
                 json_t **values);
/* Statistics of the solver. */
json_t *inputs_statistics(const struct session *session);

/* ---- with several processes ---- */

/* A worker has a solver of its own. */
void inputs_part(struct inputs *inputs);
/* Whether a worker has seen what all have to know from the beginning on. Of places apart that is
 * any: two workers may have seen a thread do two things after the same history, and neither knows
 * of the other. */
bool inputs_news(const struct inputs *inputs);
/* What all have to know, an object; at the end of a worker with what its solver was asked. NULL: no
 * memory, or no inputs. */
json_t *inputs_known(struct session *session, bool ends);
/* Takes such an object. */
void inputs_learn(struct session *session, const json_t *known);
/* Has that be known from now on. */
void inputs_decide(struct inputs *inputs);

#endif

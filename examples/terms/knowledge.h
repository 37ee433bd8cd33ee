/*
 * What is known of a program's inputs: facts, which are terms; sets of facts, with whether they can
 * be true together; values that make them true. Everything is asked once and kept, so that what is
 * a branch in one execution is one in every other with the same history. The literal of a branch
 * event is the fact of an outcome: the term of its operation is the number of the branch, or, where
 * branches were named (content.h), its name.
 */
#ifndef TERMS_KNOWLEDGE_H
#define TERMS_KNOWLEDGE_H

#include <jansson.h>
#include <unfold/unfold.h>

#include "branches.h"
#include "content.h"
#include "domains.h"
#include "facts.h"
#include "held.h"
#include "index.h"
#include "quick.h"
#include "room.h"
#include "solver.h"
#include "term_list.h"
#include "values.h"

struct input {
  char *name;
  int64_t low, high;
};

struct set {
  bool asked, is_core;
  enum solver_answer answer;
  uint32_t model; /* of a YES */
};

/* A fact that depends on an input, and the next one in its list (and 1 more; 0: there is none). */
struct mention {
  term fact;
  uint32_t next;
};

/* How sets are answered without the solver (answers.c). */
struct answers {
  struct term_list terms; /* of what is looked at */
  struct quick quick;
  struct domains domains;
  struct held_inputs held;
  uint32_t *supports; /* by term: where in `inputs` those that it depends on are, and 1 more */
  uint32_t support_room;
  uint32_t *inputs; /* their number, and they; before that, whether the term is among `mentions` */
  uint32_t input_count, input_room;
  struct mention *mentions; /* lists of the facts in sets, by input */
  uint32_t mention_count, mention_room;
  uint32_t *mentioned; /* by input: the first of its list, and 1 more; or 0 */
  uint32_t mentioned_room;
  uint32_t *taken; /* by term: the slice that it was last taken into */
  uint32_t taken_room, slices;
  struct index cores; /* by largest fact: a set of facts that exclude each other */
  uint32_t *next;     /* by set: the next one with that fact, or UINT32_MAX */
  uint32_t next_room;
  uint32_t *parents, *stamps; /* while a set is taken apart, by input */
  uint32_t part_room, stamp;
  uint64_t quick_answers, core_answers;
  uint64_t looked; /* how many facts were evaluated, or listed for a question */
};

struct knowledge {
  unf_unfolding *unfolding;
  struct terms terms;
  struct solver solver;
  struct branches branches; /* what branch events decide */
  struct content content;
  struct facts facts; /* sets of facts */
  struct set *sets;   /* by number in facts */
  uint32_t set_room;
  /* Values that make sets true, by model. A value outside of the range of its input is the lowest
   * one, also where the input came later. */
  struct values values;
  struct values_tree *models;
  uint32_t model_count, model_room;
  int64_t *now; /* values by input: of those that a question is about */
  uint32_t now_room;
  struct input *inputs;
  uint32_t input_count, input_room;
  struct index input_index; /* by thread and cause, and number */
  struct index names;       /* how often a name was asked for, by its hash */
  term *list;               /* the set that is made at the moment */
  size_t list_count, list_room;
  /* Where events have their handles for good: by event, the set of its history, and 1 more. */
  bool events_stay;
  uint32_t *histories;
  size_t history_room;
  unf_event *waiting; /* events whose sets are to be found */
  size_t waiting_count, waiting_room;
  struct answers answers;
  uint32_t try_values; /* an input of no more values is tried, see knowledge_try_values() */
  bool refused;        /* there was no memory */
};

bool knowledge_open(struct knowledge *knowledge);
void knowledge_close(struct knowledge *knowledge);
uint64_t knowledge_bytes(const struct knowledge *knowledge);
/* What follows is about events of this unfolding. */
void knowledge_about(struct knowledge *knowledge, unf_unfolding *unfolding);
/* As knowledge_about(), and gives the unfolding the predicate of consistency. */
unf_status knowledge_attach(struct knowledge *knowledge, unf_unfolding *unfolding);

/* Adds an input of a name that no other has, with values in a range. False: no memory. */
bool knowledge_declare(struct knowledge *knowledge, const char *name, int64_t low, int64_t high);
/* The input that a thread asks for behind an event, as the n-th one. A new one has this name, and a
 * number behind it if others have it. */
term knowledge_input(struct knowledge *knowledge, unf_thread thread, unf_event cause,
                     uint32_t index, unsigned width, const char *name);

/* Number of a set with the facts of these, UINT32_MAX: no memory. */
uint32_t knowledge_history(struct knowledge *knowledge, unf_event event);
uint32_t knowledge_run(struct knowledge *knowledge, const unf_explorer *explorer);
uint32_t knowledge_union(struct knowledge *knowledge, uint32_t one, uint32_t other);
uint32_t knowledge_with(struct knowledge *knowledge, uint32_t set, term fact);
/* A set is begun, gets facts (TERM_NONE: there was no memory for one), and is ended. */
void knowledge_begin_set(struct knowledge *knowledge);
void knowledge_add(struct knowledge *knowledge, term fact);
/* A fact that is for this question alone: it is not found by its inputs. */
void knowledge_add_aside(struct knowledge *knowledge, term fact);
uint32_t knowledge_end_set(struct knowledge *knowledge);
/* The facts of a set, ascending: valid until a set is made or listed. NULL: no memory. */
const term *knowledge_list(struct knowledge *knowledge, uint32_t set);
/* Whether a set has no facts. */
static inline bool knowledge_is_empty(const struct knowledge *knowledge, uint32_t set) {
  return facts_count(&knowledge->facts, set) == 0;
}
/* Whether all of a set can be true together. */
enum solver_answer knowledge_ask(struct knowledge *knowledge, uint32_t set);
/* Whether a fact is possible beside a set, see possible_function. */
enum possible knowledge_possible(struct knowledge *knowledge, uint32_t set, term fact, term wanted,
                                 int64_t *value);
/* The value of a term where a set, for which that was answered with YES, is true. False: no
 * memory. */
bool knowledge_value(struct knowledge *knowledge, uint32_t set, term a, int64_t *value);
/* Values of all inputs for which a set is true: an object; null if none are known; NULL: no
 * memory. */
json_t *knowledge_witness(struct knowledge *knowledge, uint32_t set);
/* Values of all inputs as such an object; NULL: no memory. */
json_t *knowledge_told(const struct knowledge *knowledge, const int64_t *values);

/* The fact of a branch event as a text; what is longer than the buffer ends with dots. */
void knowledge_fact_text(const struct knowledge *knowledge, unf_event event, char *text,
                         size_t size);
/* The facts of a set as texts, an array; NULL: no memory. */
json_t *knowledge_facts(struct knowledge *knowledge, uint32_t set);
/* What the solver and the library were asked: an object; NULL: no memory. */
json_t *knowledge_statistics(const struct knowledge *knowledge);

/* Facts about inputs of so many values, at most DOMAIN_VALUES as from the beginning, are decided by
 * trying these, not by the solver. */
static inline void knowledge_try_values(struct knowledge *knowledge, uint64_t values) {
  knowledge->try_values = values < DOMAIN_VALUES ? (uint32_t)values : DOMAIN_VALUES;
}

/* Room for so many items in a list; false: no memory, which is noted. */
static inline bool knowledge_room(struct knowledge *knowledge, void *list, uint32_t *room,
                                  uint64_t wanted, size_t size) {
  const bool good = room_for(list, room, wanted, size);
  knowledge->refused |= !good;
  return good;
}
/* How many facts a set has. */
static inline uint32_t knowledge_count(const struct knowledge *knowledge, uint32_t set) {
  return facts_count(&knowledge->facts, set);
}

#endif

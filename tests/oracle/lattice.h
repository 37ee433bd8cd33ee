/*
 * The definitional oracle: every event and every configuration of the unfolding of a small program.
 */
#ifndef ORACLE_LATTICE_H
#define ORACLE_LATTICE_H

#include "machine.h"

/* An event is an action and the set of its causes; both lists hold numbers of events, ascending,
 * all smaller than its own. */
typedef struct event {
  action action;
  uint32_t *causes;  /* all of them */
  uint32_t *maximal; /* those below no other */
  uint32_t cause_count, maximal_count;
  uint64_t hash;
} event;

typedef struct outcome {
  bool complete, deadlock, error;
} outcome;

/* One step of the walk. */
typedef struct edge {
  uint32_t event, to;
} edge;

typedef struct configuration {
  uint32_t *events; /* ascending: a linearisation */
  uint32_t count;
  uint32_t first_edge, edge_count; /* what can happen next, by thread and value */
  bool maximal;
  outcome outcome; /* of a maximal one */
  uint64_t hash;
  uint64_t paths; /* interleavings from here to the end; UINT64_MAX for more */
  int64_t *state; /* while it waits to be extended */
} configuration;

typedef enum lattice_status {
  LATTICE_WHOLE,
  LATTICE_LIMIT,     /* more configurations than allowed: what is there is a part */
  LATTICE_RACE,      /* a data race: counts mean nothing */
  LATTICE_CONTENDED, /* a barrier with more threads than it lets pass: not supported */
  LATTICE_ERROR      /* a run-time error of the program, see text */
} lattice_status;

typedef struct lattice_counts {
  uint32_t configurations, events;
  uint32_t maximal, complete, blocked, deadlocks, errors; /* of model-language.md, section Counts */
  uint32_t operations[ACTION_COUNT];                      /* events of each kind */
} lattice_counts;

typedef struct lattice {
  const program *program;
  machine machine;
  lattice_status status;
  lattice_counts counts;
  event *events;
  configuration *configurations;
  edge *edges;
  operation *operations; /* what each thread does next: a row for each configuration */
  size_t edge_count, edge_capacity, operation_capacity;
  size_t event_count, event_capacity, configuration_count, configuration_capacity;
  uint32_t *event_table, *configuration_table; /* open addressing: 1 + number, or 0 */
  size_t event_table_size, configuration_table_size;
  uint32_t limit;
  uint32_t *scratch; /* a row of events */
  size_t scratch_capacity;
  uint64_t *marks; /* bit set of events */
  size_t mark_words;
} lattice;

/* Walks the whole lattice of configurations, at most limit of them. Never NULL. */
lattice *lattice_walk(const program *p, uint32_t limit);
void lattice_free(lattice *l);

/* For inputs.c. The number of the event of an action with these causes, ascending; of a
 * configuration of ascending events, with whether it is new, and without a state; room for one
 * more. */
uint32_t lattice_intern(lattice *l, const action *a, const uint32_t *causes, uint32_t count);
uint32_t lattice_add(lattice *l, const uint32_t *events, uint32_t count, bool *fresh);
void lattice_reserve(lattice *l);

/* What a thread does next after a configuration. */
static inline operation lattice_next(const lattice *l, uint32_t configuration_number,
                                     uint32_t thread) {
  return l->operations[configuration_number * l->program->thread_count + thread];
}

/* The edge of an action from a configuration; NULL if it is not possible there. */
const edge *lattice_step(const lattice *l, uint32_t configuration_number, const action *a);

/* Number of the configuration with these ascending events, ORACLE_NONE if it is not one. */
uint32_t lattice_find(const lattice *l, const uint32_t *events, uint32_t count);

/* Name of the event by thread, action and numbers of its maximal causes, such as "7: w[0] acq
 * m {3, 5}". */
void lattice_event_text(const lattice *l, uint32_t number, char *buffer, size_t size);

/* Causality and conflict on all pairs of events, from the definition. */
typedef struct relations {
  size_t events, words; /* words of a row */
  uint64_t *causality;  /* row e: the causes of e and e itself */
  uint64_t *conflict;   /* symmetric */
} relations;

relations *relations_make(const lattice *l);
void relations_free(relations *r);

static inline bool relations_bit(const uint64_t *rows, size_t words, uint32_t row,
                                 uint32_t column) {
  return (rows[row * words + column / 64] >> (column % 64) & 1) != 0;
}
static inline bool relations_precedes(const relations *r, uint32_t a, uint32_t b) {
  return relations_bit(r->causality, r->words, b, a);
}
static inline bool relations_conflict(const relations *r, uint32_t a, uint32_t b) {
  return relations_bit(r->conflict, r->words, a, b);
}
/* In conflict, and the causes of both together are free of conflict. */
bool relations_conflict_immediately(const lattice *l, const relations *r, uint32_t a, uint32_t b);

/* ex(C) of a configuration: every event outside of it whose causes are all in it. enabled[i]
 * says whether the i-th is in en(C); the others are cex(C). Arrays have room for all events.
 * Returns the number. */
uint32_t relations_extensions(const lattice *l, const relations *r, uint32_t configuration_number,
                              uint32_t *extensions, bool *enabled);

#endif

/*
 * The state of the generator of random programs.
 */
#ifndef RANDOM_GENERATE_H
#define RANDOM_GENERATE_H

#include "sketch.h"

typedef struct profile {
  random_source *random;
  sketch *sketch;
  unsigned mutexes;
  unsigned weights[NODE_COUNT];
  unsigned total;
  unsigned budget; /* statements left for the thread */
  unsigned thread;
  unsigned conditions;               /* how many of them are used */
  unsigned arrives[SKETCH_BARRIERS]; /* threads that arrive, a bit set */
} profile;

/* What the current statement may use. */
typedef struct place {
  unsigned held; /* mutexes held in the text, and from bit SKETCH_MUTEXES on locks for writing */
  unsigned readable; /* the bits of `held`, and locks held for reading */
  int registers[8];  /* ids in scope */
  unsigned register_count;
  int picked; /* id of a register that holds a mutex number, or -1 */
  unsigned depth;
} place;

/* generate.c: some statements, at most as many as that and as the budget allows. */
node *generate_statements(profile *p, place where, unsigned most);
/* Brings a register into scope. */
void generate_register(place *where, unsigned id);

/* generate_effects.c: draws the shape and the weights of a program of these families. */
void generate_effects_profile(profile *p, unsigned families);
/* What the thread begins with, so that threads meet: waiting, notifying, arriving. */
node *generate_effects_opening(profile *p);
/* Whether the statement has a body. */
bool generate_effect_nests(node_kind kind);
/* A statement of a kind above NODE_TWICE, or NULL. */
node *generate_effect(profile *p, node_kind kind, place *where);

#endif

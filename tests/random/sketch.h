/*
 * A random program before it is text: trees of statements that can be printed, copied and cut down.
 */
#ifndef RANDOM_SKETCH_H
#define RANDOM_SKETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SKETCH_THREADS_MAX 5u
#define SKETCH_CELLS       4u /* shared ints */
#define SKETCH_MUTEXES     4u

typedef enum node_kind {
  NODE_LOCK,    /* lock(m[a]) */
  NODE_UNLOCK,  /* unlock(m[a]) */
  NODE_SECTION, /* lock(m[a]); body; unlock(m[a]) */
  NODE_PICKED,  /* lock(m[r a]); body; unlock(m[r a]) */
  NODE_TRY,     /* int r id = trylock(m[a]); if (r id) { body; unlock } else { other } */
  NODE_TRYKEEP, /* int r id = trylock(m[a]) */
  NODE_SPAWN,   /* spawn(t a) */
  NODE_JOIN,    /* join(t a) */
  NODE_CHOOSE,  /* int r id = choose(a, b) */
  NODE_SET,     /* s a = b */
  NODE_ADD,     /* s a = (s a + b) % 3 */
  NODE_SETREG,  /* s a = r b */
  NODE_IFREG,   /* if (r a == b) { body } else { other } */
  NODE_IFCELL,  /* if (s a == b) { body } else { other } */
  NODE_ASSUME,  /* assume(s a != b), or of r a if c */
  NODE_ASSERT,  /* assert(s a != b), or of r a if c */
  NODE_TWICE    /* int r id = 0; while (r id < a) { r id = r id + 1; body } */
} node_kind;

typedef struct node {
  node_kind kind;
  int a, b, c;
  unsigned id; /* unique in the program: names the register */
  struct node *body, *other, *next;
} node;

typedef struct sketch {
  unsigned threads;
  bool alone; /* thread 0 is main and starts the others */
  int bound;  /* of loops; -1: none */
  unsigned ids;
  node *bodies[SKETCH_THREADS_MAX];
} sketch;

sketch *sketch_new(void);
void sketch_free(sketch *s);
sketch *sketch_copy(const sketch *s);
node *sketch_node(sketch *s, node_kind kind, int a, int b);

/* Number of statements, for cutting. */
unsigned sketch_size(const sketch *s);

typedef enum sketch_cut {
  CUT_STATEMENT, /* with what is in it */
  CUT_AROUND,    /* keeps its body in its place */
  CUT_OTHER,     /* keeps its else branch in its place */
  CUT_VALUE,     /* one smaller constant */
  CUT_KINDS
} sketch_cut;

/* Cuts at the at-th statement in the order of the text; false if that changes nothing. */
bool sketch_cut_at(sketch *s, unsigned at, sketch_cut cut);
/* Leaves a thread away altogether; false if others name it. */
bool sketch_cut_thread(sketch *s, unsigned thread);

/* The text, to be freed by the caller. */
char *sketch_text(const sketch *s);

/* splitmix64 */
typedef struct random_source {
  uint64_t state;
} random_source;
uint64_t random_next(random_source *r);
/* Uniform below n; 0 for n = 0. */
unsigned random_below(random_source *r, unsigned n);
bool random_chance(random_source *r, unsigned percent);

/* A random program: its shape is drawn first, then the statements. May have races or too many
 * executions; the caller looks. */
sketch *sketch_generate(random_source *r);

#endif

/*
 * A random program before it is text: trees of statements that can be printed, copied and cut down.
 */
#ifndef RANDOM_SKETCH_H
#define RANDOM_SKETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SKETCH_THREADS_MAX 5u
#define SKETCH_MUTEXES     4u
#define SKETCH_RWLOCKS     2u
#define SKETCH_CELLS       (SKETCH_MUTEXES + SKETCH_RWLOCKS) /* shared ints, one for each lock */
#define SKETCH_CONDITIONS  2u
#define SKETCH_SEMAPHORES  2u
#define SKETCH_BARRIERS    2u
#define SKETCH_ATOMICS     2u
#define SKETCH_RANGES      5u /* names for bytes of one atomic, itself among them */
#define SKETCH_LAYOUTS     5u
#define SKETCH_MESSAGES    2u /* channels, mailboxes, futures: of each so many */

/* Effects beyond mutexes, threads and choices that a program may use. */
enum {
  FAMILY_CONDITION = 1,
  FAMILY_RWLOCK = 2,
  FAMILY_SEMAPHORE = 4,
  FAMILY_BARRIER = 8,
  FAMILY_ATOMIC = 16,
  FAMILY_RANGE = 32, /* atomics whose bytes others have too */
  FAMILY_FUTEX = 64,
  FAMILY_CHANNEL = 128,
  FAMILY_MAILBOX = 256,
  FAMILY_FUTURE = 512
};

typedef enum node_kind {
  NODE_LOCK,        /* lock(m[a]) */
  NODE_UNLOCK,      /* unlock(m[a]) */
  NODE_SECTION,     /* lock(m[a]); body; unlock(m[a]) */
  NODE_PICKED,      /* lock(m[r a]); body; unlock(m[r a]) */
  NODE_TRY,         /* int r id = trylock(m[a]); if (r id) { body; unlock } else { other } */
  NODE_TRYKEEP,     /* int r id = trylock(m[a]) */
  NODE_SPAWN,       /* spawn(t a) */
  NODE_JOIN,        /* join(t a) */
  NODE_CHOOSE,      /* int r id = choose(a, b) */
  NODE_SET,         /* s a = b */
  NODE_ADD,         /* s a = (s a + b) % 3 */
  NODE_SETREG,      /* s a = r b */
  NODE_IFREG,       /* if (r a == b) { body } else { other } */
  NODE_IFCELL,      /* if (s a == b) { body } else { other } */
  NODE_ASSUME,      /* assume(s a != b), or of r a if c */
  NODE_ASSERT,      /* assert(s a != b), or of r a if c */
  NODE_TWICE,       /* int r id = 0; while (r id < a) { r id = r id + 1; body } */
  NODE_WAIT,        /* wait(c[a], m[b]) */
  NODE_TIMEDWAIT,   /* int r id = timedwait(c[a], m[b]) */
  NODE_WAITSECTION, /* lock(m[b]); wait(c[a], m[b]), or timedwait if d; body; unlock(m[b]) */
  NODE_WHILEWAIT,   /* lock(m[b]); while (s b == c) wait(c[a], m[b]); body; unlock(m[b]) */
  NODE_SIGNAL,      /* signal(c[a]) */
  NODE_BROADCAST,   /* broadcast(c[a]) */
  NODE_READ,        /* rdlock(k[a]); body; unlock(k[a]) */
  NODE_WRITE,       /* wrlock(k[a]); body; unlock(k[a]) */
  NODE_TRYREAD,     /* int r id = tryrdlock(k[a]); if (r id) { body; unlock } else { other } */
  NODE_TRYWRITE,    /* int r id = trywrlock(k[a]); if (r id) { body; unlock } else { other } */
  NODE_RWALONE,     /* rdlock, wrlock, unlock, tryrdlock, trywrlock of k[a], by b */
  NODE_POST,        /* post(e a) */
  NODE_SEMWAIT,     /* sem_wait(e a) */
  NODE_SEMSECTION,  /* sem_wait(e a); body; post(e a) */
  NODE_TRYWAIT,     /* int r id = trywait(e a) */
  NODE_ARRIVE,      /* arrive(b a) */
  NODE_LOAD,        /* int r id = load(x[a]) */
  NODE_STORE,       /* store(x[a], b) */
  NODE_FETCHADD,    /* fetch_add(x[a], b) */
  NODE_FETCHGET,    /* int r id = fetch_add(x[a], b) */
  NODE_FETCHBITS,   /* int r id = fetch_and(x[a], b), or another by c */
  NODE_EXCHANGE,    /* int r id = exchange(x[a], b) */
  NODE_CAS,         /* int r id = cas(x[a], b, c) */
  NODE_AWAIT,       /* await(x[a] == b), the comparison by c */
  NODE_XAWAIT,      /* exchange_await(x[a] == b, d), the comparison by c */
  NODE_FUTEXWAIT,   /* int r id = futex_wait(x[a], b), or timedfutexwait if c */
  NODE_FUTEXWAKE,   /* int r id = futex_wake(x[a], b) */
  NODE_SEND,        /* send(h a, b), or int r id = trysend if c; of r (d - 1) % 3 if d */
  NODE_RECEIVE,     /* int r id = receive(h a), or tryreceive if c */
  NODE_CLOSE,       /* close(h a) */
  NODE_MAIL,        /* mail(p a, b, d) */
  NODE_ACCEPT,      /* int r id = accept(p a, b), or tryaccept if c */
  NODE_FUTURESET,   /* set(f a, b) */
  NODE_FUTUREGET,   /* int r id = get(f a), or poll if c */
  NODE_COUNT
} node_kind;

typedef struct node {
  node_kind kind;
  int a, b, c, d;
  unsigned id; /* unique in the program: names the register */
  struct node *body, *other, *next;
} node;

typedef struct sketch {
  unsigned threads;
  bool alone;                        /* thread 0 is main and starts the others */
  int bound;                         /* of loops; -1: none */
  bool commuting;                    /* additions whose result is not used commute */
  unsigned families;                 /* of FAMILY_CONDITION and so on */
  int semaphores[SKETCH_SEMAPHORES]; /* their values at the start */
  int maxima[SKETCH_SEMAPHORES];     /* 0: none is written */
  bool high;                         /* the maxima that are written are just below 2^63 instead */
  int barriers[SKETCH_BARRIERS];     /* their counts */
  unsigned layout;                   /* of the ranges of bytes, see sketch_text.c */
  int first;                         /* value of the widest one at the start */
  int capacities[SKETCH_MESSAGES];   /* of channels; 0: none */
  int owners[SKETCH_MESSAGES];       /* of mailboxes: threads */
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
  CUT_VALUE,     /* one smaller constant or object */
  CUT_SECOND,    /* one smaller mutex of a wait */
  CUT_KINDS
} sketch_cut;

/* Cuts at the at-th statement in the order of the text; false if that changes nothing. */
bool sketch_cut_at(sketch *s, unsigned at, sketch_cut cut);
/* Leaves a thread away altogether; false if others name it. */
bool sketch_cut_thread(sketch *s, unsigned thread);

/* The text, to be freed by the caller. */
char *sketch_text(const sketch *s);

typedef struct random_source {
  uint64_t state;
} random_source;
uint64_t random_next(random_source *r);
/* Uniform below n; 0 for n = 0. */
unsigned random_below(random_source *r, unsigned n);
bool random_chance(random_source *r, unsigned percent);

/* A random program: its shape is drawn first, then the statements, with some of the families among
 * them. May have races or too many executions; the caller looks. */
sketch *sketch_generate(random_source *r, unsigned families);

#endif

/* Barriers. Each round is an object of its own, at which a thread arrives and then passes. In which
 * round a thread is must follow from its own past: the rounds that it has passed, or that were over
 * when it was created or joined somebody who knows. So a barrier that more threads contend for than
 * a round has room is refused: who is in the round then depends on the order. The serial thread is
 * the first by name. */
#include "accesses.h"
#include "barrier.h"

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unfold/unfold.h>

#include "../control.h"
#include "../control/texts.h"
#include "arena.h"
#include "engine.h"
#include "entry.h"
#include "findings.h"
#include "inits.h"
#include "interpose.h"
#include "objects.h"
#include "real.h"
#include "refuse.h"
#include "scheduler.h"

enum { ROUNDS_MAX = 1 << 20 };

/* The beginning of a barrier, as the C library lays it out. */
struct layout {
  uint32_t in, round, count;
};

/* How many rounds of a barrier a thread knows to be over. */
struct rounds {
  const struct object *barrier;
  uint32_t over;
  struct rounds *next;
};

static struct rounds *known(struct thread *t, const struct object *barrier) {
  struct rounds *r = t->rounds;
  while (r != NULL && r->barrier != barrier)
    r = r->next;
  if (r != NULL) return r;
  r = private_memory(sizeof *r);
  *r = (struct rounds){barrier, 0, t->rounds};
  t->rounds = r;
  return r;
}

void rounds_learn(struct thread *t, const struct thread *from) {
  for (const struct rounds *r = from->rounds; r != NULL; r = r->next) {
    struct rounds *mine = known(t, r->barrier);
    if (mine->over < r->over) mine->over = r->over;
  }
}

static bool is_first(const struct thread *me, const struct object *round) {
  char mine[NAME_SIZE], other[NAME_SIZE];
  engine_thread(mine, sizeof mine, me->name);
  for (const struct arrival *a = round->arrivals; a != NULL; a = a->next) {
    engine_thread(other, sizeof other, a->thread->name);
    if (strverscmp(other, mine) < 0) return false;
  }
  return true;
}

static int wait(pthread_barrier_t *barrier, uint64_t place) {
  struct object *first = object_use(barrier, OBJECT_BARRIER, place);
  struct thread *me = thread_self();
  struct rounds *rounds = known(me, first);
  struct layout layout;
  memcpy(&layout, barrier, sizeof layout);
  object_alive(first, place);
  if (layout.count == 0) object_early(first, place);
  if (rounds->over == ROUNDS_MAX) refuse("a barrier with so many rounds", place);
  first->used = true;
  struct object *round = object_round(first, rounds->over);
  first->needed = round->needed = layout.count;
  schedule(UNF_OP_ARRIVE(round->name, layout.count), round, place);
  object_waits(first, round, place);
  schedule(UNF_OP_PASS(round->name, layout.count), round, place);
  rounds->over++;
  return is_first(me, round) ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* Whether threads wait for others to arrive. */
static bool is_waited(const struct object *first) {
  for (const struct object *o = first; o != NULL && first->initialisation != NULL;
       o = o->next_round)
    if (o->round >= first->ended && o->waiting > 0 && o->waiting < first->needed) return true;
  for (const struct thread *t = threads; t != NULL && first->initialisation == NULL; t = t->next)
    if (t->object != NULL && t->object->kind == OBJECT_BARRIER &&
        t->object->address == first->address && t->operation.kind == UNF_PASS &&
        t->object->arrived < t->object->needed)
      return true;
  return false;
}

/* Most often no event: a barrier is destroyed after its last round, and the threads of that know
 * so. */
static int destroy(pthread_barrier_t *barrier, uint64_t place) {
  struct object *first = object_use(barrier, OBJECT_BARRIER, place);
  object_ends(first, known(thread_self(), first)->over, place);
  object_alive(first, place);
  if (is_waited(first)) misused(MISUSE_WAITED, first, place);
  object_destroy(first);
  return 0;
}

static void replace(struct object *first, uint64_t place) {
  if (first == NULL) return;
  first->ended = known(thread_self(), first)->over;
  object_replaced(first, is_waited(first), MISUSE_INIT_WAITED, place);
}

INTERPOSE int pthread_barrier_init(pthread_barrier_t *restrict barrier,
                                   const pthread_barrierattr_t *restrict attributes,
                                   unsigned count) {
  struct object *replaced = NULL;
  CALL_READS(attributes);
  if (running && count > 0 && count <= INT_MAX)
    object_begin(barrier, OBJECT_BARRIER, CALLER, &replaced);
  int error = REAL(pthread_barrier_init)(barrier, attributes, count);
  replace(replaced, CALLER);
  return error;
}

INTERPOSE int pthread_barrier_wait(pthread_barrier_t *barrier) {
  return running ? wait(barrier, CALLER) : REAL(pthread_barrier_wait)(barrier);
}

INTERPOSE int pthread_barrier_destroy(pthread_barrier_t *barrier) {
  return running ? destroy(barrier, CALLER) : REAL(pthread_barrier_destroy)(barrier);
}

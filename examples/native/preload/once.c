/* What is done once: pthread_once, call_once, and the guards of C++'s local static variables. Each
 * control is a mutex of its own, taken by each thread when it first comes by: whether a thread has
 * been here is its own history, whether the initialisation has run is not. A guard's own byte stays
 * 0, because the compiled code would look at it without a call, and what it finds there depends on
 * the order. What was done before main needs no order, and is no event. An initialisation that ends
 * by an exception, or with its thread, is done by who comes next. */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <threads.h>

#include "arena.h"
#include "entry.h"
#include "interpose.h"
#include "objects.h"
#include "once.h"
#include "program.h"
#include "real.h"
#include "scheduler.h"

/* A once control that a thread has been through. */
struct passed {
  const struct object *control;
  struct passed *next;
};

/* Bits of a once control: the C library's for "done" (only before main), and ours. */
enum { DONE_BEFORE = 2, DONE_HERE = 4 };

static bool has_passed(const struct thread *t, const struct object *o) {
  const struct passed *p = t->passed;
  while (p != NULL && p->control != o)
    p = p->next;
  return p != NULL;
}

static void pass(struct thread *t, const struct object *o) {
  struct passed *p = private_memory(sizeof *p);
  *p = (struct passed){o, t->passed};
  t->passed = p;
}

/* Whether the caller has to initialise; it then holds the control until leave_control(). */
static bool enter_control(struct object *o, uint64_t place) {
  struct thread *me = thread_self();
  if (has_passed(me, o)) return false;
  object_lock(o, place);
  if (!o->done) return true;
  object_unlock(o, place);
  pass(me, o);
  return false;
}

static void leave_control(struct object *o, bool done, uint64_t place) {
  o->done = done;
  object_unlock(o, place);
  if (done) pass(thread_self(), o);
}

/* What a thread is in the middle of, the innermost first. */
struct initialising {
  struct object *control;
  uint64_t frame, place;
  struct initialising *next;
};

/* An exception, or the end of a thread, has left all that are not above a place of its stack. */
void once_left(struct thread *t, uint64_t frame) {
  while (t->initialising != NULL && t->initialising->frame <= frame) {
    const struct initialising *left = t->initialising;
    t->initialising = left->next;
    leave_control(left->control, false, left->place);
  }
}

static void once(int *flag, void (*routine)(void), uint64_t place) {
  struct thread *me = thread_self();
  if (*flag & DONE_BEFORE) return;
  struct object *o = object_at(flag, OBJECT_ONCE);
  if (o->done && *flag == 0) { /* its memory became another control */
    object_renew(o);
    o = object_at(flag, OBJECT_ONCE);
  }
  if (!enter_control(o, place)) return;
  struct initialising *now = private_memory(sizeof *now);
  *now = (struct initialising){o, (uint64_t)(uintptr_t)__builtin_frame_address(0), place,
                               me->initialising};
  me->initialising = now;
  unfold_program(routine, 0, 0, 0);
  me->initialising = now->next;
  *flag = DONE_HERE;
  leave_control(o, true, place);
}

/* Where an exception is caught, in a frame that is still there. */
INTERPOSE void *__cxa_begin_catch(void *exception);
void *__cxa_begin_catch(void *exception) {
  void *(*next)(void *) = REAL(__cxa_begin_catch);
  if (running && thread_self() != NULL)
    once_left(thread_self(), (uint64_t)(uintptr_t)__builtin_frame_address(0));
  return next(exception);
}

INTERPOSE int pthread_once(pthread_once_t *flag, void (*routine)(void)) {
  if (!running) return REAL(pthread_once)(flag, routine);
  once(flag, routine, CALLER);
  return 0;
}

OLDER_NAME(__pthread_once, pthread_once);

INTERPOSE void call_once(once_flag *flag, void (*routine)(void)) {
  if (running)
    once((int *)flag, routine, CALLER);
  else
    REAL(call_once)(flag, routine);
}

INTERPOSE int __cxa_guard_acquire(uint64_t *guard);
INTERPOSE void __cxa_guard_release(uint64_t *guard);
INTERPOSE void __cxa_guard_abort(uint64_t *guard);

int __cxa_guard_acquire(uint64_t *guard) {
  if (!running) return REAL(__cxa_guard_acquire)(guard);
  return *(const unsigned char *)guard == 0 && enter_control(object_at(guard, OBJECT_ONCE), CALLER);
}

void __cxa_guard_release(uint64_t *guard) {
  if (running)
    leave_control(object_at(guard, OBJECT_ONCE), true, CALLER);
  else
    REAL(__cxa_guard_release)(guard);
}

/* The initialisation ended with an exception: the next thread tries again. */
void __cxa_guard_abort(uint64_t *guard) {
  if (running)
    leave_control(object_at(guard, OBJECT_ONCE), false, CALLER);
  else
    REAL(__cxa_guard_abort)(guard);
}

/* The scheduler. A thread that arrives at an operation offers it and asks the engine who goes on.
 * The answer is performed in the object model and committed; then the chosen thread runs, alone, up
 * to its own next operation. A thread that was just created runs to its first operation before
 * anything else is decided, because the engine must know the next operation of everyone. */
#include "scheduler.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <unfold/unfold.h>

#include "../control.h"
#include "arena.h"
#include "backend.h"
#include "busiest.h"
#include "crash.h"
#include "engine.h"
#include "entry.h"
#include "findings.h"
#include "heap.h"
#include "identity.h"
#include "inits.h"
#include "inplace.h"
#include "keys.h"
#include "locations.h"
#include "mutex.h"
#include "once.h"
#include "patch.h"
#include "patch_hit.h"
#include "patch_later.h"
#include "perform.h"
#include "process.h"
#include "program.h"
#include "random.h"
#include "ranges.h"
#include "real.h"
#include "patch_filter.h"
#include "refuse.h"
#include "saving.h"
#include "stuck.h"
#include "thread.h"

enum { STACK_SPARE = 256 << 10 };

struct thread *threads;
static struct thread *last, *fresh;
static uint64_t main_low, main_high; /* stack of the main thread */
static _Thread_local struct thread *self __attribute__((tls_model("initial-exec")));

struct thread *thread_self(void) {
  return self;
}

/* The greatest number of threads at once. */
static void count_alive(void) {
  uint32_t alive = 0;
  for (const struct thread *t = threads; t != NULL; t = t->next)
    alive += !t->finished;
  if (control->threads_most < alive) control->threads_most = alive;
}

struct thread *thread_new(const struct thread *parent, unf_thread name, uint32_t index) {
  struct thread *t = private_memory(sizeof *t);
  t->name = name;
  t->number = identity_number(parent, index);
  t->seed = random_seed(parent, index);
  return t;
}

void thread_add(struct thread *t, const struct thread *parent) {
  t->clock = parent == NULL ? 0 : parent->clock;
  /* The library of C++ counts references without atomic operations as long as it says so. */
  if (parent != NULL) __libc_single_threaded = 0;
  if (parent != NULL) filter_not_alone();
  if (last == NULL)
    threads = t;
  else
    last->next = t;
  t->number_here = last == NULL ? 0 : last->number_here + 1;
  t->last = parent == NULL ? UNF_EVENT_BOTTOM : parent->last;
  last = t;
  count_alive();
}

struct thread *thread_find(uint64_t handle) {
  struct thread *t = threads;
  while (t != NULL && t->handle != handle)
    t = t->next;
  return t;
}

struct thread *thread_named(unf_thread name) {
  struct thread *t = threads;
  while (t != NULL && t->name != name)
    t = t->next;
  return t;
}

/* The newest is the next to run to its first operation. */
void thread_fresh(struct thread *t) {
  t->next_fresh = fresh;
  fresh = t;
}

/* Does not return when the execution is over. */
static struct thread *choose(void) {
  if (fresh != NULL) {
    struct thread *t = fresh;
    fresh = t->next_fresh;
    return t;
  }
  struct thread *ahead = learn_next();
  if (ahead != NULL) return ahead;
  saving_stop();
  unf_step step = engine_step();
  if (step.kind != UNF_STEP_ACTION) {
    if ((ahead = learn_woken()) != NULL) return ahead;
    pending->redundant = step.kind == UNF_STEP_REDUNDANT;
    if (step.kind == UNF_STEP_MAXIMAL) findings_blocked();
    pending->ended = true;
    process_end();
  }
  struct thread *t = thread_named(step.action.thread);
  if (t == NULL) give_up(OUTCOME_BROKEN, "a thread was chosen that does not exist");
  engine_commit(t->place);
  busiest_count(t);
  inits_step(t);
  perform(t, &step.action);
  return t;
}

/* Who runs next, in the program. */
static struct thread *next_thread(void) {
  struct thread *t = choose();
  control->task = t->system_number;
  control->deciding = false;
  return t;
}

static void offer(unf_operation operation, struct object *object, uint64_t place) {
  self->operation = operation;
  self->operations++;
  self->object = object;
  self->place = program_place(place);
  control->last_place = place;
  control->deciding = true;
  stuck_count(self);
  const char *wrong = engine_offer(self);
  if (wrong == NULL) return;
  if (operation.kind == UNF_HALT) give_up(OUTCOME_BROKEN, "%s", wrong);
  undefined(wrong, self->place);
}

/* Performs an operation of the thread that calls it; others may run before it is done. */
void schedule(unf_operation operation, struct object *object, uint64_t place) {
  struct thread *me = self;
  later_check();
  ranges_check();
  locations_settle(me);
  learn_operation(object);
  control->operations_seen = true;
  offer(operation, object, place);
  struct thread *next = next_thread();
  if (next != me) backend->switch_to(me, next);
  if (control->settings.moves) stack_empty(me);
}

void schedule_away(void) {
  struct thread *me = self, *next = next_thread();
  if (next != me) backend->switch_to(me, next);
}

/* As schedule(), for a wait, with its condition variable and mutex. */
void schedule_wait(unf_operation operation, struct object *object, struct object *mutex,
                   uint64_t place) {
  self->mutex = mutex;
  schedule(operation, object, place);
}

/* The last operation of a thread: it never runs again. */
_Noreturn void schedule_end(unf_operation operation, uint64_t place) {
  struct thread *me = self;
  ranges_check();
  locations_settle(me);
  learn_operation(NULL);
  offer(operation, NULL, place);
  me->finished = operation.kind == UNF_EXIT;
  for (;;)
    backend->switch_to(me, next_thread());
}

_Noreturn static void thread_ended(struct thread *t) {
  real_function("__call_tls_dtors")();
  once_left(t, UINT64_MAX);
  keys_finish(t);
  mutexes_abandon(t);
  thread_over(t);
  schedule_end(UNF_OP_EXIT(), t->place);
}

/* The outermost cancellation handler: pthread_exit comes here. */
static void unwound(void *t) {
  thread_ended(t);
}

/* Called by the back-end on the thread itself. */
_Noreturn void thread_body(struct thread *t) {
  self = t;
  control->task = t->system_number;
  t->stack_base = (uint64_t)(uintptr_t)__builtin_frame_address(0);
  if (!inplace_running()) crash_stack();
  pthread_cleanup_push(unwound, t);
  if (patch_any()) stack_empty(t);
  t->result = (void *)unfold_program((plain_function *)t->start, (long)t->argument, 0, 0);
  pthread_cleanup_pop(0);
  thread_ended(t);
}

void stack_of_main(void) {
  pthread_attr_t attributes;
  void *low;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    main_low = (uint64_t)(uintptr_t)low;
    main_high = main_low + size;
  }
  pthread_attr_destroy(&attributes);
}

/* A stack of the size that the program wanted, and room for the explorer, which runs on it too. */
bool stack_new(struct thread *t, size_t wanted) {
  size_t size = (wanted + STACK_SPARE + STACK_GUARD - 1) / STACK_GUARD * STACK_GUARD;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
  if (heap_used()) return zone_stack(t, size);
  char *low = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (low == MAP_FAILED || mprotect(low, STACK_GUARD, PROT_NONE) != 0) return false;
  t->stack_low = (uint64_t)(uintptr_t)low;
  t->stack_high = t->stack_low + size;
  return true;
}

/* Runs the main thread, whose result is the exit status of the process. */
_Noreturn void thread_main(int (*function)(int, char **, char **), int argc, char **argv,
                           char **environment) {
  unf_thread name;
  int status;
  if (unf_thread_name(engine_unfolding(), UNF_THREAD_NONE, 0, &name) != UNF_OK)
    give_up(OUTCOME_BROKEN, "no name for the main thread");
  self = thread_new(NULL, name, 0);
  thread_add(self, NULL);
  self->stack_base = (uint64_t)(uintptr_t)__builtin_frame_address(0);
  self->stack_low = main_low;
  self->stack_high = main_high;
  backend->begin(self);
  if (!inplace_running()) crash_stack();
  control->task = 0;
  control->deciding = false;
  running = true;
  pthread_cleanup_push(unwound, self);
  if (patch_any()) stack_empty(self);
  status = (int)unfold_program((plain_function *)function, argc, (long)argv, (long)environment);
  pthread_cleanup_pop(0);
  process_exit(status, 0);
}

/* The programs of bench/growth. */
#include <string.h>

#include "growth.h"

enum { STORES = 1000 };

static unf_status threads(unf_unfolding *u, uint32_t count) {
  unf_status status = UNF_OK;
  for (uint32_t t = 0; status == UNF_OK && t < count; t++) {
    unf_thread thread;
    status = unf_thread_name(u, UNF_THREAD_NONE, t, &thread);
    if (status == UNF_OK) status = unf_thread_start(u, thread);
  }
  return status;
}

static unf_status objects(unf_unfolding *u, unf_object_class class, uint32_t count) {
  unf_status status = UNF_OK;
  unf_object object;
  for (uint32_t i = 0; status == UNF_OK && i < count; i++)
    status = unf_object_name(u, class, UNF_THREAD_NONE, i, &object);
  return status;
}

static unf_status both(unf_unfolding *u, uint32_t threads_count, unf_object_class class,
                       uint32_t objects_count) {
  unf_status status = objects(u, class, objects_count);
  return status == UNF_OK ? threads(u, threads_count) : status;
}

static uint32_t one(uint32_t n) {
  (void)n;
  return 1;
}

static uint32_t each(uint32_t n) {
  return n;
}

/* ---- choices ---- */

static unf_status name_one(unf_unfolding *u, uint32_t n) {
  (void)n;
  return threads(u, 1);
}

/* One thread, one choice of n values. */
static unf_status choice(unf_unfolding *u, uint32_t n, uint32_t thread, uint32_t step,
                         unf_operation *out) {
  (void)u, (void)thread;
  *out = step == 0 ? UNF_OP_LOCAL(0, n - 1) : UNF_OP_EXIT();
  return UNF_OK;
}

/* One thread, one choice of all values there are. */
static unf_status range(unf_unfolding *u, uint32_t n, uint32_t thread, uint32_t step,
                        unf_operation *out) {
  (void)u, (void)n, (void)thread;
  *out = step == 0 ? UNF_OP_LOCAL(INT64_MIN, INT64_MAX) : UNF_OP_EXIT();
  return UNF_OK;
}

/* ---- one execution that touches many things ---- */

/* Of n locations the last one is stored to. */
static unf_status name_locations(unf_unfolding *u, uint32_t n) {
  return both(u, 1, UNF_LOCATION, n);
}

static unf_status last_object(unf_unfolding *u, uint32_t n, uint32_t thread, uint32_t step,
                              unf_operation *out) {
  (void)u, (void)thread;
  *out = step < STORES ? UNF_OP_STORE(n - 1, step) : UNF_OP_EXIT();
  return UNF_OK;
}

/* Each step stores to a location that was not there before. */
static unf_status fresh_locations(unf_unfolding *u, uint32_t n, uint32_t thread, uint32_t step,
                                  unf_operation *out) {
  unf_object location;
  (void)thread;
  *out = UNF_OP_EXIT();
  if (step == n) return UNF_OK;
  unf_status status = unf_object_name(u, UNF_LOCATION, UNF_THREAD_NONE, step, &location);
  *out = UNF_OP_STORE(location, 1);
  return status;
}

/* As many words of one space, each a range that was not there before. */
static unf_status fresh_ranges(unf_unfolding *u, uint32_t n, uint32_t thread, uint32_t step,
                               unf_operation *out) {
  unf_object space, location;
  unf_status status = fresh_locations(u, n, thread, step, out);
  if (status != UNF_OK || step == n) return status;
  status = unf_object_name(u, UNF_LOCATION, UNF_THREAD_NONE, UINT64_MAX, &space);
  if (status == UNF_OK) status = unf_object_name(u, UNF_LOCATION, UNF_THREAD_NONE, step, &location);
  return status == UNF_OK ? unf_location_place(u, location, space, 8 * (uint64_t)step, 8) : status;
}

/* n threads store twice to a location of their own. */
static unf_status name_owners(unf_unfolding *u, uint32_t n) {
  return both(u, n, UNF_LOCATION, n);
}

static unf_status owners(unf_unfolding *u, uint32_t n, uint32_t thread, uint32_t step,
                         unf_operation *out) {
  (void)u, (void)n;
  *out = step < 2 ? UNF_OP_STORE(thread, step) : UNF_OP_EXIT();
  return UNF_OK;
}

/* Each of n threads but the last creates the next one. */
static unf_status name_chain(unf_unfolding *u, uint32_t n) {
  unf_thread thread = UNF_THREAD_NONE;
  unf_status status = UNF_OK;
  for (uint32_t t = 0; status == UNF_OK && t < n; t++) {
    status = unf_thread_name(u, thread, 0, &thread);
    if (status == UNF_OK && t == 0) status = unf_thread_start(u, thread);
  }
  return status;
}

static unf_status creates(unf_unfolding *u, uint32_t n, uint32_t thread, uint32_t step,
                          unf_operation *out) {
  (void)u;
  *out = step == 0 && thread + 1 < n ? UNF_OP_CREATE(thread + 1) : UNF_OP_EXIT();
  return UNF_OK;
}

/* Each waits for the one that it created, too. */
static unf_status creates_joins(unf_unfolding *u, uint32_t n, uint32_t thread, uint32_t step,
                                unf_operation *out) {
  (void)u;
  *out = step > 1 || thread + 1 == n ? UNF_OP_EXIT()
         : step == 0                 ? UNF_OP_CREATE(thread + 1)
                                     : UNF_OP_JOIN(thread + 1);
  return UNF_OK;
}

/* n threads with one step of their own each. */
static unf_status name_threads(unf_unfolding *u, uint32_t n) {
  return threads(u, n);
}

static unf_status steps(unf_unfolding *u, uint32_t n, uint32_t thread, uint32_t step,
                        unf_operation *out) {
  (void)u, (void)n, (void)thread;
  *out = step == 0 ? UNF_OP_LOCAL(0, 0) : UNF_OP_EXIT();
  return UNF_OK;
}

/* ---- n steps in a row at one object ---- */

static unf_status name_mutex(unf_unfolding *u, uint32_t n) {
  (void)n;
  return both(u, 1, UNF_MUTEX, 1);
}

static unf_status mutex(unf_unfolding *u, uint32_t n, uint32_t thread, uint32_t step,
                        unf_operation *out) {
  (void)u, (void)thread;
  *out = step == n ? UNF_OP_EXIT() : step % 2 == 0 ? UNF_OP_LOCK(0) : UNF_OP_UNLOCK(0);
  return UNF_OK;
}

static unf_status name_rwlock(unf_unfolding *u, uint32_t n) {
  (void)n;
  return both(u, 1, UNF_RWLOCK, 1);
}

/* All holds are kept. */
static unf_status read_locks(unf_unfolding *u, uint32_t n, uint32_t thread, uint32_t step,
                             unf_operation *out) {
  (void)u, (void)thread;
  *out = step == n ? UNF_OP_EXIT() : UNF_OP_RDLOCK(0);
  return UNF_OK;
}

static unf_status readers(unf_unfolding *u, uint32_t n, uint32_t thread, uint32_t step,
                          unf_operation *out) {
  (void)u, (void)thread;
  *out = step == n ? UNF_OP_EXIT() : step % 2 == 0 ? UNF_OP_RDLOCK(0) : UNF_OP_RWUNLOCK(0);
  return UNF_OK;
}

static unf_status name_semaphore(unf_unfolding *u, uint32_t n) {
  (void)n;
  return both(u, 1, UNF_SEMAPHORE, 1);
}

static unf_status posts(unf_unfolding *u, uint32_t n, uint32_t thread, uint32_t step,
                        unf_operation *out) {
  (void)u, (void)thread;
  *out = step == n ? UNF_OP_EXIT() : UNF_OP_POST(0);
  return UNF_OK;
}

static unf_status name_location(unf_unfolding *u, uint32_t n) {
  (void)n;
  return both(u, 1, UNF_LOCATION, 1);
}

static unf_status additions(unf_unfolding *u, uint32_t n, uint32_t thread, uint32_t step,
                            unf_operation *out) {
  (void)u, (void)thread;
  *out = step == n ? UNF_OP_EXIT() : UNF_OP_ADD(0, 1);
  return UNF_OK;
}

/* Two threads add to one location; additions commute. */
static unf_status name_adders(unf_unfolding *u, uint32_t n) {
  (void)n;
  return both(u, 2, UNF_LOCATION, 1);
}

static unf_status adders(unf_unfolding *u, uint32_t n, uint32_t thread, uint32_t step,
                         unf_operation *out) {
  return additions(u, n / 2, thread, step, out);
}

/* Two threads store to a location of their own. */
static unf_status name_apart(unf_unfolding *u, uint32_t n) {
  (void)n;
  return both(u, 2, UNF_LOCATION, 2);
}

static unf_status apart(unf_unfolding *u, uint32_t n, uint32_t thread, uint32_t step,
                        unf_operation *out) {
  (void)u;
  *out = step == n / 2 ? UNF_OP_EXIT() : UNF_OP_STORE(thread, step);
  return UNF_OK;
}

/* ---- many threads at mutexes ---- */

static unf_operation section(uint32_t step, uint32_t mutex) {
  return step == 0 ? UNF_OP_LOCK(mutex) : step == 1 ? UNF_OP_UNLOCK(mutex) : UNF_OP_EXIT();
}

/* n threads, one critical section each, one mutex. */
static unf_status name_contenders(unf_unfolding *u, uint32_t n) {
  return both(u, n, UNF_MUTEX, 1);
}

static unf_status contenders(unf_unfolding *u, uint32_t n, uint32_t thread, uint32_t step,
                             unf_operation *out) {
  (void)u, (void)n, (void)thread;
  *out = section(step, 0);
  return UNF_OK;
}

/* n threads that wait at a futex, and one that wakes as many. */
static unf_status name_sleepers(unf_unfolding *u, uint32_t n) {
  unf_object futex;
  unf_status status = unf_object_name(u, UNF_FUTEX, UNF_THREAD_NONE, 0, &futex);
  return status == UNF_OK ? both(u, n + 1, UNF_LOCATION, 1) : status;
}

static unf_status sleepers(unf_unfolding *u, uint32_t n, uint32_t thread, uint32_t step,
                           unf_operation *out) {
  enum { FUTEX, LOCATION };
  (void)u;
  if (step > (thread < n ? 1 : 0))
    *out = UNF_OP_EXIT();
  else if (thread == n)
    *out = UNF_OP_FUTEX_WAKE(FUTEX, n);
  else
    *out = step == 0 ? UNF_OP_FUTEX_WAIT(FUTEX, LOCATION, 0) : UNF_OP_FUTEX_RETURN(FUTEX);
  return UNF_OK;
}

/* n is a power of six: for each factor a pair of threads that store to one location, and one more
 * thread that reads all of these. */
static uint32_t watched_pairs(uint32_t n) {
  uint32_t result = 0;
  for (; n >= 6; n /= 6)
    result++;
  return result;
}

static unf_status name_watched(unf_unfolding *u, uint32_t n) {
  uint32_t pairs = watched_pairs(n);
  return both(u, 2 * pairs + 1, UNF_LOCATION, pairs);
}

static unf_status watched(unf_unfolding *u, uint32_t n, uint32_t thread, uint32_t step,
                          unf_operation *out) {
  uint32_t pairs = watched_pairs(n);
  (void)u;
  if (thread < 2 * pairs && step == 0)
    *out = UNF_OP_STORE(thread / 2, thread);
  else if (thread == 2 * pairs && step < pairs)
    *out = UNF_OP_LOAD(step);
  else
    *out = UNF_OP_EXIT();
  return UNF_OK;
}

static const struct program programs[] = {{"choice", name_one, choice, each},
                                          {"range", name_one, range, NULL},
                                          {"last-object", name_locations, last_object, one},
                                          {"fresh-locations", name_one, fresh_locations, one},
                                          {"fresh-ranges", name_one, fresh_ranges, one},
                                          {"owners", name_owners, owners, one},
                                          {"creates", name_chain, creates, one},
                                          {"joins", name_chain, creates_joins, one},
                                          {"steps", name_threads, steps, one},
                                          {"mutex", name_mutex, mutex, one},
                                          {"read-locks", name_rwlock, read_locks, one},
                                          {"readers", name_rwlock, readers, one},
                                          {"posts", name_semaphore, posts, one},
                                          {"additions", name_location, additions, one},
                                          {"adders", name_adders, adders, one},
                                          {"apart", name_apart, apart, one},
                                          {"contenders", name_contenders, contenders, NULL},
                                          {"sleepers", name_sleepers, sleepers, NULL},
                                          {"watched", name_watched, watched, each}};

const struct program *program_find(const char *name) {
  for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
    if (strcmp(programs[i].name, name) == 0) return &programs[i];
  return NULL;
}

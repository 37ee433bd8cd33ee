/* Futexes. A wait compares a word that atomic operations use and enters the queue of that address,
 * in one step; to return from there is another, when it was woken, or where there is a time limit
 * as long as it was not. A wake chooses any of those that wait. Nobody wakes up for no reason. The
 * C library's own futexes are no operations: its functions are. */
#include "futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unfold/unfold.h>

#include "../control.h"
#include "accesses.h"
#include "clock.h"
#include "engine.h"
#include "entry.h"
#include "learn.h"
#include "locations.h"
#include "modules.h"
#include "objects.h"
#include "patch.h"
#include "refuse.h"
#include "scheduler.h"

enum { WORD_BITS = 32, SECOND = 1000000000 };

bool futex_known(void) {
  return control->callbacks_seen || patch_any();
}

/* The limit of a call, as a time; NULL: it has none. Or an error, negative. */
static long limit_of(const long *a, bool absolute, struct timespec *limit,
                     const struct timespec **until) {
  *until = NULL;
  if (a[3] == 0) return 0;
  if (!unfold_mapped((const void *)a[3], sizeof *limit)) return -EFAULT;
  memcpy(limit, (const void *)a[3], sizeof *limit);
  if (limit->tv_sec < 0 || limit->tv_nsec < 0 || limit->tv_nsec >= SECOND) return -EINVAL;
  if (!absolute) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    limit->tv_sec += now.tv_sec + (limit->tv_nsec + now.tv_nsec) / SECOND;
    limit->tv_nsec = (limit->tv_nsec + now.tv_nsec) % SECOND;
  }
  *until = limit;
  return 0;
}

static long wait(const long *a, bool absolute, uint64_t place) {
  const void *address = (const void *)a[0];
  struct timespec limit;
  const struct timespec *until;
  long result = limit_of(a, absolute, &limit, &until);
  if (result != 0) return result;
  if (!unfold_mapped(address, WORD_BITS / 8)) return -EFAULT;
  if (learn_sleep((uint64_t)a[0], (int32_t)a[2], until != NULL, &result)) return result;
  learn_wait((uint64_t)a[0], until != NULL, place);
  struct object *word = location_at(address, WORD_BITS, place);
  struct object *queue = object_at(address, OBJECT_FUTEX);
  schedule_wait(UNF_OP_FUTEX_WAIT(queue->name, word->name, (int32_t)a[2]), queue, word, place);
  location_check(word, place);
  if (thread_self()->did == UNF_DID_FUTEX_AGAIN) return -EAGAIN;
  const bool limited = until != NULL && clock_limits();
  schedule(limited ? UNF_OP_TIMED_FUTEX_RETURN(queue->name) : UNF_OP_FUTEX_RETURN(queue->name),
           queue, place);
  return thread_self()->did == UNF_DID_FUTEX_TIMEOUT ? -clock_timeout(until) : 0;
}

static bool count_member(void *user, unf_thread thread) {
  (void)thread;
  ++*(long *)user;
  return true;
}

/* The system wakes one thread where fewer are asked for. */
static long wake(const long *a, uint64_t place) {
  struct object *queue = object_at((const void *)a[0], OBJECT_FUTEX);
  const int most = (int)a[2] < 1 ? 1 : (int)a[2];
  const unf_operation operation = UNF_OP_FUTEX_WAKE(queue->name, most);
  bool alone;
  long count = learn_wake((uint64_t)a[0], &operation, &alone);
  if (alone) return count;
  schedule(operation, queue, place);
  unf_thread_set_members(engine_unfolding(), thread_self()->value, count_member, &count);
  return count;
}

long futex_call(const long *a, uint64_t place) {
  const int operation = (int)a[1] & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
  const bool with_bits = operation == FUTEX_WAIT_BITSET || operation == FUTEX_WAKE_BITSET;
  if (a[0] % (WORD_BITS / 8) != 0) return -EINVAL;
  if (with_bits && (uint32_t)a[5] != FUTEX_BITSET_MATCH_ANY)
    refuse("a futex with a set of bits", place);
  switch (operation) {
  case FUTEX_WAIT:
  case FUTEX_WAIT_BITSET:
    return wait(a, with_bits, place);
  case FUTEX_WAKE:
  case FUTEX_WAKE_BITSET:
    return wake(a, place);
  case FUTEX_REQUEUE:
  case FUTEX_CMP_REQUEUE:
    refuse("a futex whose waiters are moved to another one", place);
  case FUTEX_WAKE_OP:
    refuse("a futex that is woken with an operation", place);
  default:
    refuse("a futex with priority inheritance, or of an unknown kind,", place);
  }
}

bool futex_enter(const long *arguments, uint64_t place, long *result) {
  if (!futex_known() || modules_in_libc(place)) return false;
  *result = futex_call(arguments, place);
  return true;
}

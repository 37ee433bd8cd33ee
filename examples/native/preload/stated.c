/* What programs state with <unfold/await.h>. Before main, and so without anybody to wait for, they
 * may only add. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unfold/unfold.h>

#include "../control.h"
#include "entry.h"
#include "interpose.h"
#include "locations.h"
#include "scheduler.h"

static uint64_t await(const char *name, volatile void *address, size_t size, int relation,
                      uint64_t value, const uint64_t *desired, uint64_t place) {
  if (!running) abort();
  const struct access access = {.name = name,
                                .bits = 8 * (unsigned)size,
                                .kind = desired != NULL ? UNF_EXCHANGE_AWAIT : UNF_AWAIT,
                                .address = address,
                                .low = value,
                                .high = desired != NULL ? *desired : 0,
                                .order = __ATOMIC_SEQ_CST,
                                .relation = (unf_relation)relation};
  location_operate(&access, place);
  uint64_t seen = 0;
  memcpy(&seen, (const void *)(uintptr_t)address, size);
  if (desired != NULL) memcpy((void *)(uintptr_t)address, desired, size);
  return seen;
}

INTERPOSE uint64_t unfold_await_operation(volatile void *address, size_t size, int relation,
                                          uint64_t value, bool exchanges, uint64_t desired);
uint64_t unfold_await_operation(volatile void *address, size_t size, int relation, uint64_t value,
                                bool exchanges, uint64_t desired) {
  return await("an await", address, size, relation, value, exchanges ? &desired : NULL, CALLER);
}

/* A try that fails is left out: it changes nothing, so the thread may as well come later. When
 * there is no later, it came too early, and nothing is wrong. */
INTERPOSE uint64_t unfold_try_operation(volatile void *address, size_t size, int relation,
                                        uint64_t value, bool exchanges, uint64_t desired);
uint64_t unfold_try_operation(volatile void *address, size_t size, int relation, uint64_t value,
                              bool exchanges, uint64_t desired) {
  struct thread *me = thread_self();
  if (me != NULL) me->tries = true;
  uint64_t seen =
      await("a try", address, size, relation, value, exchanges ? &desired : NULL, CALLER);
  me->tries = false;
  return seen;
}

INTERPOSE void unfold_add_operation(volatile void *address, size_t size, uint64_t value);
void unfold_add_operation(volatile void *address, size_t size, uint64_t value) {
  if (running) {
    const struct access access = {.name = "unfold_add",
                                  .bits = 8 * (unsigned)size,
                                  .kind = control->settings.ifaa ? UNF_ADD : UNF_FETCH_ADD,
                                  .address = address,
                                  .low = value,
                                  .order = __ATOMIC_SEQ_CST};
    location_operate(&access, CALLER);
  }
  uint64_t sum = 0;
  memcpy(&sum, (const void *)(uintptr_t)address, size);
  sum += value;
  memcpy((void *)(uintptr_t)address, &sum, size);
}

/* A thread whose assumption is false stops for ever, and its execution is of no interest. */
INTERPOSE void unfold_assumption_failed(void);
void unfold_assumption_failed(void) {
  if (running) schedule_end(UNF_OP_HALT(UNF_HALT_ASSUME), CALLER);
}

/* What programs state with <unfold/await.h> beside waits, which are in locations.c: additions that
 * nobody asks for the sum of, and assumptions. */
#include "preload.h"

#include <string.h>

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

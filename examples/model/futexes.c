/* Futexes: an atomic, and the threads whose states say that they wait in its queue. */
#include "futexes.h"

#include "atomics.h"

bool futexes_waits(enum opcode opcode) {
  return opcode == DO_FUTEX_WAIT || opcode == DO_TIMEDFUTEXWAIT;
}

bool futexes_ready(const struct intent *in) {
  return in->phase != PHASE_WAITING || in->opcode == DO_TIMEDFUTEXWAIT;
}

bool futexes_agree(const struct machine *m, const int64_t *state, const struct intent *in) {
  return machine_atomic(m, state, in->element) == in->value;
}

int64_t futexes_result(const struct machine *m, const int64_t *state, const struct intent *in) {
  if (in->phase == PHASE_NOTIFIED) return 0;
  if (in->phase == PHASE_WAITING) return 2;
  return futexes_agree(m, state, in) ? -1 : 1;
}

bool futexes_wait(const struct machine *m, int64_t *state, uint32_t thread, int64_t *result) {
  struct intent in;
  machine_intent(m, state, thread, &in);
  *result = futexes_result(m, state, &in);
  if (*result < 0) state[m->base[thread] + PHASE] = PHASE_WAITING;
  return *result >= 0;
}

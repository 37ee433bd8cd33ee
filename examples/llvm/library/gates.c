/* Gates: entering, waiting, and leaving, which tells those who watch. */
#include "gates.h"

#include "polls.h"

void __env_enter(struct gate *gate) {
  __unfold_await(&gate->state, sizeof gate->state, UNEQUAL, GATE_HELD, true, GATE_HELD);
}

void __env_await(struct gate *gate) {
  if (gate->outside)
    __unfold_await_outside(&gate->state, sizeof gate->state, GREATER, GATE_EMPTY, true, GATE_HELD);
  else
    __unfold_await(&gate->state, sizeof gate->state, GREATER, GATE_EMPTY, true, GATE_HELD);
}

/* Whoever is told stands in the list until poll() or epoll_wait() has looked. */
static void tell(struct watch *w) {
  struct waiting *by = w->member->by;
  w->told = true;
  __env_enter(&by->gate);
  w->next_told = NULL;
  if (by->told == NULL)
    by->told = w;
  else
    by->told_last->next_told = w;
  by->told_last = w;
  by->gate.readable = true;
  __env_leave(&by->gate);
}

void __env_leave(struct gate *gate) {
  for (struct watch *w = gate->watches; w != NULL; w = w->next)
    if (!w->told && (w->writing ? gate->writable : gate->readable)) tell(w);
  __atomic_store_n(&gate->state, gate->readable ? GATE_READY : GATE_EMPTY, __ATOMIC_SEQ_CST);
}

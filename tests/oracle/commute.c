/*
 * Whether the table of dependences is right: two actions of different threads that it calls
 * independent commute in every state that the program reaches (Section 2 of the CAV 2018 paper on
 * quasi-optimal partial order reduction). Neither makes the other possible or impossible, and both
 * orders lead to one state.
 */
#include "commute.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct states {
  machine machine;
  int64_t *here, *after; /* without and with the first action */
  int64_t *other, *both; /* with the second one alone, and after the first */
} states;

static bool possible_in(const states *s, const int64_t *state, const action *wanted) {
  action a;
  for (uint64_t i = 0; machine_action(&s->machine, state, wanted->thread, i, &a); i++) {
    if (a.kind == wanted->kind && a.target == wanted->target && a.second == wanted->second &&
        a.value == wanted->value) {
      return true;
    }
  }
  return false;
}

static void perform(states *s, int64_t *to, const int64_t *from, const action *a) {
  memcpy(to, from, s->machine.words * sizeof *to);
  machine_perform(&s->machine, to, a);
}

/* The actions of another thread with and without a before them. */
static bool commutes_with(states *s, const action *a, uint32_t thread) {
  action b;
  for (uint64_t i = 0; machine_action(&s->machine, s->after, thread, i, &b); i++) {
    if (!actions_dependent(a, &b) && !possible_in(s, s->here, &b)) return false;
  }
  for (uint64_t i = 0; machine_action(&s->machine, s->here, thread, i, &b); i++) {
    if (actions_dependent(a, &b)) continue;
    perform(s, s->other, s->here, &b);
    if (!possible_in(s, s->after, &b) || !possible_in(s, s->other, a)) return false;
    perform(s, s->both, s->after, &b);
    machine_perform(&s->machine, s->other, a);
    if (memcmp(s->both, s->other, s->machine.words * sizeof *s->both) != 0) return false;
  }
  return true;
}

/* All actions that are possible in the current state. */
static bool commute_here(states *s, char *text, size_t size) {
  uint32_t threads = (uint32_t)s->machine.program->thread_count;
  action a;
  for (uint32_t t = 0; t < threads; t++) {
    for (uint64_t i = 0; machine_action(&s->machine, s->here, t, i, &a); i++) {
      perform(s, s->after, s->here, &a);
      for (uint32_t u = 0; u < threads; u++) {
        if (u == t || commutes_with(s, &a, u)) continue;
        snprintf(text, size,
                 "%s of thread %" PRIu32 " does not commute with what thread %" PRIu32 " does",
                 action_name(a.kind), t, u);
        return false;
      }
    }
  }
  return true;
}

bool lattice_commutes(const lattice *l, uint32_t most, char *text, size_t size) {
  states s;
  machine_init(&s.machine, l->program);
  int64_t *words = oracle_allocate(4 * s.machine.words * sizeof *words);
  s.here = words;
  s.after = words + s.machine.words;
  s.other = words + 2 * s.machine.words;
  s.both = words + 3 * s.machine.words;
  bool good = true;
  for (size_t i = 0; i < l->configuration_count && i < most && good; i++) {
    const configuration *c = &l->configurations[i];
    machine_start(&s.machine, s.here);
    for (uint32_t j = 0; j < c->count; j++) {
      machine_perform(&s.machine, s.here, &l->events[c->events[j]].action);
    }
    good = commute_here(&s, text, size);
  }
  free(words);
  return good;
}

/* Executions of the workload, drawn once; performing them costs nothing but the library's time. */
#include "workload.h"

#include <stdlib.h>

static unsigned mutex_of(unsigned worker, unsigned round) {
  uint64_t state = (uint64_t)worker << 32 | round;
  return (unsigned)(splitmix64(&state) % MUTEXES);
}

struct writer {
  unf_action *at;
};

static void put(struct writer *w, unf_action_kind kind, unsigned thread, unsigned target) {
  *w->at++ = (unf_action){kind, thread, target, 0, 0};
}

/* The scheduled part: at each step one of the workers that can go on, in ascending order. */
static void schedule(const struct workload *load, uint64_t seed, struct writer *w) {
  unsigned position[MOST_WORKERS + 1] = {0}, holder[MUTEXES] = {0};
  for (;;) {
    unsigned able[MOST_WORKERS], count = 0;
    for (unsigned t = 1; t <= load->workers; t++) {
      if (position[t] == 2 * load->rounds) continue;
      bool locks = position[t] % 2 == 0;
      if (!locks || holder[mutex_of(t, position[t] / 2)] == 0) able[count++] = t;
    }
    if (count == 0) return;
    unsigned t = able[splitmix64(&seed) % count];
    unsigned m = mutex_of(t, position[t] / 2);
    bool locks = position[t]++ % 2 == 0;
    holder[m] = locks ? t : 0;
    put(w, locks ? UNF_DID_ACQUIRE : UNF_DID_RELEASE, t, m);
    if (locks && load->locals) put(w, UNF_DID_LOCAL, t, 0);
  }
}

bool workload_make(struct workload *load, unsigned workers, unsigned rounds, bool locals) {
  *load = (struct workload){.workers = workers, .rounds = rounds, .locals = locals};
  size_t each = 1 + 4 * workers + workers * rounds * (locals ? 3 : 2);
  load->actions = malloc(SCHEDULES * each * sizeof *load->actions);
  if (load->actions == NULL) return false;
  struct writer w = {load->actions};
  for (unsigned s = 0; s < SCHEDULES; s++) {
    load->first[s] = (size_t)(w.at - load->actions);
    put(&w, UNF_DID_LOCAL, 0, 0);
    for (unsigned t = 1; t <= workers; t++)
      put(&w, UNF_DID_CREATE, 0, t);
    for (unsigned t = 1; t <= workers; t++)
      put(&w, UNF_DID_LOCAL, t, 0);
    schedule(load, s + 1, &w);
    for (unsigned t = 1; t <= workers; t++)
      put(&w, UNF_DID_LOCAL, t, 0);
    for (unsigned t = 1; t <= workers; t++)
      put(&w, UNF_DID_JOIN, 0, t);
  }
  load->first[SCHEDULES] = (size_t)(w.at - load->actions);
  return true;
}

void workload_free(struct workload *load) {
  free(load->actions);
}

unf_status workload_name(const struct workload *load, unf_unfolding *u) {
  unf_thread main, worker;
  unf_object mutex;
  unf_status status = unf_thread_name(u, UNF_THREAD_NONE, 0, &main);
  for (unsigned t = 1; status == UNF_OK && t <= load->workers; t++)
    status = unf_thread_name(u, main, t - 1, &worker);
  for (unsigned m = 0; status == UNF_OK && m < MUTEXES; m++)
    status = unf_object_name(u, UNF_MUTEX, UNF_THREAD_NONE, m, &mutex);
  return status == UNF_OK ? unf_thread_start(u, main) : status;
}

static unf_operation operation_of(const unf_action *action) {
  switch (action->kind) {
  case UNF_DID_CREATE:
    return UNF_OP_CREATE(action->target);
  case UNF_DID_JOIN:
    return UNF_OP_JOIN(action->target);
  case UNF_DID_ACQUIRE:
    return UNF_OP_LOCK(action->target);
  case UNF_DID_RELEASE:
    return UNF_OP_UNLOCK(action->target);
  default:
    return UNF_OP_LOCAL(0, 0);
  }
}

/* Finishing is no event, but a join waits for it. */
static unf_status offer_exits(const struct workload *load, unf_configuration *c, unsigned first) {
  unf_operation end = UNF_OP_EXIT();
  unf_status status = UNF_OK;
  for (unsigned t = first; status == UNF_OK && t <= load->workers; t++)
    status = unf_configuration_offer(c, t, &end);
  return status;
}

unf_status workload_perform(const struct workload *load, unsigned schedule, bool offering,
                            unf_configuration *c, unf_event *events) {
  size_t begin = load->first[schedule], end = load->first[schedule + 1];
  size_t joins = end - load->workers;
  unf_status status = UNF_OK;
  unf_configuration_clear(c);
  for (size_t i = begin; status == UNF_OK && i < end; i++) {
    const unf_action *action = &load->actions[i];
    unf_event event;
    if (i == joins) status = offer_exits(load, c, 1);
    if (status == UNF_OK && offering) {
      unf_operation operation = operation_of(action);
      status = unf_configuration_offer(c, action->thread, &operation);
    }
    if (status == UNF_OK) status = unf_configuration_perform(c, action, &event);
    if (events != NULL) events[i] = event;
  }
  return status == UNF_OK && offering ? offer_exits(load, c, 0) : status;
}

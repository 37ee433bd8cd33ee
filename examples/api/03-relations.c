/*
 * 3. Causality, conflict and concurrency.
 *
 * Two different events are exactly one of: ordered (one is a cause of the other), in conflict (no
 * execution has both), or concurrent (an execution can have both, next to each other in either
 * order). The library answers for any pair, also for events that were never in one execution.
 */
#include "api.h"

static unf_unfolding *unfolding;

/* Events can also be made by hand, from an action and its causes. */
static unf_event event(unf_action_kind kind, unf_thread thread, unf_object mutex, unf_event cause) {
  unf_action action = {kind, thread, mutex, 0, 0};
  unf_event made;
  MUST(unf_event_intern(unfolding, &action, &cause, 1, &made));
  return made;
}

static void relate(const char *what, unf_event a, unf_event b) {
  bool before, after, conflict, immediate, concurrent;
  MUST(unf_event_precedes(unfolding, a, b, &before));
  MUST(unf_event_precedes(unfolding, b, a, &after));
  MUST(unf_event_conflicts(unfolding, a, b, &conflict));
  MUST(unf_event_conflicts_immediately(unfolding, a, b, &immediate));
  MUST(unf_event_concurrent(unfolding, a, b, &concurrent));
  printf("%s: %s\n", what,
         before       ? "ordered"
         : after      ? "ordered, the other way round"
         : immediate  ? "in immediate conflict"
         : conflict   ? "in conflict, by inheritance"
         : concurrent ? "concurrent"
                      : "nothing, which cannot be");
}

int main(void) {
  unf_context *context;
  MUST(unf_context_new(NULL, &context));
  MUST(unf_unfolding_new(context, NULL, &unfolding));
  unf_thread thread[3];
  for (uint32_t i = 0; i < 3; i++) {
    MUST(unf_thread_name(unfolding, UNF_THREAD_NONE, i, &thread[i]));
    MUST(unf_thread_start(unfolding, thread[i]));
  }
  unf_object m, n;
  MUST(unf_object_name(unfolding, UNF_MUTEX, UNF_THREAD_NONE, 0, &m));
  MUST(unf_object_name(unfolding, UNF_MUTEX, UNF_THREAD_NONE, 1, &n));

  /* Threads 0 and 1 want m, thread 2 wants n. */
  unf_event zero_first = event(UNF_DID_ACQUIRE, thread[0], m, UNF_EVENT_BOTTOM);
  unf_event zero_gives = event(UNF_DID_RELEASE, thread[0], m, zero_first);
  unf_event one_second = event(UNF_DID_ACQUIRE, thread[1], m, zero_gives);
  unf_event one_first = event(UNF_DID_ACQUIRE, thread[1], m, UNF_EVENT_BOTTOM);
  unf_event two = event(UNF_DID_ACQUIRE, thread[2], n, UNF_EVENT_BOTTOM);

  relate("0 takes m, 0 gives it back", zero_first, zero_gives);
  relate("1 takes m after 0, 0 takes m", one_second, zero_first);
  relate("0 takes m first, 1 takes m first", zero_first, one_first);
  relate("0 gives m back, 1 takes m first", zero_gives, one_first);
  relate("0 takes m, 2 takes n", zero_first, two);

  /* The relation of actions behind it: which ones do not commute. */
  unf_action acquire = {UNF_DID_ACQUIRE, thread[0], m, 0, 0};
  unf_action also = {UNF_DID_ACQUIRE, thread[1], m, 0, 0};
  unf_action apart = {UNF_DID_ACQUIRE, thread[2], n, 0, 0};
  bool same, different;
  MUST(unf_actions_dependent(unfolding, &acquire, &also, &same));
  MUST(unf_actions_dependent(unfolding, &acquire, &apart, &different));
  printf("dependent on the same mutex: %s, on different ones: %s\n", same ? "yes" : "no",
         different ? "yes" : "no");

  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return EXIT_SUCCESS;
}

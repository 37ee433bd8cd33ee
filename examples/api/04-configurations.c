/*
 * 4. Configurations: union, linearisation, maximal events.
 *
 * A configuration is a set of events that is closed under causes and free of conflict. It stands
 * for all the orders in which its events can run. Two of them can be united if nothing in one is in
 * conflict with something in the other.
 */
#include <inttypes.h>

#include "api.h"

static unf_unfolding *unfolding;
static unf_thread thread[2];
static unf_object mutex[2];

static unf_event perform(unf_configuration *c, unf_action_kind kind, int who, int what) {
  unf_action action = {kind, thread[who], mutex[what], 0, 0};
  unf_event event;
  MUST(unf_configuration_perform(c, &action, &event));
  return event;
}

int main(void) {
  unf_context *context;
  MUST(unf_context_new(NULL, &context));
  MUST(unf_unfolding_new(context, NULL, &unfolding));
  for (uint32_t i = 0; i < 2; i++) {
    MUST(unf_thread_name(unfolding, UNF_THREAD_NONE, i, &thread[i]));
    MUST(unf_thread_start(unfolding, thread[i]));
    MUST(unf_object_name(unfolding, UNF_MUTEX, UNF_THREAD_NONE, i, &mutex[i]));
  }

  /* Thread 0 uses mutex 0, thread 1 mutex 1: two configurations that know nothing of each other. */
  unf_configuration *a, *b, *both;
  MUST(unf_configuration_new(unfolding, &a));
  MUST(unf_configuration_new(unfolding, &b));
  MUST(unf_configuration_new(unfolding, &both));
  perform(a, UNF_DID_ACQUIRE, 0, 0);
  perform(a, UNF_DID_RELEASE, 0, 0);
  unf_event held = perform(b, UNF_DID_ACQUIRE, 1, 1);

  MUST(unf_configuration_assign(both, a));
  MUST(unf_configuration_unite(both, b));
  printf("the union has %u events; one order in which they can run is\n",
         unf_configuration_size(both));
  MUST(unf_configuration_linearize(both, print_event, unfolding));
  unf_switches switches;
  printf("one with few switches of thread is\n");
  MUST(unf_configuration_fewest_switches(both, 1000, print_event, unfolding, &switches));
  printf("it has %" PRIu64 ", and none has fewer than %" PRIu64 "\n", switches.switches,
         switches.least);
  printf("nothing comes after\n");
  MUST(unf_configuration_maximal(both, print_event, unfolding));

  /* What can be asked of a configuration: what is in it, how far a thread is, who holds a mutex. */
  bool inside;
  unf_event last;
  unf_thread owner;
  MUST(unf_configuration_contains(both, held, &inside));
  MUST(unf_configuration_last(both, thread[0], &last));
  MUST(unf_configuration_owner(both, mutex[1], &owner));
  printf("contains event %u: %s; last of thread 0: %u; mutex 1 is held by thread 1: %s\n", held,
         inside ? "yes" : "no", last, owner == thread[1] ? "yes" : "no");

  /* Another execution of thread 1 begins with mutex 0, before thread 0 had it. That cannot be
   * united with a. */
  unf_configuration_clear(b);
  unf_event rival = perform(b, UNF_DID_ACQUIRE, 1, 0);
  printf("a united with a rival of its first event: %s\n",
         unf_status_text(unf_configuration_unite(a, b)));
  printf("a is as it was: %u events\n", unf_configuration_size(a));
  printf("the rival alone: %s\n", unf_status_text(unf_configuration_extend(a, rival)));

  unf_configuration_free(both);
  unf_configuration_free(b);
  unf_configuration_free(a);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return EXIT_SUCCESS;
}

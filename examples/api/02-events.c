/*
 * 2. Performing actions: events and their predecessors.
 *
 * A configuration is what an execution leaves behind. One begins with nothing, and performing an
 * action adds an event to it. An event is an action *and its causes*: the same action after other
 * causes is another event, the same action after the same causes is the same event, in whatever
 * order the rest happened.
 */
#include "api.h"

static unf_unfolding *unfolding;
static unf_thread left, right;
static unf_object m;

static unf_event perform(unf_configuration *c, unf_action_kind kind, unf_thread thread) {
  unf_action action = {kind, thread, m, 0, 0};
  unf_event event;
  MUST(unf_configuration_perform(c, &action, &event));
  return event;
}

int main(void) {
  unf_context *context;
  unf_configuration *one, *other;
  MUST(unf_context_new(NULL, &context));
  MUST(unf_unfolding_new(context, NULL, &unfolding));
  MUST(unf_thread_name(unfolding, UNF_THREAD_NONE, 0, &left));
  MUST(unf_thread_name(unfolding, UNF_THREAD_NONE, 1, &right));
  MUST(unf_thread_start(unfolding, left));
  MUST(unf_thread_start(unfolding, right));
  MUST(unf_object_name(unfolding, UNF_MUTEX, UNF_THREAD_NONE, 0, &m));

  /* left takes the mutex and gives it back, then right takes it. */
  MUST(unf_configuration_new(unfolding, &one));
  perform(one, UNF_DID_ACQUIRE, left);
  perform(one, UNF_DID_RELEASE, left);
  unf_event second = perform(one, UNF_DID_ACQUIRE, right);

  /* The immediate predecessors of right's acquire: left's release, because they are about
   * the same mutex. */
  printf("right's acquire comes directly after\n");
  MUST(unf_event_predecessors(unfolding, second, print_event, unfolding));
  printf("and its history is\n");
  MUST(unf_event_history(unfolding, second, print_event, unfolding));

  /* An action that is not possible is refused: left cannot take what right holds. */
  unf_action steal = {UNF_DID_ACQUIRE, left, m, 0, 0};
  printf("left acquires it, too: %s\n",
         unf_status_text(unf_configuration_perform(one, &steal, NULL)));

  /* In another execution right is first. Its acquire is another event, for it has other causes. */
  MUST(unf_configuration_new(unfolding, &other));
  unf_event first = perform(other, UNF_DID_ACQUIRE, right);
  printf("right's acquire at once is a different event: %s\n", first != second ? "yes" : "no");
  MUST(unf_event_predecessors(unfolding, first, print_event, unfolding));

  /* Doing what was done before makes nothing new: events are interned. */
  uint32_t before = unf_unfolding_events(unfolding);
  unf_configuration_clear(one);
  perform(one, UNF_DID_ACQUIRE, left);
  printf("events before and after repeating left's acquire: %u, %u\n", before,
         unf_unfolding_events(unfolding));

  unf_configuration_free(other);
  unf_configuration_free(one);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return EXIT_SUCCESS;
}

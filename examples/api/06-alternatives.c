/*
 * 6. Alternatives.
 *
 * Exploration without repetition comes down to one question. C was explored, D are events that must
 * not be taken again after it: is there a configuration J that fits with C and is in conflict with
 * every event of D? Then it is worth going on beside D, and J is where to go. The events of J are
 * looked for in a set U of known events.
 *
 * Deciding this for all of D is NP-complete, so k says how many events of D must be contradicted:
 * with UNF_K_OPTIMAL all of them, with a small k the answer is quick and may lead nowhere.
 */
#include "api.h"

static unf_unfolding *unfolding;
static unf_configuration *C, *J;

static unf_event event(uint32_t thread, unf_object mutex) {
  unf_action action = {UNF_DID_ACQUIRE, thread, mutex, 0, 0};
  unf_event bottom = UNF_EVENT_BOTTOM, made;
  MUST(unf_event_intern(unfolding, &action, &bottom, 1, &made));
  return made;
}

static void look(const char *what, const unf_event *U, uint32_t U_count, const unf_event *D,
                 uint32_t D_count, uint32_t k) {
  unf_alternative_options options = UNF_ALTERNATIVE_OPTIONS_INIT;
  options.k = k;
  options.greedy = false; /* so that the effect of k alone is seen */
  unf_alternative_statistics cost = {0};
  bool found;
  MUST(unf_alternative_find(unfolding, U, U_count, C, D, D_count, &options, &found, J, &cost));
  printf("%s: %s\n", what, found ? "found" : "none");
  if (found) MUST(unf_configuration_linearize(J, print_event, unfolding));
}

int main(void) {
  unf_context *context;
  MUST(unf_context_new(NULL, &context));
  MUST(unf_unfolding_new(context, NULL, &unfolding));
  unf_thread thread[4];
  unf_object m, n;
  for (uint32_t i = 0; i < 4; i++) {
    MUST(unf_thread_name(unfolding, UNF_THREAD_NONE, i, &thread[i]));
    MUST(unf_thread_start(unfolding, thread[i]));
  }
  MUST(unf_object_name(unfolding, UNF_MUTEX, UNF_THREAD_NONE, 0, &m));
  MUST(unf_object_name(unfolding, UNF_MUTEX, UNF_THREAD_NONE, 1, &n));

  /* Threads 0 and 1 compete for m, threads 2 and 3 for n. */
  unf_event zero = event(thread[0], m), one = event(thread[1], m);
  unf_event two = event(thread[2], n), three = event(thread[3], n);
  MUST(unf_configuration_new(unfolding, &C));
  MUST(unf_configuration_new(unfolding, &J));

  /* After nothing, instead of both 0 and 2 being first: 1 and 3 are. */
  unf_event U[] = {one, three}, D[] = {zero, two};
  look("instead of 0 and 2, from 1 and 3", U, 2, D, 2, UNF_K_OPTIMAL);

  /* If only 1 is known, 2 stays without contradiction: no alternative, and the search says so. */
  look("instead of 0 and 2, from 1", U, 1, D, 2, UNF_K_OPTIMAL);

  /* One contradiction is enough for k = 1; nothing then keeps 0 from being taken again. */
  look("instead of 0 and 2, from 1 and 3, k = 1", U, 2, D, 2, 1);

  /* When C has 3 already, D's event 2 is in conflict with it and needs nothing more. */
  MUST(unf_configuration_add(C, three));
  look("after 3, instead of 0 and 2, from 1", U, 1, D, 2, UNF_K_OPTIMAL);

  unf_configuration_free(J);
  unf_configuration_free(C);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return EXIT_SUCCESS;
}

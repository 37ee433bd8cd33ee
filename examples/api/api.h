/* What the examples share: one way to treat a status, and one to print an action. */
#ifndef EXAMPLES_API_H
#define EXAMPLES_API_H

#include <stdio.h>
#include <stdlib.h>
#include <unfold/unfold.h>

/* Every fallible call returns a status. A program of this size has no better answer to a failure
 * than to say so and leave. */
static inline void must(unf_status status, const char *call) {
  if (status == UNF_OK) return;
  fprintf(stderr, "%s: %s\n", call, unf_status_text(status));
  exit(EXIT_FAILURE);
}
#define MUST(call) must((call), #call)

static inline void print_action(const unf_unfolding *unfolding, const unf_action *action) {
  char text[96];
  unf_action_text(unfolding, action, text, sizeof text);
  printf("%s\n", text);
}

/* For unf_*_linearize, _maximal, _history, _predecessors and the extensions: user
 * is the unfolding. */
static inline bool print_event(void *user, unf_event event) {
  unf_action action;
  printf("  %u: ", event);
  if (event == UNF_EVENT_BOTTOM) {
    printf("the beginning\n");
    return true;
  }
  MUST(unf_event_action(user, event, &action));
  print_action(user, &action);
  return true;
}

#endif

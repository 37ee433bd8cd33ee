/*
 * 5. Extensions: what can happen next, and what could have happened instead.
 *
 * The library does not run programs. It is told what each thread is about to do (an operation,
 * *offered*) and works out what can come of that. en(C) is what is possible after a configuration
 * C, cex(C) what was possible instead of some part of it. A configuration without enabled events is
 * maximal; if some thread is not finished there, it is blocked.
 *
 * Two threads take two mutexes in opposite order, and both stand before their second one: a
 * deadlock. Its conflicting extensions are the ways out that were missed, found without running
 * anything again.
 */
#include "api.h"

static unf_unfolding *unfolding;
static unf_thread thread[2];
static unf_object mutex[2];

static void offer(unf_configuration *c, int who, unf_operation operation) {
  MUST(unf_configuration_offer(c, thread[who], &operation));
}

static void acquire(unf_configuration *c, int who, int what) {
  unf_action action = {UNF_DID_ACQUIRE, thread[who], mutex[what], 0, 0};
  MUST(unf_configuration_perform(c, &action, NULL));
}

static bool count(void *user, unf_event event) {
  (void)event;
  ++*(int *)user;
  return true;
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

  /* Without knowing what every started thread is about to do, there is no answer. */
  unf_configuration *c;
  MUST(unf_configuration_new(unfolding, &c));
  offer(c, 0, UNF_OP_LOCK(mutex[0]));
  printf("with one offer: %s\n",
         unf_status_text(unf_extensions_enabled(c, print_event, unfolding)));
  offer(c, 1, UNF_OP_LOCK(mutex[1]));
  printf("enabled at the start\n");
  MUST(unf_extensions_enabled(c, print_event, unfolding));

  /* Each takes its first mutex and wants the other's. */
  acquire(c, 0, 0);
  offer(c, 0, UNF_OP_LOCK(mutex[1]));
  printf("enabled after thread 0 has its first\n");
  MUST(unf_extensions_enabled(c, print_event, unfolding));
  acquire(c, 1, 1);
  offer(c, 1, UNF_OP_LOCK(mutex[0]));

  int enabled = 0;
  MUST(unf_extensions_enabled(c, count, &enabled));
  printf("enabled after both have their first: %d, the deadlock\n", enabled);
  printf("what could have happened instead\n");
  MUST(unf_extensions_conflicting(c, print_event, unfolding));

  unf_configuration_free(c);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return EXIT_SUCCESS;
}

/*
 * 1. Context, threads, objects and names.
 *
 * A context holds what everything else needs: the allocator, the limits, the account of the last
 * error. There is no global state. From it comes an unfolding: the structure in which events are
 * kept, each of them once.
 *
 * Threads and mutexes are *named*, not numbered in the order in which they happen to appear: a
 * thread is child number i of its parent, an object is what its creator calls by a key. The library
 * returns a small handle, always the same handle for the same name. So two executions of one
 * program agree on what they are talking about.
 */
#include "api.h"

#include <inttypes.h>

int main(void) {
  /* Options are always initialised by their macro; NULL would mean the same here. */
  unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
  unf_context *context;
  unf_unfolding *unfolding;
  MUST(unf_context_new(&options, &context));
  MUST(unf_unfolding_new(context, NULL, &unfolding));

  /* The main thread is child 0 of ⊥, which is the beginning of everything. It runs from there on;
   * nobody creates it. */
  unf_thread main_thread, worker, again;
  MUST(unf_thread_name(unfolding, UNF_THREAD_NONE, 0, &main_thread));
  MUST(unf_thread_start(unfolding, main_thread));

  /* The third thread that main creates, if it ever does: naming is not starting. */
  MUST(unf_thread_name(unfolding, main_thread, 2, &worker));
  MUST(unf_thread_name(unfolding, main_thread, 2, &again));
  printf("the same name, the same handle: %s\n", worker == again ? "yes" : "no");

  char text[32];
  unf_thread_text(unfolding, worker, text, sizeof text);
  printf("the worker is thread %s\n", text);

  /* A mutex that was there from the start, and one that the worker made; the key is the caller's,
   * an address for example. */
  unf_object global, private;
  MUST(unf_object_name(unfolding, UNF_MUTEX, UNF_THREAD_NONE, 7, &global));
  MUST(unf_object_name(unfolding, UNF_MUTEX, worker, 7, &private));
  unf_thread creator;
  uint64_t key;
  MUST(unf_object_describe(unfolding, private, NULL, &creator, &key));
  printf("the second mutex was made by the worker: %s, its key is %" PRIu64 "\n",
         creator == worker ? "yes" : "no", key);

  printf("%u threads, %u objects, %u events\n", unf_unfolding_threads(unfolding),
         unf_unfolding_objects(unfolding), unf_unfolding_events(unfolding));

  /* What fails says so by its status; the detail has a sentence about it. Nothing was changed by
   * the call. */
  unf_status status = unf_thread_name(unfolding, 99, 0, &again);
  printf("a child of thread 99: %s\n", unf_status_text(status));
  printf("the detail agrees: %s\n",
         unf_context_detail(context)->status == UNF_UNKNOWN ? "yes" : "no");

  /* In the reverse order of making. */
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return EXIT_SUCCESS;
}

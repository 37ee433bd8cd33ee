/* A user's first program: two threads that want one mutex, explored against the installed library.
 * Two executions are expected. */
#include <stdio.h>
#include <string.h>
#include <unfold/unfold.h>

static unf_operation operation_of(unf_object mutex, unsigned pc) {
  unf_operation lock = UNF_OP_LOCK(mutex), unlock = UNF_OP_UNLOCK(mutex), exit = UNF_OP_EXIT();
  return pc == 0 ? lock : pc == 1 ? unlock : exit;
}

int main(void) {
  unf_context *context;
  unf_unfolding *unfolding;
  unf_explorer *explorer;
  unf_thread threads[2];
  unf_object mutex;
  unf_run run;
  unf_step step;
  unf_counts counts;
  if (unf_version() != UNF_VERSION || strcmp(unf_version_text(), UNF_VERSION_STRING) != 0) return 1;
  if (unf_context_new(NULL, &context) != UNF_OK ||
      unf_unfolding_new(context, NULL, &unfolding) != UNF_OK)
    return 1;
  for (unsigned i = 0; i < 2; i++)
    if (unf_thread_name(unfolding, UNF_THREAD_NONE, i, &threads[i]) != UNF_OK ||
        unf_thread_start(unfolding, threads[i]) != UNF_OK)
      return 1;
  if (unf_object_name(unfolding, UNF_MUTEX, UNF_THREAD_NONE, 0, &mutex) != UNF_OK ||
      unf_explorer_new(unfolding, NULL, &explorer) != UNF_OK)
    return 1;
  while (unf_explorer_next(explorer, &run) == UNF_OK && !run.finished) {
    unsigned pc[2] = {0, 0};
    do {
      for (unsigned i = 0; i < 2; i++) {
        unf_operation next = operation_of(mutex, pc[i]);
        if (unf_explorer_offer(explorer, threads[i], &next) != UNF_OK) return 1;
      }
      if (unf_explorer_step(explorer, &step) != UNF_OK) return 1;
      if (step.kind != UNF_STEP_ACTION) break;
      pc[step.action.thread == threads[1]]++;
    } while (unf_explorer_commit(explorer, NULL, 0) == UNF_OK);
    if (unf_explorer_finish(explorer, false, NULL) != UNF_OK) return 1;
  }
  unf_explorer_counts(explorer, &counts);
  printf("libunfold %s: %llu executions\n", unf_version_text(), (unsigned long long)counts.traces);
  unf_explorer_free(explorer);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return counts.traces == 2 && counts.redundant == 0 ? 0 : 1;
}

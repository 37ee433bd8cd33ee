/*
 * 20. One exploration by several workers.
 *
 * A ledger gives items away; workers explore them, and report. Here all are in one process and take
 * turns, so that what travels between machines are strings. Four threads take a mutex once each: 24
 * executions. After each execution a worker is asked to split, so that there is something for the
 * other one; one worker is lost with all that it did not report.
 */
#include "api.h"

#include <inttypes.h>
#include <string.h>

enum { THREADS = 4, WORKERS = 2 };

/* What is on its way. */
struct letter {
  char bytes[1 << 16];
  size_t size, at;
};

static bool write_letter(void *user, const char *bytes, size_t size) {
  struct letter *letter = user;
  if (size > sizeof letter->bytes - letter->size) return false;
  memcpy(letter->bytes + letter->size, bytes, size);
  letter->size += size;
  return true;
}

static bool read_letter(void *user, void *bytes, size_t size, size_t *got) {
  struct letter *letter = user;
  *got = size < letter->size - letter->at ? size : letter->size - letter->at;
  memcpy(bytes, letter->bytes + letter->at, *got);
  letter->at += *got;
  return true;
}

/* Nothing of it is shared with others: it could be on another machine. */
struct worker {
  unf_context *context;
  unf_unfolding *unfolding;
  unf_explorer *explorer;
  unf_thread thread[THREADS];
  unf_object mutex;
  uint64_t item; /* that it has; 0: none */
  unsigned executions, reports;
  unsigned wanted; /* so many executions, and no more */
  unsigned pc[THREADS];
};

static void open_worker(struct worker *w) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  options.algorithm = UNF_ODPOR;
  memset(w, 0, sizeof *w);
  MUST(unf_context_new(NULL, &w->context));
  MUST(unf_unfolding_new(w->context, NULL, &w->unfolding));
  for (uint32_t i = 0; i < THREADS; i++) {
    MUST(unf_thread_name(w->unfolding, UNF_THREAD_NONE, i, &w->thread[i]));
    MUST(unf_thread_start(w->unfolding, w->thread[i]));
  }
  MUST(unf_object_name(w->unfolding, UNF_MUTEX, UNF_THREAD_NONE, 0, &w->mutex));
  MUST(unf_explorer_new(w->unfolding, &options, &w->explorer));
}

static void close_worker(struct worker *w) {
  unf_explorer_free(w->explorer);
  unf_unfolding_free(w->unfolding);
  unf_context_free(w->context);
}

/* ---- executions, as ever, but one at a time ---- */

static unf_status restart(void *user, const unf_run *run) {
  struct worker *w = user;
  (void)run;
  memset(w->pc, 0, sizeof w->pc);
  return UNF_OK;
}

static unsigned who_is(const struct worker *w, unf_thread thread) {
  unsigned who = 0;
  while (w->thread[who] != thread)
    who++;
  return who;
}

static unf_status next(void *user, unf_thread thread, unf_operation *operation) {
  const struct worker *w = user;
  const unf_operation program[] = {UNF_OP_LOCK(w->mutex), UNF_OP_UNLOCK(w->mutex), UNF_OP_EXIT()};
  *operation = program[w->pc[who_is(w, thread)]];
  return UNF_OK;
}

static unf_status perform(void *user, const unf_step *step, unf_performed *performed) {
  struct worker *w = user;
  (void)performed;
  w->pc[who_is(w, step->action.thread)]++;
  return UNF_OK;
}

static unf_status ended(void *user, const unf_verdict *verdict, unf_explorer *explorer) {
  struct worker *w = user;
  (void)verdict;
  (void)explorer;
  w->executions++;
  return UNF_OK;
}

/* A status of the engine ends unf_explore(), which goes on with its next call. */
static unf_status progress(void *user, unf_explorer *explorer) {
  const struct worker *w = user;
  (void)explorer;
  return w->executions < w->wanted ? UNF_OK : UNF_INTERRUPTED;
}

/* One execution, if there is one left below the item. */
static void execute(struct worker *w) {
  const unf_engine engine = {.size = sizeof engine,
                             .user = w,
                             .restart = restart,
                             .next = next,
                             .perform = perform,
                             .ended = ended,
                             .progress = progress};
  w->wanted = w->executions + 1;
  const unf_status status = unf_explore(w->explorer, &engine, NULL);
  if (status != UNF_INTERRUPTED) MUST(status);
}

/* ---- letters ---- */

/* Returns the traces that count now. */
static uint64_t report(unf_ledger *ledger, struct worker *w) {
  static struct letter letter;
  unf_report told = UNF_REPORT_INIT;
  letter.size = letter.at = 0;
  MUST(unf_explorer_report(w->explorer, true, write_letter, &letter, &told));
  MUST(unf_ledger_report(ledger, w->item, read_letter, &letter));
  w->reports++;
  if (told.finished) w->item = 0;
  return told.counts.traces;
}

static void give(unf_ledger *ledger, struct worker *w) {
  static struct letter letter;
  letter.size = letter.at = 0;
  MUST(unf_ledger_give(ledger, write_letter, &letter, &w->item));
  if (w->item != 0) MUST(unf_explorer_begin_item(w->explorer, read_letter, &letter));
}

int main(void) {
  struct worker workers[WORKERS];
  unf_context *context;
  unf_unfolding *names;
  unf_ledger *ledger;
  unf_ledger_state state = UNF_LEDGER_STATE_INIT;
  uint64_t traces = 0;
  bool lost = false;

  /* The ledger needs neither the program nor its executions. */
  MUST(unf_context_new(NULL, &context));
  MUST(unf_unfolding_new(context, NULL, &names));
  MUST(unf_ledger_new(names, &ledger));
  for (unsigned i = 0; i < WORKERS; i++)
    open_worker(&workers[i]);

  do {
    for (unsigned i = 0; i < WORKERS; i++) {
      struct worker *w = &workers[i];
      if (w->item == 0) {
        give(ledger, w);
        continue;
      }
      execute(w);
      /* What a worker did and did not report is explored by others. */
      if (i == 1 && !lost) {
        MUST(unf_ledger_take_back(ledger, w->item));
        close_worker(w);
        open_worker(w);
        lost = true;
        continue;
      }
      traces += report(ledger, w);
    }
    MUST(unf_ledger_look(ledger, &state));
  } while (state.open + state.given > 0);

  printf("%" PRIu64 " traces; %" PRIu64 " items finished, %" PRIu64 " taken back\n", traces,
         state.finished, state.lost);
  for (unsigned i = 0; i < WORKERS; i++)
    printf("worker %u: %u executions, %u reports\n", i + 1, workers[i].executions,
           workers[i].reports);

  for (unsigned i = 0; i < WORKERS; i++)
    close_worker(&workers[i]);
  unf_ledger_free(ledger);
  unf_unfolding_free(names);
  unf_context_free(context);
  return EXIT_SUCCESS;
}

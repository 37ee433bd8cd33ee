/* The state of the current run, and how it goes on and back. */
#include "states.h"

#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "objects.h"

const char *session_name(const struct session *s) {
  const char *slash = strrchr(s->shown, '/');
  return slash != NULL ? slash + 1 : s->shown;
}

static uint64_t bytes_of(const struct session *s) {
  return unf_context_bytes(s->context) + s->machine.words * sizeof *s->state +
         history_bytes(&s->history, machine_items(&s->machine)) + s->checkpoints.bytes +
         messages_bytes(s->machine.messages) + inputs_bytes(&s->inputs);
}

/* An execution need not end, and there can be many threads: so signals, and the limits that the
 * library looks at between executions, are looked at here too. */
unf_status session_look(struct session *s, uint64_t work) {
  enum { WORK_BETWEEN_LOOKS = 1 << 17 };
  const struct cli_options *o = &s->options;
  s->work += work;
  if (s->work < WORK_BETWEEN_LOOKS) return UNF_OK;
  s->work = 0;
  if (cli_interrupt_came() && !s->undisturbed)
    s->result.stopped = "interrupt";
  else if (o->max_seconds > 0 && cli_now() - s->start > o->max_seconds)
    s->result.stopped = "seconds";
  else if (o->max_memory > 0 && bytes_of(s) > o->max_memory)
    s->result.stopped = "memory";
  return s->result.stopped != NULL ? UNF_INTERRUPTED : UNF_OK;
}

unf_status session_open(struct session *s) {
  const uint64_t items = machine_items(&s->machine), most = s->options.max_memory;
  if (most > 0 && bytes_of(s) + items * sizeof *s->history.entered > most) {
    s->result.stopped = "memory";
    return UNF_INTERRUPTED;
  }
  /* One word more, so that a program without any state has an array too. */
  s->state = calloc((size_t)s->machine.words + 1, sizeof *s->state);
  return s->state != NULL && history_make(&s->history, items) ? UNF_OK : UNF_MEMORY;
}

bool session_begin(struct session *s, struct problem *problem) {
  s->machine.history = NULL; /* there is nothing to go back to */
  s->steps = 0;
  history_begin(&s->history);
  machine_begin(&s->machine, s->state);
  for (uint32_t t = 0; t < s->program.count[SYMBOL_THREAD]; t++) {
    problem->thread = t;
    if (!machine_initial(&s->machine, t)) continue;
    if (session_look(s, WORK_OF_STEP) != UNF_OK ||
        !machine_settle(&s->machine, s->state, t, problem))
      return false;
  }
  s->machine.history = &s->history;
  return true;
}

unf_status session_step(struct session *s) {
  const bool sends = s->program.count[SYMBOL_CHANNEL] > 0;
  if (!history_step(&s->history, s->steps) || s->history.failed ||
      (sends && !messages_reserve(s->machine.messages)))
    return UNF_MEMORY;
  s->steps++;
  return session_look(s, WORK_OF_STEP + s->program.count[SYMBOL_THREAD]);
}

void session_back(struct session *s, uint64_t steps) {
  if (steps >= s->steps) return;
  history_back(&s->history, s->state, steps);
  s->steps = steps;
}

unf_status session_restore(struct session *s, uint64_t steps, const struct checkpoint *kept) {
  struct journal *j = &s->checkpoints.journal;
  if (kept->journal.count > j->room) {
    struct entry *entries = realloc(j->entries, kept->journal.count * sizeof *entries);
    if (entries == NULL) return UNF_MEMORY;
    j->entries = entries;
    j->room = kept->journal.count;
  }
  j->count = kept->journal.count;
  if (j->count > 0) memcpy(j->entries, kept->journal.entries, j->count * sizeof *j->entries);
  unf_status status = session_step(s); /* one that changes everything */
  if (status != UNF_OK) return status;
  history_enter(&s->history, s->state, 0, s->machine.words);
  if (s->machine.words > 0) memcpy(s->state, kept->state, s->machine.words * sizeof *s->state);
  s->steps = steps;
  return s->history.failed ? UNF_MEMORY : session_look(s, s->machine.words / 4);
}

int64_t session_result(const unf_action *action) {
  switch (action->kind) {
  case UNF_DID_LOCAL:
  case UNF_DID_BRANCH:
  case UNF_DID_SIGNAL:
    return action->value;
  case UNF_DID_TRYFAIL:
  case UNF_DID_RDFAIL:
  case UNF_DID_WRFAIL:
  case UNF_DID_SEM_FAIL:
    return 0;
  default:
    return 1;
  }
}

struct waking {
  struct session *session;
  int64_t count;
};

static bool wake(void *user, unf_thread thread) {
  struct waking *waking = user;
  machine_wake(&waking->session->machine, waking->session->state, thread);
  waking->count++;
  return true;
}

/* The result of an action, of which it is the number of threads that it wakes. */
static int64_t wake_all(struct session *s, const unf_action *action) {
  struct waking waking = {s, 0};
  unf_thread_set_members(s->unfolding, action->value, wake, &waking);
  return waking.count;
}

bool session_perform(struct session *s, const unf_action *action, struct problem *problem) {
  problem->thread = action->thread;
  if (machine_fails(&s->machine, s->state, action->thread, problem)) return false;
  bool wakes = action->kind == UNF_DID_FUTEX_WAKE || action->kind == UNF_DID_FUTEX_WAKE_ALL;
  machine_perform(&s->machine, s->state, action->thread,
                  wakes ? wake_all(s, action) : session_result(action));
  if (!machine_settle(&s->machine, s->state, action->thread, problem)) return false;
  if (action->kind != UNF_DID_CREATE) return true;
  problem->thread = action->target;
  return machine_settle(&s->machine, s->state, action->target, problem);
}

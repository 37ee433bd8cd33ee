/* Who says what happens next. In an exploration that is the explorer; in a replay it is a schedule,
 * followed by any order once it has come to its end, over a configuration that says what is
 * possible. The scheduler does not know which of them it asks. */
#include "engine.h"

#include <errno.h>
#include <fcntl.h>
#include <save.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unfold/unfold.h>
#include <unistd.h>

#include "../control.h"
#include "../control/marks.h"
#include "../control/settings.h"
#include "../control/steps.h"
#include "../control/texts.h"
#include "accesses.h"
#include "arena.h"
#include "crash.h"
#include "entry.h"
#include "findings.h"
#include "inits.h"
#include "objects.h"
#include "pictures.h"
#include "process.h"
#include "quiet.h"
#include "ranges.h"
#include "refuse.h"
#include "reorder.h"
#include "saving.h"
#include "scheduler.h"
#include "sharing.h"
#include "thread.h"
#include "words.h"
#include "words_text.h"

static unf_context *context;
static unf_limits limits;
static unf_unfolding *unfolding;
static unf_explorer *explorer;
static unf_schedule *recorded; /* replay */
static unf_configuration *reached;
static uint64_t position; /* in it, and how many steps were performed */
static uint64_t performed;
static unf_action chosen;
static unf_event replayed; /* in a replay: the event chosen */

_Noreturn static void fail(unf_status status) {
  const unf_detail *detail = unf_context_detail(context);
  const char *text =
      detail->status == status && detail->text[0] != '\0' ? detail->text : unf_status_text(status);
  switch (status) {
  case UNF_LIMIT:
  case UNF_MEMORY:
    engine_counts();
    if (!running) saving_end();
    if (!running) pictures_write();
    give_up(OUTCOME_LIMIT, "%s", text);
  case UNF_NONDETERMINISM:
  case UNF_DIVERGENCE:
    if (inits_give_up()) give_up(OUTCOME_AGAIN, "%s", text);
    if (pending->probing && running) process_drop();
    control->place = detail->place;
    give_up(OUTCOME_REFUSED, "the program is not deterministic, or has a data race: %s", text);
  case UNF_UNSUPPORTED:
    control->place = program_place(control->last_place);
    give_up(OUTCOME_REFUSED, "%s", text);
  default:
    give_up(OUTCOME_BROKEN, "%s", text);
  }
}

void engine_must(unf_status status) {
  if (status != UNF_OK) fail(status);
}

/* The whole file, private to this process; the caller never gives it back. */
static const char *read_schedule(size_t *size) {
  const char *path = control->settings.schedule;
  struct stat information;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &information) != 0)
    give_up(OUTCOME_INPUT, "%s: %s", path, strerror(errno));
  *size = (size_t)information.st_size;
  char *text = private_memory(*size + 1);
  ssize_t got = read(file, text, *size);
  if (got < 0 || (size_t)got != *size) give_up(OUTCOME_INPUT, "%s: cannot be read", path);
  close(file);
  return text;
}

static void replay_new(void) {
  size_t size;
  const char *text = read_schedule(&size);
  unf_status status = unf_schedule_read(unfolding, text, size, &recorded);
  if (status != UNF_OK) {
    const unf_detail *detail = unf_context_detail(context);
    give_up(OUTCOME_INPUT, "%s:%llu:%llu: %s", control->settings.schedule,
            (unsigned long long)detail->step, (unsigned long long)detail->place,
            detail->text[0] ? detail->text : unf_status_text(status));
  }
  ranges_learn(recorded);
  words_learn_schedule(recorded);
  joins_learn(recorded);
  inits_learn(recorded);
  engine_must(unf_configuration_new(unfolding, &reached));
}

static bool take_bytes(void *user, void *bytes, size_t size, size_t *got) {
  const ssize_t count = read(*(const int *)user, bytes, size);
  *got = count > 0 ? (size_t)count : 0;
  return count >= 0;
}

/* Once: an exploration that is begun again does so from the start. */
static void go_on(const unf_explorer_options *how) {
  struct settings *settings = &control->settings;
  char path[sizeof settings->go_on], behind;
  snprintf(path, sizeof path, "%s", settings->go_on);
  settings->go_on[0] = '\0';
  if (control->carried.modules != control->modules_sum)
    give_up(OUTCOME_INPUT, "%s: modules were at other addresses when it was saved", path);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || lseek(file, (off_t)settings->image, SEEK_SET) < 0)
    give_up(OUTCOME_INPUT, "%s: %s", path, strerror(errno));
  unf_status status = unf_explorer_read(unfolding, how, take_bytes, &file, &explorer);
  if (status == UNF_LIMIT || status == UNF_MEMORY) fail(status);
  if (status != UNF_OK)
    give_up(OUTCOME_INPUT, "%s: in what begins at byte %llu: %s", path,
            (unsigned long long)settings->image, unf_context_detail(context)->text);
  if (read(file, &behind, 1) != 0)
    give_up(OUTCOME_INPUT, "%s: something stands behind the exploration", path);
  close(file);
  saving_carry();
}

bool engine_new(void) {
  const struct settings *settings = &control->settings;
  unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
  options.allocator = arena_allocator();
  limits = (unf_limits){.events = settings->max_events,
                        .bytes = settings->max_memory,
                        .runs = settings->max_executions,
                        .seconds = settings->max_seconds};
  options.limits = limits;
  if (unf_context_new(&options, &context) != UNF_OK) return false;
  engine_must(unf_unfolding_new(context, NULL, &unfolding));
  unf_thread first;
  engine_must(unf_thread_name(unfolding, UNF_THREAD_NONE, 0, &first));
  engine_must(unf_thread_start(unfolding, first));
  if (!accesses_new()) return false;
  if (settings->replay) {
    replay_new();
    accesses_begin(0);
    return true;
  }
  unf_explorer_options how = UNF_EXPLORER_OPTIONS_INIT;
  how.algorithm = settings->algorithm;
  how.alternative.k = settings->k;
  how.order = settings->order;
  how.seed = settings->seed;
  how.collect = settings->collect;
  how.max_switches = settings->max_switches;
  how.max_preemptions = settings->max_preemptions;
  how.probes = settings->probes;
  how.runs = settings->runs;
  how.steps = settings->steps;
  how.depth = settings->depth;
  if (settings->go_on[0] != '\0')
    go_on(&how);
  else
    engine_must(unf_explorer_new(unfolding, &how, &explorer));
  return true;
}

unf_status engine_write(unf_write write, void *user) {
  const unf_limits none = {.bytes = 0};
  unf_explorer_abandon(explorer);
  unf_context_set_limits(context, &none);
  unf_status status = unf_explorer_write(explorer, write, user);
  unf_context_set_limits(context, &limits);
  return status;
}

unf_unfolding *engine_unfolding(void) {
  return unfolding;
}

/* Whether an error is one of the operation alone, and not of the whole exploration. */
static bool is_wrong(unf_status status) {
  return status == UNF_INVALID || status == UNF_STATE || status == UNF_UNKNOWN;
}

const char *engine_offer(struct thread *t) {
  unf_status status = pending->reorder.running ? reorder_offer(t)
                      : recorded != NULL ? unf_configuration_offer(reached, t->name, &t->operation)
                                         : unf_explorer_offer(explorer, t->name, &t->operation);
  if (is_wrong(status)) return unf_context_detail(context)->text;
  engine_must(status);
  return NULL;
}

static bool take_first(void *user, const unf_action *action) {
  unf_step *step = user;
  step->kind = UNF_STEP_ACTION;
  step->action = *action;
  return false;
}

enum { CHOICES_MOST = 65 }; /* the launcher takes one less, and knows then that there are more */

static void write_action(char *text, size_t size, const unf_action *action) {
  unf_action_text(unfolding, action, text, size);
}

static bool send_choice(void *user, const unf_action *action) {
  unsigned *sent = user;
  struct reported_step step = {.choice = true, .number = performed + 1};
  write_action(step.action, sizeof step.action, action);
  const bool good =
      write(control->settings.step_socket, &step, sizeof step) == (ssize_t)sizeof step;
  return good && ++*sent < CHOICES_MOST;
}

/* What is possible before a step of a replay, if that is wanted. */
static void report_choices(void) {
  const struct settings *settings = &control->settings;
  unsigned sent = 0;
  if (settings->step_socket >= 0 && performed >= settings->choices_from)
    engine_must(unf_configuration_actions(reached, send_choice, &sent));
}

/* The steps in an order with few switches, if that is wanted. */
static bool send_ordered(void *user, unf_event event) {
  struct reported_step step = {.ordered = true};
  unf_action action;
  (void)user;
  engine_must(unf_event_action(unfolding, event, &action));
  write_action(step.action, sizeof step.action, &action);
  return write(control->settings.step_socket, &step, sizeof step) == (ssize_t)sizeof step;
}

static void report_order(void) {
  const struct settings *settings = &control->settings;
  if (settings->order_steps > 0 && settings->step_socket >= 0)
    engine_must(unf_configuration_fewest_switches(reached, settings->order_steps, send_ordered,
                                                  NULL, &control->switches));
}

/* The next step of the schedule, if a lenient replay finds one that is possible. */
static bool take_recorded(unf_step *step) {
  while (position < unf_schedule_size(recorded)) {
    engine_must(unf_schedule_step(recorded, position++, &step->action));
    unf_status status = unf_configuration_perform(reached, &step->action, &replayed);
    if (status == UNF_OK) return true;
    if (control->settings.lenient && status != UNF_MEMORY && status != UNF_LIMIT) continue;
    char text[2 * NAME_SIZE];
    unf_action_text(unfolding, &step->action, text, sizeof text);
    give_up(OUTCOME_REFUSED, "step %llu of the schedule, %s, is not possible: %s",
            (unsigned long long)position, text, unf_status_text(status));
  }
  return false;
}

/* Where it is to end, without the end of the program. */
static unf_step replay_ends(void) {
  unf_step step = {.kind = UNF_STEP_MAXIMAL};
  engine_must(unf_configuration_actions(reached, take_first, &step));
  if (step.kind == UNF_STEP_ACTION) step.kind = UNF_STEP_TRUNCATED;
  report_order();
  return step;
}

static unf_step replay_step(void) {
  unf_step step = {.kind = UNF_STEP_MAXIMAL};
  if (performed >= control->settings.most_steps) return replay_ends();
  report_choices();
  if (take_recorded(&step)) {
    step.kind = UNF_STEP_ACTION;
  } else {
    engine_must(unf_configuration_actions(reached, take_first, &step));
    if (step.kind == UNF_STEP_ACTION)
      engine_must(unf_configuration_perform(reached, &step.action, &replayed));
    else
      report_order();
  }
  if (step.kind == UNF_STEP_ACTION) performed++;
  return step;
}

unf_step engine_step(void) {
  if (pending->reorder.running) return reorder_step();
  unf_step step = {.kind = UNF_STEP_MAXIMAL};
  if (recorded == NULL)
    engine_must(unf_explorer_step(explorer, &step));
  else
    step = replay_step();
  chosen = step.action;
  control->steps++;
  return step;
}

uint64_t engine_performed(void) {
  return performed;
}

static bool add_cause(void *user, unf_event cause) {
  struct reported_step *step = user;
  uint64_t fingerprint[2];
  if (cause == UNF_EVENT_BOTTOM) return true;
  step->causes_left = step->cause_count == CAUSES_MAX;
  if (step->causes_left) return false;
  engine_must(unf_event_fingerprint(unfolding, cause, fingerprint));
  step->causes[step->cause_count++] = fingerprint[0];
  return true;
}

static void report_step(uint64_t place) {
  const struct thread *t = thread_named(chosen.thread);
  struct reported_step step = {.number = performed, .place = place};
  engine_must(unf_event_fingerprint(unfolding, replayed, step.event));
  engine_must(unf_event_predecessors(unfolding, replayed, add_cause, &step));
  write_action(step.action, sizeof step.action, &chosen);
  if (t != NULL && t->object != NULL) {
    step.address = t->object->address;
    step.kind = t->object->kind;
  }
  if (t != NULL && chosen.kind == UNF_DID_CREATE) step.start = (uint64_t)(uintptr_t)t->creates;
  char answer;
  int socket = control->settings.step_socket;
  if (write(socket, &step, sizeof step) == (ssize_t)sizeof step && read(socket, &answer, 1) < 0)
    errno = 0;
}

struct behind {
  uint64_t *events;
  uint32_t count, most;
  bool left; /* there are more */
};

static bool add_behind(void *user, unf_event event) {
  struct behind *behind = user;
  uint64_t fingerprint[2];
  if (event == UNF_EVENT_BOTTOM) return true;
  behind->left = behind->count == behind->most;
  if (behind->left) return false;
  engine_must(unf_event_fingerprint(unfolding, event, fingerprint));
  behind->events[behind->count++] = fingerprint[0];
  return true;
}

uint32_t engine_blocked(unf_thread thread, uint64_t *events, uint32_t most, bool *left) {
  struct behind behind = {events, 0, most, false};
  bool blocked = false;
  if (recorded == NULL ||
      unf_configuration_blocked(reached, thread, &blocked, add_behind, &behind) != UNF_OK)
    return 0;
  *left = behind.left;
  return blocked ? behind.count : 0;
}

unf_event engine_last(void) {
  if (pending->reorder.running) return reorder_last();
  return recorded == NULL ? unf_explorer_last(explorer) : replayed;
}

bool engine_precedes(unf_event a, unf_event b) {
  bool before = false;
  engine_must(unf_event_precedes(unfolding, a, b, &before));
  return before;
}

void engine_path(unf_event_visitor visit, void *user) {
  if (explorer != NULL) unf_explorer_path(explorer, visit, user);
}

void engine_commit(uint64_t place) {
  if (pending->reorder.running) return;
  accesses_flush();
  if (recorded == NULL) engine_must(unf_explorer_commit(explorer, NULL, place));
  accesses_step(engine_last());
  if (recorded != NULL && control->settings.step_socket >= 0) report_step(place);
}

/* *number: of the execution, or of the probe. */
bool engine_next(uint64_t *number) {
  unf_run run;
  engine_must(sharing_on() ? sharing_next(explorer, &run) : unf_explorer_next(explorer, &run));
  if (run.finished) return false;
  pending->probing = run.probe;
  *number = run.number;
  if (run.probe)
    accesses_skip();
  else
    accesses_begin(run.shared);
  memset(&pending->described, 0, sizeof pending->described);
  return true;
}

void engine_between(void) {
  if (sharing_on()) sharing_between(explorer);
}

bool engine_probes(void) {
  return pending->probing;
}

unf_status engine_finish(bool error, unf_verdict *verdict) {
  if (!pending->dropped) return unf_explorer_finish(explorer, error, verdict);
  unf_explorer_abandon(explorer);
  return UNF_OK;
}

void engine_counts(void) {
  if (explorer != NULL) {
    unf_explorer_counts(explorer, &control->counts);
    unf_explorer_estimate(explorer, &control->estimate);
    if (control->settings.runs > 0) unf_explorer_sampling(explorer, &control->sampling);
  }
  if (context != NULL) control->bytes = unf_context_bytes(context);
}

void engine_thread(char *text, size_t size, unf_thread name) {
  unf_thread_text(unfolding, name, text, size);
}

void engine_explain(char *text, size_t size, unf_status status, int reason) {
  snprintf(text, size, "%s",
           status == UNF_WRITE && reason != 0 ? strerror(reason) : unf_status_text(status));
}

/* Events in an order; NULL in place of them: those of the last run. */
struct event_order {
  const unf_event *events;
  uint64_t count;
};

static unf_status append(unf_schedule *schedule, const struct event_order *order) {
  unf_status status = UNF_OK;
  if (order == NULL) return unf_schedule_append_run(schedule, explorer);
  for (uint64_t i = 0; i < order->count && status == UNF_OK; i++) {
    unf_action action;
    status = unf_event_action(unfolding, order->events[i], &action);
    if (status == UNF_OK) status = unf_schedule_append(schedule, &action);
  }
  return status;
}

/* With the level that a replay has to have. */
static unf_status produce_schedule(void *order, unf_write write, void *file) {
  const struct settings *s = &control->settings;
  static char name[sizeof s->program + NAME_SIZE + QUIET_TEXT + MEMORY_TEXT];
  char quiet[QUIET_TEXT];
  unf_schedule *schedule;
  const bool seen = s->sites && control->sites_off[0] == '\0';
  quiet_text(quiet, sizeof quiet);
  snprintf(name, sizeof name, "%s%s%s%s", s->program, seen ? LEVEL_MARK : "",
           !seen      ? ""
           : s->moves ? "all"
                      : "rmw",
           seen ? quiet : "");
  if (seen && s->moves) words_text(name + strlen(name), MEMORY_TEXT);
  unf_status status = unf_schedule_new(unfolding, name, &schedule);
  if (status != UNF_OK) return status;
  status = append(schedule, order);
  if (status == UNF_OK) status = unf_schedule_write(schedule, write, file);
  unf_schedule_free(schedule);
  return status;
}

enum { PATH_ROOM = sizeof((struct settings *)NULL)->trace_folder + NAME_SIZE };

static void schedule_path(char path[PATH_ROOM], unsigned number) {
  snprintf(path, PATH_ROOM, "%s/trace-%u.unfs", control->settings.trace_folder, number);
}

void engine_drop_schedule(unsigned number) {
  char path[PATH_ROOM];
  schedule_path(path, number);
  unlink(path);
}

/* Writes the order, or the last run, to trace-N.unfs, and returns that number; 0: it could not be
 * written. */
static unsigned write_schedule(unsigned number, struct event_order *order) {
  char path[PATH_ROOM];
  const unf_limits none = {.bytes = 0}; /* what is found at a limit has its schedule, too */
  int reason = 0;
  schedule_path(path, number);
  unf_context_set_limits(context, &none);
  unf_status status = save_whole(path, produce_schedule, order, &reason);
  unf_context_set_limits(context, &limits);
  if (status == UNF_OK) return number;
  if (control->unwritten_count++ > 0) return 0;
  control->unwritten = number;
  engine_explain(control->unwritten_because, sizeof control->unwritten_because, status, reason);
  return 0;
}

static unsigned next_number(void) {
  return control->schedules_kept + ++pending->schedules;
}

struct run_naming {
  uint64_t sum[2];
  bool good;
};

static bool add_to_name(void *user, unf_event event) {
  struct run_naming *n = user;
  uint64_t fingerprint[2];
  n->good = unf_event_fingerprint(unfolding, event, fingerprint) == UNF_OK;
  for (int i = 0; i < 2 && n->good; i++)
    n->sum[i] += fingerprint[i];
  return n->good;
}

void engine_run_name(uint64_t name[2]) {
  const unf_limits none = {.bytes = 0}; /* what is found at a limit is described, too */
  struct run_described *run = &pending->described;
  if (!run->named) {
    struct run_naming n = {{0, 0}, !pending->probing};
    unf_context_set_limits(context, &none);
    if (n.good) engine_path(add_to_name, &n);
    unf_context_set_limits(context, &limits);
    for (int i = 0; i < 2; i++)
      run->name[i] = n.good ? n.sum[i] : UINT64_MAX;
  }
  run->named = true;
  memcpy(name, run->name, sizeof run->name);
}

unsigned engine_run_schedule(unsigned number) {
  struct run_described *run = &pending->described;
  if (!run->tried) run->schedule = write_schedule(number > 0 ? number : next_number(), NULL);
  run->tried = true;
  return run->schedule;
}

unsigned engine_run_written(void) {
  return pending->probing ? 0 : pending->described.schedule;
}

unsigned engine_order_schedule(const unf_event *events, uint64_t count) {
  struct event_order order = {events, count};
  return write_schedule(next_number(), &order);
}

bool engine_order_again(unsigned number, const unf_event *events, uint64_t count) {
  struct event_order order = {events, count};
  return write_schedule(number, &order) != 0;
}

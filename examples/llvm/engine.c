/* The exploration: an engine for the library's loop (drive.h). A step is performed when the event
 * is known that it is, so in the callback that asks what the thread does next. */
#include "engine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access.h"
#include "atomic.h"
#include "branches.h"
#include "coverage.h"
#include "dangling.h"
#include "defect.h"
#include "describe.h"
#include "distance.h"
#include "execution.h"
#include "knowledge.h"
#include "machine.h"
#include "options.h"
#include "report.h"
#include "retell.h"
#include "session.h"
#include "settings.h"
#include "solver.h"
#include "states.h"
#include "sym.h"
#include "tests.h"
#include "text.h"
#include "witness.h"

unf_status sym_status(const struct sym *s) {
  if (s->knowledge.refused) return UNF_MEMORY;
  return s->machine.status;
}

/* Bytes that this process has. */
static uint64_t bytes_held(void) {
  unsigned long long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL) return 0;
  if (fscanf(file, "%*u %llu", &pages) != 1) pages = 0;
  fclose(file);
  return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Whether to end, and why; asked for in long silent parts, while an answer is waited for, and
 * before each execution. */
static bool stops(void *user) {
  struct sym *s = user;
  const struct cli_options *o = &s->options;
  if (cli_interrupt_came())
    s->result.stopped = "interrupt";
  else if (o->max_seconds > 0 && cli_now() - s->start > o->max_seconds)
    s->result.stopped = "seconds";
  else if (o->max_memory > 0 && bytes_held() > o->max_memory)
    s->result.stopped = "memory";
  return s->result.stopped != NULL;
}

static bool has_cutoffs(const struct sym *s) {
  return s->options.cutoffs.order != UNF_CUTOFFS_NONE;
}

static void asked_for(void *user, const struct thread *t, term input) {
  struct sym *s = user;
  canonical_name(&s->changes.canonical, &s->changes.uses, t->handle, t->cause,
                 machine_place(&s->machine, t), input);
}

static unf_status begin_changes(struct sym *s) {
  return has_cutoffs(s) ? changes_begin(&s->changes) : UNF_OK;
}

/* Where a thread stands, for the order by distance. */
static unf_status note_stand(struct sym *s, unf_thread thread, unf_event event) {
  if (s->distance == NULL) return UNF_OK;
  return distance_stands(s->distance, s->machine.threads[thread], event) ? UNF_OK : UNF_MEMORY;
}

static unf_status restart(void *user, const unf_run *run) {
  struct sym *s = user;
  uint64_t resumed = 0;
  unf_status status = unf_races_begin(s->races, run->shared, &resumed, &s->machine.races_watched);
  s->has_performed = false;
  s->run = run->number;
  if (status == UNF_OK && stops(s)) status = UNF_INTERRUPTED;
  if (status != UNF_OK) return status;
  states_restart(&s->states);
  machine_begin(&s->machine, s->argument_count, s->arguments);
  status = sym_status(s);
  if (status == UNF_OK) status = note_stand(s, s->machine.now.first, UNF_EVENT_BOTTOM);
  return status == UNF_OK ? begin_changes(s) : status;
}

/* ---- states that were kept ---- */

static bool told(void *user, const unf_access *access) {
  struct sym *s = user;
  return states_tell(&s->states, access);
}

/* What the race detector does not know of the way to a state. */
struct catching {
  struct sym *s;
  unf_event *events;
  uint64_t known; /* steps of which it knows all */
  uint64_t steps; /* that it was told of */
  unf_status status;
};

static bool add_event(void *user, unf_event event) {
  struct catching *c = user;
  c->events[c->steps++] = event;
  return c->steps < c->s->states.steps;
}

static bool tell_steps(struct catching *c, uint64_t steps) {
  while (c->status == UNF_OK && c->steps < steps)
    c->status = unf_races_step(c->s->races, c->events[c->steps++]);
  return c->status == UNF_OK;
}

static bool tell_again(void *user, const struct told *entry) {
  struct catching *c = user;
  const unf_access *a = &entry->access;
  if (entry->step <= c->known && c->known > 0) return true;
  if (!tell_steps(c, entry->step)) return false;
  c->status = a->thread == UNF_THREAD_NONE ? unf_races_forget(c->s->races, a->address, a->size)
                                           : unf_races_access(c->s->races, a);
  return c->status == UNF_OK;
}

static unf_status catch_up(struct sym *s, uint64_t known) {
  const uint64_t steps = s->states.steps;
  struct catching c = {.s = s, .known = known};
  if (!s->machine.races_watched || known >= steps) return UNF_OK;
  c.events = malloc((size_t)steps * sizeof *c.events);
  if (c.events == NULL) return UNF_MEMORY;
  unf_explorer_path(s->explorer, add_event, &c);
  c.steps = known;
  if (states_retell(&s->states, tell_again, &c)) tell_steps(&c, steps);
  free(c.events);
  return c.status;
}

static unf_status restore(void *user, const unf_run *run, uint64_t *steps) {
  struct sym *s = user;
  const uint64_t name = states_last(&s->states, run->state);
  if (name == 0) return UNF_OK;
  if (!states_restore(&s->states, name)) return UNF_MEMORY;
  uint64_t known = s->states.steps < run->shared ? s->states.steps : run->shared;
  unf_status status = unf_races_begin(s->races, run->shared, &known, &s->machine.races_watched);
  s->has_performed = false;
  s->run = run->number;
  if (status == UNF_OK && stops(s)) status = UNF_INTERRUPTED;
  if (status == UNF_OK) status = catch_up(s, known);
  if (status == UNF_OK) status = begin_changes(s);
  if (status == UNF_OK) *steps = s->states.steps;
  return status;
}

static unf_status save(void *user, uint64_t steps, uint64_t *state) {
  struct sym *s = user;
  (void)steps;
  *state = states_step(&s->states);
  return UNF_OK;
}

/* ---- steps ---- */

unf_status sym_go_on(struct sym *s, const unf_action *action, unf_event event) {
  unf_status status = UNF_OK;
  if (s->machine.races_watched) status = unf_races_step(s->races, event);
  if (status != UNF_OK) return status;
  machine_performed(&s->machine, action, event);
  if (sym_status(s) == UNF_OK) status = note_stand(s, action->thread, event);
  if (s->machine.status == UNF_OK && action->kind == UNF_DID_CREATE &&
      s->machine.threads[action->target]->standing == STANDS_RUNNING) {
    machine_run(&s->machine, action->target);
    if (status == UNF_OK) status = note_stand(s, action->target, UNF_EVENT_BOTTOM);
  }
  return status == UNF_OK ? sym_status(s) : status;
}

static unf_status go_on(struct sym *s) {
  const unf_action action = s->machine.threads[s->performed]->action;
  s->has_performed = false;
  s->states.steps++;
  return sym_go_on(s, &action, unf_explorer_last(s->explorer));
}

unf_operation sym_operation(const struct thread *t) {
  switch (t->standing) {
  case STANDS_AT_OPERATION:
  case STANDS_AT_BRANCH:
    return t->operation;
  case STANDS_ASSUMED:
    return UNF_OP_HALT(UNF_HALT_ASSUME);
  case STANDS_BOUND:
    return UNF_OP_HALT(UNF_HALT_BOUND);
  case STANDS_FAILED:
    return UNF_OP_HALT(UNF_HALT_ASSERT);
  default:
    return UNF_OP_EXIT();
  }
}

static unf_status next(void *user, unf_thread thread, unf_operation *operation) {
  struct sym *s = user;
  unf_status status = s->has_performed ? go_on(s) : UNF_OK;
  if (status == UNF_OK) *operation = sym_operation(s->machine.threads[thread]);
  return status;
}

/* An execution can have no end. */
static bool stops_within(struct sym *s) {
  enum { STEPS_BETWEEN_LOOKS = 16 };
  return ++s->steps_since_look % STEPS_BETWEEN_LOOKS == 0 && stops(s);
}

static unf_status perform(void *user, const unf_step *step, unf_performed *performed) {
  struct sym *s = user;
  struct thread *t = s->machine.threads[step->action.thread];
  if (stops_within(s)) return UNF_INTERRUPTED;
  performed->cookie = machine_place(&s->machine, t);
  t->action = step->action;
  s->performed = step->action.thread;
  s->has_performed = true;
  return UNF_OK;
}

static unf_status changed(void *user, unf_fingerprint *change) {
  struct sym *s = user;
  const unf_action action = s->machine.threads[s->performed]->action;
  return changes_of(&s->changes, &action, change);
}

static unf_status condition(void *user, unf_fingerprint *out) {
  struct sym *s = user;
  return changes_condition(&s->changes, unf_explorer_last(s->explorer), out);
}

static void write_execution(struct sym *s, const unf_verdict *verdict, bool left_behind) {
  if (s->executions == NULL || verdict->redundant || verdict->infeasible || verdict->truncated)
    return;
  unf_verdict seen = *verdict;
  if (left_behind) seen.deadlock = false;
  const uint32_t set = knowledge_run(&s->knowledge, s->explorer);
  if (set == UINT32_MAX) return;
  if (cli_execution_write(s->executions, s->unfolding, s->explorer, &seen,
                          knowledge_witness(&s->knowledge, set),
                          knowledge_facts(&s->knowledge, set)))
    return;
  if (!s->refused) cli_say(stderr, "unfold-sym: no memory to write an execution");
  s->refused = true;
}

/* What is read behind a race has no meaning, so an execution that has one is not judged. */
static bool ends_at_races(const struct sym *s) {
  return s->options.behind_races == CLI_RACES_END && !s->options.races_as_atomics;
}

static unf_status ended(void *user, const unf_verdict *verdict, unf_explorer *x) {
  struct sym *s = user;
  (void)x;
  const bool raced = sym_describe_races(s);
  const bool left_behind = sym_describe_end(s, verdict, raced && ends_at_races(s));
  write_execution(s, verdict, left_behind);
  sym_write_test(s, verdict);
  if (s->machine.coverage != NULL && !coverage_ended(s->machine.coverage, s->run))
    return UNF_MEMORY;
  if (s->knowledge.refused) return UNF_MEMORY;
  if (s->machine.again) return UNF_INTERRUPTED; /* with bytes that race as atomics */
  const uint64_t explored = s->options.races_as_atomics ? s->result.races : 0;
  if (s->races_remain)
    s->result.stopped = "race";
  else if (s->options.stop_at_first && s->result.defects.count > explored)
    s->result.stopped = "first";
  return s->result.stopped != NULL ? UNF_INTERRUPTED : UNF_OK;
}

/* ---- the exploration ---- */

enum { STEPS_BETWEEN_STATES = 8, STATES_SHARE = 4 };

/* With coverage, what executions have in common counts in each of them, so each performs it. */
static uint64_t states_every(const struct cli_options *o) {
  if (o->coverage != NULL || o->replay != NULL) return 0;
  return o->checkpoints == CLI_NUMBER_NONE ? STEPS_BETWEEN_STATES : (uint64_t)o->checkpoints;
}

static uint64_t states_most(const struct cli_options *o) {
  if (o->checkpoint_memory > 0) return o->checkpoint_memory;
  return o->max_memory > 0 ? o->max_memory / STATES_SHARE : UINT64_MAX;
}

unf_status sym_open(struct sym *s) {
  unf_thread first;
  unf_races_options races = UNF_RACES_OPTIONS_INIT;
  unf_explorer_options options;
  struct machine *m = &s->machine;
  states_begin(&s->states, m, states_every(&s->options), states_most(&s->options));
  if (!knowledge_open(&s->knowledge)) return UNF_MEMORY;
  s->knowledge.events_stay = true;
  s->knowledge.solver.program = s->solver_program;
  s->knowledge.solver.steps = s->options.max_solver_steps != CLI_NUMBER_NONE
                                  ? (uint64_t)s->options.max_solver_steps
                                  : 10000000;
  s->knowledge.solver.memory = UINT64_C(1) << 30;
  if (s->options.try_values != CLI_NUMBER_NONE)
    knowledge_try_values(&s->knowledge, (uint64_t)s->options.try_values);
  s->knowledge.solver.stops = stops;
  s->knowledge.solver.user = s;
  cli_options_explorer(&s->options, &options);
  if (s->options.cover_first) {
    options.order = UNF_ORDER_CHOSEN;
    options.choose = distance_choose;
    options.choose_user = s->distance;
  }
  options.forget = states_forget;
  options.forget_user = &s->states;
  options.collect = options.probes = 0; /* inputs are named by events, which have to stay */
  unf_status status = unf_unfolding_new(s->context, NULL, &s->unfolding);
  if (status == UNF_OK) status = knowledge_attach(&s->knowledge, s->unfolding);
  if (status == UNF_OK) status = unf_thread_name(s->unfolding, UNF_THREAD_NONE, 0, &first);
  if (status == UNF_OK) status = unf_thread_start(s->unfolding, first);
  if (status == UNF_OK) status = unf_races_new(s->unfolding, &races, &s->races);
  if (status == UNF_OK) status = unf_explorer_new(s->unfolding, &options, &s->explorer);
  if (s->distance != NULL) distance_begin(s->distance, s->explorer, s->unfolding, &s->knowledge);
  m->unfolding = s->unfolding;
  m->races = s->races;
  m->knowledge = &s->knowledge;
  m->stops = stops;
  m->accessed = s->states.every > 0 ? told : NULL;
  m->user = s;
  m->again = false;
  m->racing_begun = m->racing_count;
  dangling_forget(m);
  m->asked_for = has_cutoffs(s) ? asked_for : NULL;
  if (has_cutoffs(s)) changes_open(&s->changes, m, s->options.cutoffs.strong);
  for (size_t i = 0; i < m->atomic_count; i++)
    m->atomics[i].named = false;
  return status;
}

void sym_close(struct sym *s) {
  unf_explorer_free(s->explorer);
  changes_close(&s->changes);
  states_free(&s->states);
  unf_races_free(s->races);
  unf_unfolding_free(s->unfolding);
  knowledge_close(&s->knowledge);
  lattices_free(&s->machine.lattices); /* handles of terms begin again */
  branches_free(&s->machine.accesses);
  memset(&s->machine.accesses, 0, sizeof s->machine.accesses);
  s->explorer = NULL;
  s->races = NULL;
  s->unfolding = NULL;
}

void sym_stopped(struct sym *s, unf_status status) {
  struct machine *m = &s->machine;
  if (s->result.stopped != NULL) {
    if (m->message[0] != '\0')
      cli_say(stderr,
              "unfold-sym: %sa thread was here, %llu instructions behind its last operation",
              m->message, (unsigned long long)m->silent);
    return;
  }
  s->result.stopped = cli_stop_word(s->context, status);
  if (s->result.stopped != NULL) return;
  if (m->message[0] == '\0')
    snprintf(m->message, sizeof m->message, "%s", unf_context_detail(s->context)->text);
  s->result.uncontrolled = m->message;
}

static void cut_short(struct sym *s) {
  const char *bound = cli_bound_word(&s->result.counts);
  if (s->result.counts.undecided > 0) bound = "undecided";
  if (s->machine.bounded != NULL) bound = s->machine.bounded;
  if (s->machine.over_values) bound = "values";
  if (s->machine.over_timeouts) bound = "timeouts";
  if (s->result.races > 0 && !s->options.races_as_atomics)
    bound = "race"; /* executions in which one decides may be missing */
  if (!s->result.finished || bound == NULL) return;
  s->result.finished = false;
  s->result.stopped = bound;
}

/* Events by what they are: of mutexes, of condition variables, branches on inputs, others. */
static json_t *kinds_of_events(const struct sym *s) {
  json_int_t mutexes = 0, conditions = 0, branches = 0, others = 0;
  for (unf_event e = UNF_EVENT_BOTTOM + 1; e <= unf_unfolding_events(s->unfolding); e++) {
    unf_action action;
    if (unf_event_action(s->unfolding, e, &action) != UNF_OK) continue;
    if (action.kind >= UNF_DID_ACQUIRE && action.kind <= UNF_DID_TRYFAIL)
      mutexes++;
    else if (action.kind >= UNF_DID_WAIT && action.kind <= UNF_DID_BROADCAST)
      conditions++;
    else if (action.kind == UNF_DID_BRANCH)
      branches++;
    else
      others++;
  }
  return json_pack("{s:I, s:I, s:I, s:I}", "mutexes", mutexes, "conditions", conditions, "branches",
                   branches, "others", others);
}

static json_t *statistics(const struct sym *s) {
  const struct states *kept = &s->states;
  json_t *solver = knowledge_statistics(&s->knowledge);
  json_object_set_new(solver, "apart", json_integer(s->machine.apart_decided));
  return json_pack("{s:o, s:o, s:I, s:I, s:I, s:I, s:b, s:I, s:{s:I, s:I, s:I, s:I, s:I}}",
                   "solver", solver, "event_kinds", kinds_of_events(s), "threads",
                   (json_int_t)s->machine.thread_count, "instructions",
                   (json_int_t)s->machine.instructions, "decisions",
                   (json_int_t)s->machine.decisions, "tests", (json_int_t)s->tests, "weaker_orders",
                   s->machine.weaker_orders, "comes_back", (json_int_t)s->result.again, "states",
                   "kept", (json_int_t)kept->kept, "restored", (json_int_t)kept->restored, "gone",
                   (json_int_t)kept->gone, "bytes", (json_int_t)kept->bytes, "different",
                   (json_int_t)s->result.cutoffs.states);
}

/* A thread did not do the same after the same history, for it read what another one wrote in
 * between: the race detector knows such pairs. */
static void find_variance(struct sym *s) {
  sym_describe_races(s);
  if (s->machine.again) return; /* with bytes that race as atomics */
  if (s->result.races == 0)
    machine_decide_addresses(&s->machine);
  else if (s->options.behind_races == CLI_RACES_END)
    s->result.stopped = "race";
}

/* The exploration begins, or begins again. What was found with races as atomics was right; else a
 * value was thought to be another one. */
static void forget_defects(struct sym *s) {
  if (s->options.races_as_atomics) {
    cli_defects_earlier(&s->result.defects);
    return;
  }
  cli_defects_free(&s->result.defects);
  memset(&s->result.defects, 0, sizeof s->result.defects);
  s->result.races = 0;
}

/* What is left in the stream is written before the file is cut: else it would stand behind a hole.
 */
static void forget_executions(struct sym *s) {
  if (s->executions == NULL || fflush(s->executions) != 0) return;
  if (ftruncate(fileno(s->executions), 0) == 0) rewind(s->executions);
}

/* Each makes other states, so with cutoffs there are few, unless pointers to objects that were
 * freed stay for long (heap.c). */
enum { ADDRESSES_WITH_CUTOFFS = 3 };

void sym_explore(struct sym *s) {
  const unf_engine engine = {.size = sizeof engine,
                             .user = s,
                             .restart = restart,
                             .restore = restore,
                             .save = save,
                             .next = next,
                             .perform = perform,
                             .changed = changed,
                             .condition = condition,
                             .ended = ended};
  unf_status status;
  if (has_cutoffs(s)) s->machine.memory.addresses = ADDRESSES_WITH_CUTOFFS;
  do {
    forget_defects(s);
    s->machine.left_behind = 0;
    s->machine.over_timeouts = s->machine.over_addresses = false;
    s->machine.bounded = NULL;
    if (s->unfolding != NULL) sym_close(s);
    sym_drop_tests(s);
    sym_retell_begin(s);
    sym_witness_drop(s);
    if (s->machine.coverage != NULL) coverage_begin(s->machine.coverage);
    forget_executions(s);
    status = sym_open(s);
    if (status == UNF_OK) status = unf_explore(s->explorer, &engine, &s->result.counts);
    if (status == UNF_NONDETERMINISM) find_variance(s);
  } while (s->machine.again && s->result.stopped == NULL);
  s->result.counts.deadlocks -= s->machine.left_behind;
  s->result.finished = status == UNF_OK && s->result.stopped == NULL;
  s->result.sequential = s->machine.weaker_orders;
  s->result.again = s->machine.over_addresses ? s->machine.memory.addresses - 1 : 0;
  unf_cutoffs_counts(unf_explorer_cutoffs(s->explorer), &s->result.cutoffs);
  s->result.more = statistics(s);
  const struct solver_counts *asked = &s->knowledge.solver.counts;
  /* A question that was interrupted has no answer, either. */
  s->unanswered = status != UNF_INTERRUPTED && asked->queries > 0 && asked->lost == asked->queries;
  sym_write_coverage(s);
  cut_short(s);
  if (status != UNF_OK) sym_stopped(s, status);
  sym_retell_events(s);
  sym_close(s);
}

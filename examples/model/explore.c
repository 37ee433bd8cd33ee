/*
 * The exploration loop: the explorer chooses, the machine performs. Before a run the steps that it
 * does not share with the last one are taken back, so that it goes on from there.
 */
#include "explore.h"

#include "barrier.h"
#include "describe.h"
#include "executions.h"
#include "fragments.h"
#include "races.h"
#include "saving.h"
#include "settings.h"
#include "states.h"
#include "translate.h"

enum { STEPS_BETWEEN_CHECKPOINTS = 8 };

static unf_status offer(struct session *s, unf_explorer *x, uint32_t thread) {
  unf_operation operation;
  unf_status status = session_operation(s, s->state, thread, &operation);
  return status == UNF_OK ? unf_explorer_offer(x, thread, &operation) : status;
}

struct execution {
  uint64_t saved; /* steps before the deepest state that was kept on its way */
  bool runtime_error;
};

static unf_status begin(struct session *s, unf_explorer *x, struct execution *run) {
  struct problem problem;
  if (!s->probing) s->checkpoints.journal.count = 0;
  inputs_cause(&s->inputs, UNF_EVENT_BOTTOM);
  if (!session_begin(s, &problem)) {
    if (s->result.stopped != NULL) return UNF_INTERRUPTED;
    if (inputs_refused(&s->inputs)) return UNF_MEMORY;
    run->runtime_error = true;
    describe_runtime(s, &problem, x);
    return UNF_OK;
  }
  conditions_begin(&s->inputs.conditions, s->state);
  unf_status status = session_contended_at_start(s, s->state);
  for (uint32_t t = 0; status == UNF_OK && t < s->program.count[SYMBOL_THREAD]; t++) {
    if (!machine_initial(&s->machine, t)) continue;
    status = session_look(s, WORK_OF_STEP);
    if (status == UNF_OK) status = offer(s, x, t);
  }
  return status;
}

/* What a thread is about to do that an action let go on. */
static unf_status offer_next(struct session *s, unf_explorer *x, uint32_t thread) {
  unf_status status = session_contended(s, s->state, thread, x);
  return status == UNF_OK ? offer(s, x, thread) : status;
}

/* Performs the action that was chosen. */
static unf_status perform(struct session *s, unf_explorer *x, struct execution *run,
                          const unf_action *action) {
  struct problem problem;
  unf_status status = session_step(s);
  if (status != UNF_OK) return status;
  struct place place = machine_place(&s->machine, s->state, action->thread);
  status = unf_explorer_commit(x, NULL, (uint64_t)place.line << 32 | place.column);
  if (status != UNF_OK) return status;
  if (s->races_watched && !s->probing) races_step(s, unf_explorer_last(x));
  if (s->inputs.made) inputs_cause(&s->inputs, unf_explorer_last(x));
  if (!session_perform(s, action, &problem)) {
    if (inputs_refused(&s->inputs)) return UNF_MEMORY;
    run->runtime_error = true;
    describe_runtime(s, &problem, x);
    return UNF_OK;
  }
  status = offer_next(s, x, action->thread);
  if (status == UNF_OK && action->kind == UNF_DID_CREATE) status = offer_next(s, x, action->target);
  if (status == UNF_OK && s->options.cutoffs.order != UNF_CUTOFFS_NONE)
    status = session_changed(s, x, action);
  return status;
}

/* Keeps the state reached, if it is time to. That it cannot be kept costs time later, no more. */
static unf_status keep(struct session *s, unf_explorer *x, const struct execution *run) {
  struct checkpoints *c = &s->checkpoints;
  if (c->failed) return UNF_MEMORY;
  if (s->probing || c->interval == 0 || s->steps <= run->saved || s->steps % c->interval != 0)
    return UNF_OK;
  uint64_t name = checkpoints_keep(c, s->state);
  return name == 0 ? UNF_OK : unf_explorer_save(x, name);
}

/*
 * Goes to where the run begins: a step that it shares with the last one, if one can go back there,
 * or a state that was kept, if that is further on.
 */
static unf_status go_back(struct session *s, const unf_explorer *x, const unf_run *next) {
  struct checkpoints *c = &s->checkpoints;
  s->probing = next->probe;
  if (next->probe) {
    s->steps = c->gap = c->gap_end = 0; /* it begins at the start */
    s->machine.watcher.access = NULL;
    return UNF_OK;
  }
  uint64_t standing = s->options.checkpoints == 0 ? 0 : next->shared;
  if (standing > c->gap && standing < c->gap_end) standing = c->gap;
  bool restores = next->saved > standing;
  uint64_t from = restores ? next->saved : standing;
  uint64_t detected = next->shared < from ? next->shared : from;
  unf_status status = races_begin(s, next->shared, &detected);
  if (status != UNF_OK) return status;
  session_back(s, c->interval == 0 ? detected : standing);
  if (restores) {
    c->gap = c->gap_end == 0 || standing < c->gap ? standing : c->gap;
    c->gap_end = next->saved;
    status = session_restore(s, next->saved, cli_slot(&c->kept, next->state));
    if (status != UNF_OK) return status;
  } else if (standing <= c->gap) {
    c->gap = c->gap_end = 0;
  }
  checkpoints_cut(c, s->steps);
  return s->steps > 0 ? races_catch_up(s, x, detected) : UNF_OK;
}

static unf_status one_run(struct session *s, unf_explorer *x, struct execution *run,
                          unf_verdict *verdict) {
  unf_step step;
  unf_status status = s->steps > 0 ? unf_explorer_resume(x, s->steps) : begin(s, x, run);
  while (status == UNF_OK && !run->runtime_error) {
    status = unf_explorer_step(x, &step);
    if (status != UNF_OK || step.kind != UNF_STEP_ACTION) break;
    status = perform(s, x, run, &step.action);
    if (status == UNF_OK) status = keep(s, x, run);
  }
  if (status != UNF_OK || run->runtime_error) return status;
  return unf_explorer_finish(x, false, verdict);
}

/*
 * Why an exploration ended before its end. A program can only be at variance with itself where the
 * order of unordered accesses to shared ints decided; then the race is what is reported.
 */
static void stopped(struct session *s, unf_status status) {
  const bool clashes = s->inputs.knowledge.content.clashes;
  if (s->result.stopped != NULL) return;
  if (clashes) snprintf(s->message, sizeof s->message, "two branches on inputs have one name");
  if (!clashes) s->result.stopped = cli_stop_word(s->context, status);
  if (s->result.stopped == NULL && s->result.races > 0) s->result.stopped = "race";
  if (s->result.stopped != NULL) return;
  if (s->message[0] == '\0') snprintf(s->message, sizeof s->message, "%s", unf_status_text(status));
  s->result.uncontrolled = s->message;
}

void session_cut_short(struct session *s) {
  const char *bound = cli_bound_word(&s->result.counts);
  if (s->result.counts.undecided > 0) bound = "undecided";
  if (s->inputs.open && s->inputs.symbolic.over_branches) bound = "branches";
  if (s->inputs.open && s->inputs.symbolic.over_values) bound = "values";
  if (!s->result.finished || bound == NULL) return;
  s->result.finished = false;
  s->result.stopped = bound;
}

/* In depth-first order the states of the last run are all that is needed. */
static uint64_t interval_of(const struct cli_options *o) {
  if (o->order == UNF_ORDER_DEPTH_FIRST) return 0;
  return o->checkpoints == CLI_NUMBER_NONE ? STEPS_BETWEEN_CHECKPOINTS : (uint64_t)o->checkpoints;
}

/* A probe that comes to such an end is dropped: when the exploration comes there,
 * it is reported. */
static bool is_refusal(unf_status status) {
  return status == UNF_NONDETERMINISM || status == UNF_DIVERGENCE || status == UNF_UNSUPPORTED;
}

/* What is wrong with a probe is listed as that of an execution is, in case that the exploration
 * does not come there. A run-time error was listed already. */
static unf_status end_probe(struct session *s, unf_explorer *x, const struct execution *run,
                            const unf_verdict *verdict, unf_status status) {
  if (status == UNF_OK && !run->runtime_error) describe_end(s, s->state, verdict, x);
  if (status != UNF_OK && !is_refusal(status)) return status;
  s->message[0] = '\0';
  unf_explorer_abandon(x);
  return UNF_OK;
}

/* Ends an execution, with what came of it. */
static unf_status end_execution(struct session *s, const unf_explorer *x,
                                const struct execution *run, const unf_verdict *verdict,
                                unf_status status) {
  bool at_variance = status == UNF_NONDETERMINISM || status == UNF_DIVERGENCE;
  if (status != UNF_OK && !at_variance) return status;
  if (at_variance)
    snprintf(s->message, sizeof s->message, "%s", unf_context_detail(s->context)->text);
  bool raced;
  /* One that is redundant is a part of another trace. */
  s->named = verdict->redundant;
  s->name = TRACE_NAME_NONE;
  unf_status listed = races_list(s, x, &raced);
  s->inputs.again = at_variance && s->result.races == 0 && apart_decide(&s->inputs.apart);
  if (status == UNF_OK) status = listed;
  if (status != UNF_OK) return status;
  if (run->runtime_error) {
    s->result.stopped = "runtime";
    return UNF_OK;
  }
  /* What is read behind a race has no meaning. */
  if (!raced || s->options.behind_races == CLI_RACES_CONTINUE)
    describe_end(s, s->state, verdict, x);
  executions_write(s, x, verdict);
  return UNF_OK;
}

unf_status session_execute(struct session *s, unf_explorer *x, const unf_run *next) {
  struct execution run = {next->saved, false};
  unf_verdict verdict = {.redundant = false};
  unf_status status = go_back(s, x, next);
  if (status == UNF_OK) status = one_run(s, x, &run, &verdict);
  status = next->probe ? end_probe(s, x, &run, &verdict, status)
                       : end_execution(s, x, &run, &verdict, status);
  return status == UNF_OK && inputs_refused(&s->inputs) ? UNF_MEMORY : status;
}

unf_status session_explorer(struct session *s, unf_explorer **out) {
  unf_explorer_options options;
  cli_options_explorer(&s->options, &options);
  unf_status status = session_open(s);
  checkpoints_begin(&s->checkpoints, interval_of(&s->options), s->machine.words);
  options.forget = checkpoints_forget;
  options.forget_user = &s->checkpoints;
  return status == UNF_OK ? saving_explorer(s, &options, out) : status;
}

const char *session_uncontrolled(struct session *s, unf_status status) {
  if (status != UNF_OK) stopped(s, status);
  return s->result.uncontrolled;
}

void session_explore(struct session *s) {
  unf_explorer *x = NULL;
  unf_run next;
  unf_status status = session_explorer(s, &x);
  while (status == UNF_OK) {
    status = unf_explorer_next(x, &next);
    if (status != UNF_OK || next.finished) break;
    status = session_execute(s, x, &next);
    if (status != UNF_OK || s->result.stopped != NULL) break;
    if (!next.probe) saving_executed(s);
    if (s->options.stop_at_first && s->result.defects.count > s->defects_before) {
      s->result.stopped = "first";
      break;
    }
    saving_between(s, x);
  }
  json_t *known = x != NULL && s->options.save != NULL ? saving_known(s, x) : NULL;
  s->result.finished = status == UNF_OK && s->result.stopped == NULL;
  if (x != NULL) {
    unf_explorer_counts(x, &s->result.counts);
    unf_explorer_estimate(x, &s->result.estimate);
    if (cli_samples(&s->options)) unf_explorer_sampling(x, &s->result.sampling);
    if (unf_explorer_cutoffs(x) != NULL)
      unf_cutoffs_counts(unf_explorer_cutoffs(x), &s->result.cutoffs);
  }
  session_cut_short(s);
  if (status != UNF_OK) stopped(s, status);
  if (x != NULL && s->options.save != NULL) saving_end(s, x, known);
  s->explorer = x;
}

/*
 * The ready-made exploration loop: a ladder of phases, each of which makes one call of the explorer
 * or of the engine and says what comes next. A phase that fails leaves itself as the next one, so
 * the loop goes on there when it is called again.
 */
#include "exploration/drive.h"

#include <string.h>

#include "base/null.h"
#include "exploration/explorer.h"
#include "exploration/protocol.h"
#include "structure/effect.h"
#include "structure/event.h"

typedef unf_status phase_work(unf_explorer *x, const unf_engine *engine);

/* The status that a function of the engine returned; the detail names the function, unless a call
 * that it made has said why. */
static unf_status returned(unf_explorer *x, const char *name, unf_status status) {
  unf_context *context = x->u->context;
  bool said = status == UNF_OK || context->detail.status == status;
  return said ? status : unfi_fail(context, status, "unf_engine.", name);
}

/* Calls a function of the engine. */
#define CALL(name, ...)                                                                            \
  (x->u->context->detail.status = UNF_OK,                                                          \
   returned(x, #name, engine->name(engine->user, __VA_ARGS__)))

static unf_status go_to(struct drive *d, enum drive_phase phase) {
  d->phase = phase;
  return UNF_OK;
}

static unf_status next_execution(unf_explorer *x, const unf_engine *engine) {
  struct drive *d = &x->drive;
  unf_status status = engine->progress != NULL ? CALL(progress, x) : UNF_OK;
  if (status == UNF_OK) status = unf_explorer_next(x, &d->run);
  if (status != UNF_OK) return status;
  d->steps = 0;
  d->stepped = d->error = d->reported = false;
  return go_to(d, d->run.finished ? DRIVE_NEXT : DRIVE_RESTORE);
}

/* ---- its beginning ---- */

static unf_status restore(unf_explorer *x, const unf_engine *engine) {
  struct drive *d = &x->drive;
  bool any = d->run.shared > 0 || d->run.state != 0;
  uint64_t steps = 0;
  unf_status status = any && engine->restore != NULL ? CALL(restore, &d->run, &steps) : UNF_OK;
  if (status != UNF_OK) return status;
  d->steps = steps;
  return go_to(d, steps > 0 ? DRIVE_RESUME : DRIVE_RESTART);
}

/* The threads whose next operations an action makes known. */
static void concern(struct drive *d, const unf_unfolding *u, const unf_action *action) {
  d->concerned[0] = action->thread;
  d->concerned[1] = starts_thread(u, action->kind) ? action->target : NONE;
  d->offered = 0;
}

static unf_status resume(unf_explorer *x, const unf_engine *engine) {
  struct drive *d = &x->drive;
  (void)engine;
  unf_status status = unf_explorer_resume(x, d->steps);
  if (status != UNF_OK) {
    d->phase = DRIVE_RESTORE; /* so many steps cannot be spared */
    return status;
  }
  uint32_t last = x->path.steps.data[d->steps - 1].event;
  unf_action action = unfi_action(x->u, event_at(x->u, last)->action);
  concern(d, x->u, &action);
  return go_to(d, DRIVE_OFFER);
}

static unf_status restart(unf_explorer *x, const unf_engine *engine) {
  struct drive *d = &x->drive;
  unf_status status = CALL(restart, &d->run);
  if (status != UNF_OK) return status;
  d->offered = 0;
  return go_to(d, DRIVE_OFFER);
}

/* ---- its steps ---- */

static unf_status offer_one(unf_explorer *x, const unf_engine *engine, uint32_t thread) {
  unf_operation operation = UNF_OP_EXIT();
  unf_status status = CALL(next, thread, &operation);
  return status == UNF_OK ? unf_explorer_offer(x, thread, &operation) : status;
}

/* The next thread to offer something for, or NONE. */
static uint32_t next_offered(const unf_explorer *x, const struct drive *d) {
  const unf_unfolding *u = x->u;
  if (d->steps > 0) return d->offered < 2 ? d->concerned[d->offered] : NONE;
  uint32_t t = d->offered;
  while (t < u->threads.count && !u->threads.data[t].initial)
    t++;
  return t < u->threads.count ? t : NONE;
}

static unf_status offer(unf_explorer *x, const unf_engine *engine) {
  struct drive *d = &x->drive;
  uint32_t thread;
  while ((thread = next_offered(x, d)) != NONE) {
    unf_status status = offer_one(x, engine, thread);
    if (status != UNF_OK) return status;
    d->offered = d->steps > 0 ? d->offered + 1 : thread + 1;
  }
  return go_to(d, d->stepped ? DRIVE_CHANGED : DRIVE_BLOCKED);
}

static unf_status say_change(unf_explorer *x, const unf_engine *engine) {
  struct drive *d = &x->drive;
  unf_fingerprint change = UNF_FINGERPRINT_INIT;
  unf_status status = UNF_OK;
  if (!unfi_cutoffs_used(x)) return go_to(d, DRIVE_SAVE);
  status = CALL(changed, &change);
  if (status == UNF_OK && !unfi_is_symbolic(x)) status = unf_explorer_changed(x, &change);
  if (status == UNF_OK && unfi_is_symbolic(x)) {
    unf_fingerprint condition = UNF_FINGERPRINT_INIT;
    status = CALL(condition, &condition);
    if (status == UNF_OK) status = unf_explorer_changed_under(x, &change, &condition);
  }
  return status == UNF_OK ? go_to(d, DRIVE_SAVE) : status;
}

static unf_status save(unf_explorer *x, const unf_engine *engine) {
  struct drive *d = &x->drive;
  unf_status status = UNF_OK;
  d->state = 0;
  if (engine->save != NULL && !d->run.probe && d->steps > d->run.saved)
    status = CALL(save, d->steps, &d->state);
  if (status != UNF_OK) return status;
  return go_to(d, d->state != 0 ? DRIVE_SAVED : DRIVE_BLOCKED);
}

static unf_status name_saved(unf_explorer *x, const unf_engine *engine) {
  (void)engine;
  unf_status status = unf_explorer_save(x, x->drive.state);
  return status == UNF_OK ? go_to(&x->drive, DRIVE_BLOCKED) : status;
}

static unf_status block(unf_explorer *x, const unf_engine *engine) {
  unf_status status = engine->blocked != NULL ? CALL(blocked, x) : UNF_OK;
  return status == UNF_OK ? go_to(&x->drive, DRIVE_STEP) : status;
}

static unf_status step(unf_explorer *x, const unf_engine *engine) {
  struct drive *d = &x->drive;
  (void)engine;
  unf_status status = unf_explorer_step(x, &d->step);
  if (status != UNF_OK) return status;
  return go_to(d, d->step.kind == UNF_STEP_ACTION ? DRIVE_PERFORM : DRIVE_FINISH);
}

static unf_status perform(unf_explorer *x, const unf_engine *engine) {
  struct drive *d = &x->drive;
  d->performed = (unf_performed){.action = d->step.action};
  unf_status status = CALL(perform, &d->step, &d->performed);
  return status == UNF_OK ? go_to(d, DRIVE_COMMIT) : status;
}

static unf_status commit(unf_explorer *x, const unf_engine *engine) {
  struct drive *d = &x->drive;
  (void)engine;
  unf_status status = unf_explorer_commit(x, &d->performed.action, d->performed.cookie);
  if (status != UNF_OK) return status;
  d->steps++;
  d->stepped = true;
  d->error = d->error || d->performed.error;
  concern(d, x->u, &d->step.action);
  return go_to(d, DRIVE_OFFER);
}

/* ---- its end ---- */

/* Says once what an execution came to. */
static unf_status report_end(unf_explorer *x, const unf_engine *engine) {
  struct drive *d = &x->drive;
  if (d->reported || engine->ended == NULL) return UNF_OK;
  d->reported = true;
  return CALL(ended, &d->verdict, x);
}

static unf_status finish(unf_explorer *x, const unf_engine *engine) {
  struct drive *d = &x->drive;
  unf_status status = unf_explorer_finish(x, d->error, &d->verdict);
  if (status == UNF_OK) d->phase = DRIVE_NEXT;
  /* What the execution came to is known although it was stopped on its way. */
  bool judged =
      status == UNF_OK || status == UNF_INTERRUPTED || status == UNF_LIMIT || status == UNF_MEMORY;
  if (!judged) return status;
  if (status == UNF_OK) return report_end(x, engine);
  unf_detail detail = x->u->context->detail;
  unf_status reported = report_end(x, engine);
  if (reported != UNF_OK) return reported;
  x->u->context->detail = detail;
  return status;
}

/* ---- the loop ---- */

static phase_work *const phases[] = {
    [DRIVE_NEXT] = next_execution, [DRIVE_RESTORE] = restore,  [DRIVE_RESUME] = resume,
    [DRIVE_RESTART] = restart,     [DRIVE_OFFER] = offer,      [DRIVE_CHANGED] = say_change,
    [DRIVE_SAVE] = save,           [DRIVE_SAVED] = name_saved, [DRIVE_BLOCKED] = block,
    [DRIVE_STEP] = step,           [DRIVE_PERFORM] = perform,  [DRIVE_COMMIT] = commit,
    [DRIVE_FINISH] = finish,
};

/* The function of an engine that is missing for this explorer, or NULL. */
static const char *missing(const unf_explorer *x, const unf_engine *engine) {
  if (engine->restart == NULL) return "restart";
  if (engine->next == NULL) return "next";
  if (engine->perform == NULL) return "perform";
  if (engine->changed == NULL && unfi_cutoffs_used(x)) return "changed";
  if (engine->condition == NULL && unfi_cutoffs_used(x) && unfi_is_symbolic(x)) return "condition";
  if (engine->restore == NULL && engine->save != NULL) return "restore";
  return NULL;
}

static unf_status check(const unf_explorer *x, const unf_engine *engine) {
  unf_context *context = x->u->context;
  if (engine->size != sizeof *engine)
    return unfi_wrong_option(context, "unf_engine.size", engine->size, sizeof *engine);
  const char *name = missing(x, engine);
  if (name != NULL) return unfi_fail(context, UNF_INVALID, "unf_engine.", name, " is NULL");
  return UNF_OK;
}

unf_status unf_explore(unf_explorer *x, const unf_engine *engine, unf_counts *counts) {
  RETURN_IF_NULL(x->u->context, x, engine);
  struct drive *d = &x->drive;
  unf_status status = check(x, engine);
  if (x->state == IDLE) d->phase = DRIVE_NEXT; /* what there was of an execution was abandoned */
  d->run.finished = false;
  while (status == UNF_OK && !d->run.finished)
    status = phases[d->phase](x, engine);
  unf_explorer_counts(x, counts);
  return status;
}

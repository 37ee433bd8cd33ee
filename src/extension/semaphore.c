/*
 * Semaphores. A post adds: posts commute. To take one writes: two threads that take one disable
 * each other, and each needs posts before it. A failed try reads. An event that writes carries the
 * value after it; posts above it are counted.
 *
 * Where a maximum was stated, posts write, because their order decides which of them finds it
 * reached; such a post leaves the value as it is.
 */
#include "extension/exact.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/names.h"

/* What a semaphore has where an entry of its site is. */
static int64_t value_of(const unf_unfolding *u, const struct object *o, uint32_t entry) {
  uint32_t write = entry_write(u, entry);
  int64_t value = write != 0 ? unfi_carried(u, write) : o->initial, posts = entry_sum(u, entry);
  return value > INT64_MAX - posts ? INT64_MAX : value + posts;
}

static int64_t value_at(const unf_unfolding *u, struct cut cut, uint32_t semaphore) {
  const struct object *o = &u->objects.data[semaphore];
  return value_of(u, o, cut_at(cut, o->site));
}

/* A post that writes is one to a semaphore with a maximum. */
static int64_t written(unf_unfolding *u, uint32_t event) {
  const struct action *a = action_of(u, event);
  const struct object *o = &u->objects.data[a->target];
  int64_t value = value_of(u, o, event_at(u, event)->follows);
  if (a->kind == UNF_DID_SEM_WAIT) return value - 1;
  return value < o->maximum ? value + 1 : value;
}

static int64_t amount(unf_unfolding *u, uint32_t event) {
  (void)u, (void)event;
  return 1;
}

static unf_status outcomes(unf_unfolding *u, struct cut cut, uint32_t thread,
                           const unf_operation *operation, outcome_visitor visit, void *user) {
  unf_action action = {UNF_DID_POST, thread, operation->target, 0, 0};
  if (operation->kind != UNF_POST) {
    bool enough = value_at(u, cut, operation->target) > 0;
    if (!enough && operation->kind == UNF_SEM_WAIT) return UNF_OK;
    action.kind = enough ? UNF_DID_SEM_WAIT : UNF_DID_SEM_FAIL;
  }
  visit(user, &action);
  return UNF_OK;
}

static unf_status possible(unf_unfolding *u, struct cut cut, const unf_action *action) {
  if (action->kind == UNF_DID_POST) return UNF_OK;
  bool enough = value_at(u, cut, action->target) > 0;
  return enough == (action->kind == UNF_DID_SEM_WAIT) ? UNF_OK : UNF_DISABLED;
}

/* A semaphore at which a try fails is at 0: once an event has been left, only those of one layer
 * can still be taken, so the value no longer falls. */
static bool stays_above(struct enumeration *e) {
  return e->left > 0 && possible(e->u, unfi_exact_taken(e), &e->shape->action) != UNF_OK;
}

static unf_status shapes(unf_unfolding *u, struct cut cut, uint32_t thread,
                         const unf_operation *operation, shape_visitor visit, void *user) {
  struct shape shape = {.action = {UNF_DID_POST, thread, operation->target, 0, 0}};
  (void)u;
  (void)cut;
  if (operation->kind != UNF_POST) shape.action.kind = UNF_DID_SEM_WAIT;
  if (!visit(user, &shape) || operation->kind != UNF_SEM_TRYWAIT) return UNF_OK;
  shape.action.kind = UNF_DID_SEM_FAIL;
  shape.hopeless = stays_above;
  visit(user, &shape);
  return UNF_OK;
}

/* The last one that was taken. */
static uint32_t blockers(const unf_unfolding *u, struct cut cut, uint32_t thread,
                         const unf_operation *operation, uint32_t *out) {
  (void)thread;
  out[0] = entry_write(u, cut_at(cut, u->objects.data[operation->target].site));
  return out[0] != 0;
}

static unf_status uses(unf_unfolding *u, const unf_action *action) {
  struct object *o = &u->objects.data[action->target];
  enum access access = ACCESS_READ;
  if (action->kind == UNF_DID_POST) access = o->maximum != 0 ? ACCESS_WRITE : ACCESS_ADD;
  if (action->kind == UNF_DID_SEM_WAIT) access = ACCESS_WRITE;
  struct use use = {o->site, access};
  if (!vector_reserve(u->context, &u->use_room, 1)) return unfi_refused(u->context);
  vector_push(&u->use_room, use);
  o->used = true;
  return UNF_OK;
}

static const struct action_row actions[] = {
    {.kind = UNF_DID_POST, .uses = uses},
    {.kind = UNF_DID_SEM_WAIT, .uses = uses},
    {.kind = UNF_DID_SEM_FAIL, .uses = uses},
};

static const struct operation_row operations[] = {
    {.kind = UNF_POST, .contended = CONTENDED_TARGET},
    {.kind = UNF_SEM_WAIT, .contended = CONTENDED_TARGET},
    {.kind = UNF_SEM_TRYWAIT, .contended = CONTENDED_TARGET},
};

const struct effect_family unfi_semaphore_family = {
    .actions = ROWS(actions),
    .operations = ROWS(operations),
    .initial = INITIAL_COUNT,
    .only_target = true,
    .outcomes = outcomes,
    .possible = possible,
    .shapes = shapes,
    .blockers = blockers,
    .written = written,
    .amount = amount,
};

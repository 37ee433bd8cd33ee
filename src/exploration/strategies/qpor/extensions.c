/*
 * The conflicting extensions of a maximal configuration enter U. What an event could have been
 * depends on its own history alone, so it is computed in the first maximal run that has the event;
 * only the operations that were never performed are looked at in each run.
 */
#include "exploration/explorer.h"
#include "exploration/path.h"
#include "exploration/strategies/qpor/extensions.h"
#include "exploration/strategies/qpor/spikes.h"
#include "structure/action.h"
#include "structure/effect.h"
#include "structure/event.h"

struct extending {
  unf_explorer *x;
  unf_status status;
};

static bool add_extension(void *user, const struct causes *causes) {
  struct extending *in = user;
  unf_explorer *x = in->x;
  uint32_t event;
  in->status = unfi_event_intern(x->u, causes, &event);
  if (in->status == UNF_OK && (!unfi_known_reserve(x) || !unfi_places_reserve(x, event)))
    in->status = unfi_refused(x->u->context);
  if (in->status == UNF_OK) unfi_known_add(x, event);
  return in->status == UNF_OK;
}

static bool is_reversed(const unf_explorer *x, uint32_t thread, uint32_t before) {
  unf_unfolding *u = x->u;
  const unf_operation *operation = &u->operations.data[next_after(u, thread, before)];
  return u->effects->operations[operation->kind].family->conflicting == NULL;
}

/* *several is set for an operation with several uses, which is left to reversal. With cutoffs it
 * has its exact extensions: a reversal may lead to one event by way of executions with another,
 * which may be left out. */
static unf_status extend(unf_explorer *x, uint32_t thread, uint32_t before, uint32_t event,
                         bool *several) {
  struct extending in = {x, UNF_OK};
  if (x->cutoffs == NULL && is_reversed(x, thread, before)) {
    *several = true;
    return UNF_OK;
  }
  unf_status status =
      unfi_conflicting(x->u, configuration_cut(&x->C), thread, before, event, add_extension, &in);
  return status != UNF_OK ? status : in.status;
}

static unf_status reverse(unf_explorer *x) {
  struct extending in = {x, UNF_OK};
  handle_vector *events = &x->events;
  if (!vector_reserve(x->u->context, events, x->path.count)) return unfi_refused(x->u->context);
  events->count = 0;
  for (uint32_t i = 0; i < x->path.count; i++)
    vector_push(events, x->path.data[i].event);
  struct maximal M = {configuration_cut(&x->C), events->data, events->count,
                      x->cutoffs == NULL ? x->reversed : 0, 0};
  unf_status status = unfi_reverse(x->u, &M, &x->attempts, add_extension, &in);
  if (status == UNF_OK && in.status == UNF_OK) x->reversed = x->path.count;
  return status != UNF_OK ? status : in.status;
}

unf_status unfi_extend_all(unf_explorer *x) {
  unf_unfolding *u = x->u;
  bool several = false;
  for (uint32_t i = 0; i < x->path.count; i++) {
    uint32_t event = x->path.data[i].event;
    bool reversed = !has_conflicting(u, action_of(u, event));
    if (known_at(x, event)->extended && !(reversed && x->cutoffs != NULL)) {
      several = several || reversed;
      continue;
    }
    unf_status status =
        extend(x, action_of(u, event)->thread, event_at(u, event)->before, event, &several);
    if (status != UNF_OK) return status;
    known_at(x, event)->extended = 1;
  }
  for (uint32_t t = 0; t < u->threads.count; t++) {
    uint32_t last = cut_last(u, configuration_cut(&x->C), t);
    if (last == NONE) continue;
    unf_status status = extend(x, t, last, NONE, &several);
    if (status != UNF_OK) return status;
  }
  return several ? reverse(x) : UNF_OK;
}

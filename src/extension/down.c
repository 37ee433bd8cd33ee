/*
 * Rule 2 of race reversal: the operation of a thread that is blocked at P. What blocks it is taken
 * out of P, with its successors, until the thread can go on, or what it needs itself would go.
 */
#include "extension/down.h"

#include "extension/extension.h"
#include "extension/reversing.h"
#include "extension/site_history.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/names.h"
#include "structure/relation.h"

struct keep unfi_keep_of(const struct reversal *r, uint32_t thread, uint32_t before,
                         uint32_t event) {
  unf_unfolding *u = r->u;
  struct keep keep = {before, 0};
  const unf_operation *operation = &u->operations.data[next_after(u, thread, before)];
  const struct effect_family *family = u->effects->operations[operation->kind].family;
  if (family->needed != NULL) keep.needed = family->needed(u, r->M, thread, operation, event);
  return keep;
}

/* Whether this cut was tried already for the thread at hand; it is then remembered. */
static bool tried(struct reversal *r) {
  bool seen;
  if (unfi_sparse_seen(r->u->context, &r->P, &r->tried, &seen)) return seen;
  r->status = unfi_refused(r->u->context);
  return true;
}

/* Whether a location was tried before, in any configuration: what can be done after P depends on
 * what the location has in it. */
static bool attempted(struct reversal *r, uint32_t thread, uint32_t before, uint32_t entry) {
  struct attempt attempt = {thread, before, entry};
  bool seen;
  if (unfi_attempt(r->u->context, r->attempts, &attempt, &seen)) return seen;
  r->status = unfi_refused(r->u->context);
  return true;
}

/* Adds the events of a cut that change what a site has, or of those that come before the last
 * write, none. Returns false when refused. */
static bool changes_of(unf_unfolding *u, struct cut cut, uint32_t site, handle_vector *out) {
  const uint32_t entry = cut_at(cut, site);
  uint32_t kept = out->count;
  if (entry != 0 && !(entry & ROW_TAG)) {
    if (!vector_reserve(u->context, out, (uint64_t)kept + 1)) return false;
    vector_push(out, entry);
    return true;
  }
  if (!unfi_site_history(u, cut, site, out)) return false;
  for (uint32_t i = kept; i < out->count; i++)
    if (unfi_access(u, action_of(u, out->data[i]), site) != ACCESS_READ)
      out->data[kept++] = out->data[i];
  out->count = kept;
  return true;
}

/* The last events of P that change what the operation concerns, as far as they may be left out. */
static bool relevant(struct reversal *r, const unf_operation *operation, struct keep keep,
                     handle_vector *out) {
  unf_unfolding *u = r->u;
  const struct effect_family *family = u->effects->operations[operation->kind].family;
  handle_vector history = {0};
  r->status = family->concerns(u, operation);
  if (r->status != UNF_OK) return false;
  bool enough = true;
  for (uint32_t i = 0; enough && i < u->use_room.count; i++)
    enough = changes_of(u, unfi_reversal_P(r), u->use_room.data[i].site, &history);
  enough = enough && vector_reserve(u->context, out, history.count);
  for (uint32_t i = 0; enough && i < history.count; i++) {
    bool last = !unfi_precedes(u, history.data[i], keep.before);
    for (uint32_t j = 0; last && j < history.count; j++)
      last =
          history.data[i] == history.data[j] || !unfi_precedes(u, history.data[i], history.data[j]);
    if (last) vector_push(out, history.data[i]);
  }
  vector_free(u->context, &history);
  if (!enough) r->status = unfi_refused(u->context);
  return enough;
}

static void down_anyhow(struct reversal *r, uint32_t thread, struct keep keep,
                        const unf_operation *operation);

/* Goes on from P without one event more. */
static void down_without(struct reversal *r, uint32_t thread, struct keep keep,
                         const unf_operation *operation, uint32_t event) {
  uint32_t outs = r->outs.count;
  if (unfi_leave_out(r, event) && unfi_without(r)) unfi_at(r, thread, keep.before);
  if (!r->found && !unfi_reversal_stopped(r)) down_anyhow(r, thread, keep, operation);
  r->outs.count = outs;
}

/* The part of `down_anyhow` for one site: tries what stands before the last write; whether leaving
 * out single events is to be tried too. */
static bool below_write(struct reversal *r, uint32_t thread, struct keep keep,
                        const unf_operation *operation) {
  unf_unfolding *u = r->u;
  const struct effect_family *family = u->effects->operations[operation->kind].family;
  uint32_t entry = cut_at(unfi_reversal_P(r), u->objects.data[operation->target].site);
  uint32_t write = entry_write(u, entry);
  if (attempted(r, thread, keep.before, entry)) return false;
  if (entry == write) return true;
  bool help = family->adds_help(u, unfi_reversal_P(r), operation, keep.before);
  if (write != 0 && !unfi_precedes(u, write, keep.before))
    down_without(r, thread, keep, operation, write);
  return help && !unfi_reversal_stopped(r) && unfi_without(r);
}

/* The last writes at the sites of a location, as far as they may be left out. */
static bool last_writes(struct reversal *r, const unf_operation *operation, struct keep keep,
                        handle_vector *out) {
  unf_unfolding *u = r->u;
  r->status = u->effects->operations[operation->kind].family->concerns(u, operation);
  if (r->status == UNF_OK && !vector_reserve(u->context, out, u->use_room.count))
    r->status = unfi_refused(u->context);
  for (uint32_t i = 0; r->status == UNF_OK && i < u->use_room.count; i++) {
    uint32_t write = entry_write(u, cut_at(unfi_reversal_P(r), u->use_room.data[i].site));
    bool found = write == 0 || unfi_precedes(u, write, keep.before);
    for (uint32_t j = 0; !found && j < out->count; j++)
      found = out->data[j] == write;
    if (!found) vector_push(out, write);
  }
  return r->status == UNF_OK;
}

/* Where it is not known what blocks the operation: each of the relevant events is left out in turn.
 * For a location that cannot help while the value stays out of reach; one of several sites gets
 * there only without one of the last writes. */
static void down_anyhow(struct reversal *r, uint32_t thread, struct keep keep,
                        const unf_operation *operation) {
  const struct effect_family *family = r->u->effects->operations[operation->kind].family;
  handle_vector last = {0};
  bool go_on, writes = false;
  if (family->adds_help != NULL && r->single != NONE) {
    go_on = below_write(r, thread, keep, operation);
  } else {
    go_on = !tried(r);
    writes = go_on && family->adds_help != NULL &&
             !family->adds_help(r->u, unfi_reversal_P(r), operation, keep.before);
  }
  if (go_on &&
      (writes ? last_writes(r, operation, keep, &last) : relevant(r, operation, keep, &last)))
    for (uint32_t i = 0; i < last.count && !unfi_reversal_stopped(r); i++)
      down_without(r, thread, keep, operation, last.data[i]);
  vector_free(r->u->context, &last);
}

void unfi_down(struct reversal *r, uint32_t thread, struct keep keep) {
  unf_unfolding *u = r->u;
  uint32_t next = next_after(u, thread, keep.before);
  while (!unfi_reversal_stopped(r)) {
    /* Copied: interning on the way may move the table. */
    unf_operation operation = u->operations.data[next];
    const struct effect_family *family = u->effects->operations[operation.kind].family;
    if (family->blockers == NULL) {
      r->tried.words.count = 0;
      down_anyhow(r, thread, keep, &operation);
      return;
    }
    if (!vector_reserve(u->context, &u->store.entry_room, u->threads.count)) {
      r->status = unfi_refused(u->context);
      return;
    }
    uint32_t *found = u->store.entry_room.data;
    uint32_t count = family->blockers(u, unfi_reversal_P(r), thread, &operation, found);
    for (uint32_t i = 0; i < count; i++)
      if (unfi_precedes(u, found[i], keep.before) || unfi_precedes(u, found[i], keep.needed))
        return;
    for (uint32_t i = 0; i < count; i++)
      if (!unfi_leave_out(r, found[i])) return;
    if (count == 0 || !unfi_without(r)) return;
    unfi_at(r, thread, keep.before);
    if (r->found) return;
  }
}

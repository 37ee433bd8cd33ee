/*
 * Depth-first there is no tree: what is left of the path is done. A leaf is left node by node
 * upwards, until one has another branch (Algorithm 1, lines 5 to 12, as a loop).
 *
 * An error leaves the path at the node where it happened, and the event that was taken back from
 * there in `taken`, so that the call can be made again.
 */
#include "exploration/orders/depth_first.h"

#include "exploration/explorer.h"
#include "exploration/image/image.h"
#include "exploration/image/sequence.h"
#include "extension/adds.h"

static struct depth_first *depth_first_of(const unf_explorer *x) {
  return x->order_state;
}

void unfi_depth_first_end(unf_explorer *x) {
  unfi_saves_forget(x, &depth_first_of(x)->saves, 0);
}

static unf_status leave(unf_explorer *x, bool *found) {
  uint32_t *taken = &depth_first_of(x)->taken;
  *found = false;
  while (!*found && (*taken != 0 || x->path.steps.count > x->floor)) {
    unf_status status = unfi_work(x->u->context, 1);
    if (status != UNF_OK) return status;
    if (*taken == 0) *taken = unfi_path_pop(x);
    status = x->strategy->another(x, *taken, found);
    if (status != UNF_OK) return status;
    if (*found)
      unfi_sleep(x, *taken);
    else if (sleeps_from(&x->path.D, x->path.steps.count))
      unfi_wake(x, x->path.steps.count);
    *taken = 0;
    unfi_done(x->u->context);
  }
  x->run.shared = x->path.steps.count;
  return UNF_OK;
}

unf_status unfi_depth_first_next(unf_explorer *x) {
  bool found;
  if (!unfi_path_reserve(x)) return unfi_refused(x->u->context);
  unf_status status = x->strategy->leave != NULL ? x->strategy->leave(x, &found) : leave(x, &found);
  if (status != UNF_OK) return status;
  x->branch = found ? BRANCH_DECIDED : BRANCH_NONE;
  x->run.base = x->path.steps.count;
  unfi_saves_forget(x, &depth_first_of(x)->saves, found ? x->run.shared + 1 : 1);
  return UNF_OK;
}

uint32_t *unfi_depth_first_saves(unf_explorer *x, uint32_t depth) {
  (void)depth;
  return &depth_first_of(x)->saves;
}

const struct saved *unfi_depth_first_saved(const unf_explorer *x) {
  return unfi_saves_deepest(x, depth_first_of(x)->saves, x->run.base);
}

void unfi_depth_first_write(const unf_explorer *x, struct bytes_out *out) {
  unfi_bytes_put(out, depth_first_of(x)->taken);
}

void unfi_depth_first_read(unf_explorer *x, struct bytes_in *in) {
  uint32_t taken = unfi_bytes_get_below(in, x->u->store.count, "event taken back");
  if (taken != 0 && x->branch != BRANCH_LEAF) unfi_bytes_malformed(in, "event taken back");
  if (taken != 0) unfi_enabled_check(x, in, taken);
  depth_first_of(x)->taken = taken;
}

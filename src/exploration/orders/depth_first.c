/*
 * Leaving a leaf: node by node upwards, until one has another branch (Algorithm 1, lines 5 to 12,
 * as a loop).
 *
 * An error leaves the path at the node where it happened, and the event that was taken back from
 * there in `taken`, so that the call can be made again.
 */
#include "exploration/orders/depth_first.h"

#include "exploration/explorer.h"
#include "exploration/path.h"
#include "exploration/save.h"
#include "exploration/strategies/qpor/alternative.h"

unf_status unfi_branch(unf_explorer *x) {
  unf_context *context = x->u->context;
  if (!unfi_path_reserve(x)) return unfi_refused(context);
  bool found = false;
  while (!found && (x->taken != 0 || x->path.count > x->floor)) {
    unf_status status = unfi_poll(context);
    if (status != UNF_OK) return status;
    if (x->taken == 0) x->taken = unfi_path_pop(x);
    status = unfi_another(x, x->taken, &found);
    if (status != UNF_OK) return status;
    if (found)
      unfi_sleep(x, x->taken);
    else
      unfi_wake(x, x->path.count);
    x->taken = 0;
  }
  x->branch = found ? BRANCH_DECIDED : BRANCH_NONE;
  x->base = x->shared = x->path.count;
  unfi_saves_forget(x, &x->saves.path, x->base + 1);
  return UNF_OK;
}

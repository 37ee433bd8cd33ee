/* Steps are entered when a candidate is looked at: most are taken back before. */
#include "exploration/strategies/qpor/chains.h"

#include "exploration/strategies/qpor/qpor.h"
#include "structure/action.h"
#include "structure/event.h"

void unfi_chains_free(unf_context *context, struct chains *c) {
  for (uint32_t i = 0; i < c->writes.capacity; i++)
    vector_free(context, &c->writes.data[i]);
  vector_free(context, &c->writes);
  vector_free(context, &c->reaches);
}

/* Enters a write of a site, with its node in the tree of that. The write before it may have got its
 * branch when it was entered already. Returns false when refused. */
static inline bool enter_write(const unf_unfolding *u, struct chains *c, uint32_t event,
                               uint32_t site, struct node node) {
  chain_vector *chain = &c->writes.data[site];
  if (!vector_reserve(u->context, chain, (uint64_t)node.depth + 1)) return false;
  chain->data[node.depth] = event;
  if (is_twig(node)) {
    c->reaches.data[branch_of(node)] = node.depth - 1;
    return true;
  }
  const struct branch *branch = &u->store.branches.data[node.branch];
  bool first = branch->parent != NONE && branch->fork_depth == node.depth - 1;
  if (first) c->reaches.data[branch->parent] = branch->fork_depth;
  c->reaches.data[node.branch] = node.depth;
  return true;
}

/* A node whose write is not in C any more. One that left its branch says nothing of that. */
static inline void leave_write(const unf_unfolding *u, struct chains *c, struct node node) {
  if (is_twig(node) || node.branch >= c->reaches.capacity) return;
  uint32_t before = node.depth - 1;
  bool left = before > u->store.branches.data[node.branch].fork_depth;
  c->reaches.data[node.branch] = left ? before : 0;
}

static bool enter(unf_explorer *x, uint32_t event) {
  unf_unfolding *u = x->u;
  struct chains *c = &qpor_of(x)->chains;
  const struct action *a = action_of(u, event);
  if (!enter_write(u, c, event, a->site, *own_node(u, event))) return false;
  if (a->count <= 1)
    return a->written == NONE ||
           enter_write(u, c, event, a->written, *node_in(u, event, a->written));
  uint32_t count;
  const struct use *uses = uses_of(u, a, &count);
  for (uint32_t i = 0; i < count; i++)
    if (uses[i].access == ACCESS_WRITE &&
        !enter_write(u, c, event, uses[i].site, *node_in(u, event, uses[i].site)))
      return false;
  return true;
}

static void leave(const unf_explorer *x, uint32_t event) {
  const unf_unfolding *u = x->u;
  struct chains *c = &qpor_of(x)->chains;
  const struct action *a = action_of(u, event);
  leave_write(u, c, *own_node(u, event));
  if (a->count <= 1) {
    if (a->written != NONE) leave_write(u, c, *node_in(u, event, a->written));
    return;
  }
  uint32_t count;
  const struct use *uses = uses_of(u, a, &count);
  for (uint32_t i = 0; i < count; i++)
    if (uses[i].access == ACCESS_WRITE) leave_write(u, c, *node_in(u, event, uses[i].site));
}

unf_status unfi_chains_enter(unf_explorer *x) {
  unf_context *context = x->u->context;
  struct chains *c = &qpor_of(x)->chains;
  if (!vector_reserve_zero(context, &c->writes, x->u->sites.count) ||
      !vector_reserve_zero(context, &c->reaches, x->u->store.branches.count))
    return unfi_refused(context);
  for (; c->steps < x->path.steps.count; c->steps++) {
    uint32_t event = x->path.steps.data[c->steps].event;
    uint64_t counted = steps_from(c->steps, 1);
    unf_status status = counted > 0 ? unfi_work(context, counted) : UNF_OK;
    if (status != UNF_OK) return status;
    if (enter(x, event)) continue;
    leave(x, event);
    return unfi_refused(context);
  }
  return UNF_OK;
}

void unfi_chains_leave(unf_explorer *x, uint32_t event) {
  leave(x, event);
  qpor_of(x)->chains.steps--;
}

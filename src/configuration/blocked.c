/* Why a thread cannot go on, from its operation alone, whatever its family. */
#include <unfold/configuration.h>

#include "base/null.h"
#include "configuration/configuration.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/layer.h"

static bool is_any(void *user, const unf_action *action) {
  (void)action;
  *(bool *)user = true;
  return false;
}

struct obstacles {
  unf_event_visitor visit;
  void *user;
  bool more;
};

static void visit_one(struct obstacles *obstacles, uint32_t event) {
  if (obstacles->more && obstacles->visit != NULL)
    obstacles->more = obstacles->visit(obstacles->user, event);
}

/* The events at the top of the entry of an object. */
static void visit_object(const unf_unfolding *u, struct cut cut, uint32_t object,
                         struct obstacles *obstacles) {
  uint32_t entry = cut_at(cut, u->objects.data[object].site);
  if (!(entry & ROW_TAG)) {
    if (entry != 0) visit_one(obstacles, entry);
    return;
  }
  const struct layer *layer = layer_at(u, entry);
  for (uint32_t i = 0; i < layer_count(layer); i++)
    visit_one(obstacles, layer->members[i]);
}

static void visit_all(const unf_unfolding *u, struct cut cut, const unf_operation *operation,
                      struct obstacles *obstacles) {
  const struct operation_row *row = &u->effects->operations[operation->kind];
  if (is_object(row->target)) visit_object(u, cut, operation->target, obstacles);
  if (is_object(second_target(row->second))) visit_object(u, cut, operation->second, obstacles);
  if (row->target != TARGET_THREAD) return;
  uint32_t last = cut_last(u, cut, operation->target);
  if (last != NONE && last != 0) visit_one(obstacles, last);
}

unf_status unf_configuration_blocked(unf_configuration *c, unf_thread thread, bool *out,
                                     unf_event_visitor visit, void *user) {
  RETURN_IF_NULL(c->u->context, c, out);
  unf_operation operation;
  bool any = false;
  unf_status status = unf_configuration_next(c, thread, &operation);
  if (status != UNF_OK) return status;
  struct cut cut = configuration_cut(c);
  const struct operation_row *row = &c->u->effects->operations[operation.kind];
  if (!row->ends) {
    status = row->family->outcomes(c->u, cut, thread, &operation, is_any, &any);
    if (status != UNF_OK) return status;
  }
  *out = !row->ends && !any;
  visit_all(c->u, cut, &operation, &(struct obstacles){visit, user, true});
  return UNF_OK;
}

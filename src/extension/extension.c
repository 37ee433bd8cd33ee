/* What an operation can become, which its family says, and ex(C), en(C) and cex(C) of
 * configurations (public functions). */
#include "extension/extension.h"

#include <unfold/extension.h>

#include "base/null.h"
#include "configuration/branches.h"
#include "configuration/offer.h"
#include "configuration/walk.h"
#include "extension/exact.h"
#include "structure/cut.h"
#include "structure/event.h"

unf_status unfi_outcomes(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t operation,
                         outcome_visitor visit, void *user) {
  const unf_operation *o = &u->operations.data[operation];
  const struct effect_family *family = u->effects->operations[o->kind].family;
  return family->outcomes(u, cut, thread, o, visit, user);
}

unf_status unfi_conflicting(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t before,
                            uint32_t event, struct site_uses *uses, causes_visitor visit,
                            void *user) {
  uint32_t next = *unfi_next_slot(u, thread, before);
  if (next == 0) return unfi_missing(u, thread);
  /* Copied: interning on the way may move the table. */
  unf_operation operation = u->operations.data[next];
  const struct effect_family *family = u->effects->operations[operation.kind].family;
  if (family->conflicting == NULL)
    return unfi_exact(u, cut, thread, before, &operation, event, uses, visit, user);
  return family->conflicting(u, cut, thread, before, &operation, event, visit, user);
}

/* Every started thread must have an operation. */
static unf_status check_known(const unf_configuration *c) {
  unf_unfolding *u = c->u;
  for (uint32_t t = 0; t < u->threads.count; t++) {
    uint32_t last = cut_last(u, configuration_cut(c), t);
    if (last != NONE && next_after(u, t, last) == 0) return unfi_missing(u, t);
  }
  return UNF_OK;
}

struct visiting {
  unf_action_visitor visit;
  void *user;
  bool more;
};

static bool visit_action(void *user, const unf_action *action) {
  struct visiting *visiting = user;
  visiting->more = visiting->visit(visiting->user, action);
  return visiting->more;
}

unf_status unf_configuration_actions(const unf_configuration *c, unf_action_visitor visit,
                                     void *user) {
  RETURN_IF_NULL(c->u->context, c, visit);
  unf_unfolding *u = c->u;
  struct visiting visiting = {visit, user, true};
  unf_status status = check_known(c);
  for (uint32_t t = 0; status == UNF_OK && visiting.more && t < u->threads.count; t++) {
    uint32_t last = cut_last(u, configuration_cut(c), t);
    if (last == NONE) continue;
    status =
        unfi_outcomes(u, configuration_cut(c), t, next_after(u, t, last), visit_action, &visiting);
  }
  return status;
}

struct interning {
  unf_unfolding *u;
  struct cut cut;
  unf_event_visitor visit;
  void *user;
  unf_status status;
  bool more;
};

static bool intern_outcome(void *user, const unf_action *action) {
  struct interning *in = user;
  struct causes causes;
  uint32_t event;
  unf_answer answer = UNF_ANSWER_YES;
  in->status = unfi_causes(in->u, in->cut, action, &causes);
  if (in->status == UNF_OK) in->status = unfi_event_intern(in->u, &causes, &event);
  if (in->status == UNF_OK) in->status = unfi_consistent_with(in->u, in->cut, event, &answer);
  if (in->status == UNF_OK && answer != UNF_ANSWER_NO) in->more = in->visit(in->user, event);
  return in->status == UNF_OK && in->more;
}

static bool intern_causes(void *user, const struct causes *causes) {
  struct interning *in = user;
  uint32_t event;
  unf_answer answer = UNF_ANSWER_YES;
  in->status = unfi_event_intern(in->u, causes, &event);
  if (in->status == UNF_OK) in->status = unfi_exists(in->u, event, &answer);
  if (in->status == UNF_OK && answer != UNF_ANSWER_NO) in->more = in->visit(in->user, event);
  return in->status == UNF_OK && in->more;
}

/* An outcome that exists, and is not enabled only because it excludes others of the cut. */
static bool intern_excluded(void *user, const unf_action *action) {
  struct interning *in = user;
  struct causes causes;
  uint32_t event;
  unf_answer here, alone = UNF_ANSWER_YES;
  in->status = unfi_causes(in->u, in->cut, action, &causes);
  if (in->status == UNF_OK) in->status = unfi_event_intern(in->u, &causes, &event);
  if (in->status == UNF_OK) in->status = unfi_consistent_with(in->u, in->cut, event, &here);
  if (in->status != UNF_OK) return false;
  if (here == UNF_ANSWER_NO) in->status = unfi_exists(in->u, event, &alone);
  if (in->status == UNF_OK && here == UNF_ANSWER_NO && alone != UNF_ANSWER_NO)
    in->more = in->visit(in->user, event);
  return in->status == UNF_OK && in->more;
}

static unf_status excluded(struct interning *in, uint32_t thread, uint32_t last) {
  unf_unfolding *u = in->u;
  uint32_t next = next_after(u, thread, last);
  if (u->operations.data[next].kind != UNF_BRANCH) return UNF_OK;
  unf_status status = unfi_outcomes(u, in->cut, thread, next, intern_excluded, in);
  return status == UNF_OK ? in->status : status;
}

static unf_status enabled(struct interning *in, unf_configuration *c) {
  unf_status status = unf_configuration_actions(c, intern_outcome, in);
  return status != UNF_OK ? status : in->status;
}

static unf_status conflicting(struct interning *in, unf_configuration *c) {
  unf_unfolding *u = c->u;
  handle_vector events = {0};
  struct site_uses uses = {0};
  struct cut nothing = {NULL, 0};
  unf_status status = check_known(c);
  if (status != UNF_OK) return status;
  if (!unfi_cut_events(u, in->cut, nothing, &events)) status = unfi_refused(u->context);
  for (uint32_t i = 0; status == UNF_OK && in->more && i < events.count; i++) {
    uint32_t event = events.data[i];
    status = unfi_conflicting(u, in->cut, action_of(u, event)->thread, event_at(u, event)->before,
                              event, &uses, intern_causes, in);
    if (status == UNF_OK) status = in->status;
  }
  for (uint32_t t = 0; status == UNF_OK && in->more && t < u->threads.count; t++) {
    uint32_t last = cut_last(u, in->cut, t);
    if (last == NONE) continue;
    status = unfi_conflicting(u, in->cut, t, last, NONE, &uses, intern_causes, in);
    if (status == UNF_OK) status = in->status;
    if (status == UNF_OK && in->more) status = excluded(in, t, last);
  }
  vector_free(u->context, &events);
  unfi_site_uses_free(u->context, &uses);
  return status;
}

unf_status unf_extensions_enabled(unf_configuration *c, unf_event_visitor visit, void *user) {
  RETURN_IF_NULL(c->u->context, c, visit);
  struct interning in = {c->u, configuration_cut(c), visit, user, UNF_OK, true};
  return enabled(&in, c);
}

unf_status unf_extensions_conflicting(unf_configuration *c, unf_event_visitor visit, void *user) {
  RETURN_IF_NULL(c->u->context, c, visit);
  struct interning in = {c->u, configuration_cut(c), visit, user, UNF_OK, true};
  return conflicting(&in, c);
}

unf_status unf_extensions_all(unf_configuration *c, unf_event_visitor visit, void *user) {
  RETURN_IF_NULL(c->u->context, c, visit);
  struct interning in = {c->u, configuration_cut(c), visit, user, UNF_OK, true};
  unf_status status = enabled(&in, c);
  if (status != UNF_OK || !in.more) return status;
  return conflicting(&in, c);
}

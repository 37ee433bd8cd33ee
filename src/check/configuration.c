/* Whether a configuration is one, and what it reports about itself is correct. The set is rebuilt
 * from the last events of the threads alone. */
#include "base/null.h"
#include "base/sort.h"
#include "check/check.h"
#include "structure/action.h"
#include "structure/event.h"
#include "structure/names.h"

struct collected {
  handle_vector *events; /* with room for all that are expected */
  uint32_t room;
  bool more; /* there are more events than that */
};

static bool put(void *user, unf_event event) {
  struct collected *l = user;
  l->more = l->events->count == l->room;
  if (!l->more) vector_push(l->events, event);
  return !l->more;
}

/* The union of the histories of the threads' last events, ascending. */
static unf_status rebuild(struct checker *checker, const unf_configuration *c,
                          handle_vector *events) {
  unf_unfolding *u = checker->u;
  unf_status status = UNF_OK;
  unfi_checker_empty(checker);
  for (uint32_t t = 0; status == UNF_OK && t < u->threads.count; t++) {
    uint32_t last;
    status = unf_configuration_last(c, t, &last);
    if (status == UNF_OK && last != NONE) status = unfi_checker_add(checker, last);
  }
  if (status != UNF_OK) return status;
  if (!vector_reserve(u->context, events, checker->set.count)) return unfi_refused(u->context);
  for (uint32_t i = 0; i < checker->set.count; i++)
    vector_push(events, checker->set.data[i]);
  unfi_sort(events->data, events->count);
  return UNF_OK;
}

static unf_status check_listed(const unf_configuration *c, const handle_vector *events,
                               handle_vector *listed) {
  unf_unfolding *u = c->u;
  struct collected l = {listed, events->count, false};
  if (unf_configuration_size(c) != events->count)
    return unfi_broken(u, NONE, "the size of the configuration is not that of its closure,",
                       events->count);
  if (!vector_reserve(u->context, listed, events->count)) return unfi_refused(u->context);
  unf_status status = unf_configuration_linearize(c, put, &l);
  if (status != UNF_OK) return status;
  bool same = !l.more && listed->count == events->count;
  for (uint32_t i = 0; same && i < listed->count; i++)
    same = listed->data[i] == events->data[i];
  return same ? UNF_OK
              : unfi_broken(u, NONE, "the events listed are not closed under causes", NONE);
}

/* Checks the last event of each thread and the owner of each mutex. */
static unf_status check_reported(const unf_configuration *c, const handle_vector *events) {
  unf_unfolding *u = c->u;
  for (uint32_t t = 0; t < u->threads.count; t++) {
    uint32_t last = u->threads.data[t].initial ? 0 : NONE, reported;
    for (uint32_t i = 0; i < events->count; i++) {
      const struct action *a = action_of(u, events->data[i]);
      if (a->thread == t || (a->kind == UNF_DID_CREATE && a->target == t)) last = events->data[i];
    }
    unf_status status = unf_configuration_last(c, t, &reported);
    if (status != UNF_OK) return status;
    if (reported != last) return unfi_broken(u, reported, "not the last event of thread", t);
  }
  for (uint32_t m = 0; m < u->objects.count; m++) {
    if (u->objects.data[m].object_class != UNF_MUTEX) continue;
    uint32_t owner = NONE, reported;
    for (uint32_t i = 0; i < events->count; i++) {
      const struct action *a = action_of(u, events->data[i]);
      bool waits = a->kind == UNF_DID_WAIT || a->kind == UNF_DID_WAKE;
      if ((waits ? a->second : a->target) != m) continue;
      if (a->kind == UNF_DID_ACQUIRE || a->kind == UNF_DID_WAKE) owner = a->thread;
      if (a->kind == UNF_DID_RELEASE || a->kind == UNF_DID_WAIT) owner = NONE;
    }
    unf_status status = unf_configuration_owner(c, m, &reported);
    if (status != UNF_OK) return status;
    if (reported != owner)
      return unfi_broken(u, NONE, "the configuration reports a wrong owner of object", m);
  }
  return UNF_OK;
}

unf_status unf_check_configuration(const unf_configuration *c) {
  RETURN_IF_NULL(c->u->context, c);
  struct checker checker;
  handle_vector events = {0}, listed = {0};
  unf_status status = unfi_checker_begin(&checker, c->u);
  if (status != UNF_OK) return status;
  status = rebuild(&checker, c, &events);
  if (status == UNF_OK) status = check_listed(c, &events, &listed);
  if (status == UNF_OK) status = unfi_check_ordered(&checker, &events);
  if (status == UNF_OK) status = check_reported(c, &events);
  vector_free(c->u->context, &events);
  vector_free(c->u->context, &listed);
  unfi_checker_end(&checker);
  return status;
}

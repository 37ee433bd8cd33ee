/* Next operations, kept with the event that they follow: what a thread without data races does next
 * depends on its history alone. */
#include "configuration/offer.h"

#include "base/text.h"
#include "configuration/configuration.h"
#include "structure/action.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/names.h"

unf_status unfi_missing(unf_unfolding *u, uint32_t thread) {
  char name[64];
  unf_thread_text(u, thread, name, sizeof name);
  unfi_fail(u->context, UNF_MISSING, "thread ", name);
  u->context->detail.thread = thread;
  return UNF_MISSING;
}

/* What a family of the front-end's own may have to do with it. */
static void add_family(struct text *text, const unf_unfolding *u, uint32_t family) {
  if (family == NONE) return;
  unfi_text_add(text, "; or the uses of family ");
  unfi_text_add(text, u->customs.data[family].name);
  unfi_text_add(text, " are wrong, see unf_check_independence()");
}

/* Whether actions of a kind name a family of the front-end's own. */
static bool has_family(const unf_unfolding *u, uint32_t kind) {
  return u->effects->actions[kind].second == SECOND_FAMILY;
}

/* The family of an event; NONE if it is one of the library's. */
static uint32_t family_of(const unf_unfolding *u, uint32_t event) {
  const struct action *a = event != 0 ? action_of(u, event) : NULL;
  return a != NULL && has_family(u, a->kind) ? a->second : NONE;
}

/* Such a family that the history of an event depends on, if there is one: the one that the thread
 * used last, or else one by which others acted. */
static uint32_t family_before(const unf_unfolding *u, uint32_t event) {
  uint32_t family = NONE;
  for (uint32_t e = event; family == NONE && e != 0; e = event_at(u, e)->before)
    family = family_of(u, e);
  for (uint32_t i = 0; family == NONE && event != 0 && i < u->objects.count; i++) {
    const struct object *o = &u->objects.data[i];
    uint32_t entry = o->object_class == UNF_CUSTOM ? cut_entry(u, event, o->site) : 0;
    family = family_of(u, entry & ROW_TAG ? layer_at(u, entry)->members[0] : entry);
  }
  return family;
}

void unfi_detail_actions(unf_unfolding *u, const unf_action *expected, const unf_action *seen) {
  unf_detail *detail = &u->context->detail;
  struct text text = unfi_text(detail->text, sizeof detail->text);
  unfi_text_add(&text, unf_status_text(detail->status));
  if (detail->step > 0) {
    unfi_text_add(&text, " at step ");
    unfi_text_u64(&text, detail->step);
  }
  if (expected != NULL) {
    unf_action_text(u, expected, detail->expected, sizeof detail->expected);
    unfi_text_add(&text, ": expected ");
    unfi_text_add(&text, detail->expected);
  }
  if (seen != NULL) {
    unf_action_text(u, seen, detail->seen, sizeof detail->seen);
    unfi_text_add(&text, expected != NULL ? ", seen " : ": ");
    unfi_text_add(&text, detail->seen);
  }
  if (expected != NULL && has_family(u, expected->kind)) add_family(&text, u, expected->second);
}

static unf_status contradiction(unf_unfolding *u, uint32_t thread, uint32_t last, uint32_t known,
                                uint32_t seen, uint64_t step) {
  unfi_fail(u->context, UNF_NONDETERMINISM, NULL);
  unf_detail *detail = &u->context->detail;
  detail->thread = thread;
  detail->event = last;
  detail->step = step;
  unf_operation_text(u, &u->operations.data[known], detail->expected, sizeof detail->expected);
  unf_operation_text(u, &u->operations.data[seen], detail->seen, sizeof detail->seen);
  struct text text = unfi_text(detail->text, sizeof detail->text);
  char name[64];
  unf_thread_text(u, thread, name, sizeof name);
  unfi_text_add(&text, "thread ");
  unfi_text_add(&text, name);
  unfi_text_add(&text, " did not do the same after the same history");
  if (step > 0) {
    unfi_text_add(&text, ", at step ");
    unfi_text_u64(&text, step);
  }
  unfi_text_add(&text, ": expected ");
  unfi_text_add(&text, detail->expected);
  unfi_text_add(&text, ", seen ");
  unfi_text_add(&text, detail->seen);
  unfi_text_add(&text, "; the program is not deterministic, or has a data race");
  add_family(&text, u, family_before(u, last));
  return UNF_NONDETERMINISM;
}

static RARE unf_status not_started(unf_unfolding *u, uint32_t thread) {
  unfi_fail(u->context, UNF_STATE, "an operation of a thread that has not started");
  u->context->detail.thread = thread;
  return UNF_STATE;
}

/* After any event. */
static NOINLINE unf_status offer_after(unf_unfolding *u, uint32_t thread, uint32_t last,
                                       const unf_operation *operation, uint64_t step) {
  if (last == NONE) return not_started(u, thread);
  uint32_t id, *slot = unfi_next_slot(u, thread, last);
  if (*slot != 0 && is_operation(u, *slot, operation)) return UNF_OK;
  unf_status status = unfi_operation_intern(u, operation, &id);
  if (status != UNF_OK) return status;
  if (*slot != 0) return contradiction(u, thread, last, *slot, id, step);
  *slot = id;
  return UNF_OK;
}

/* After an event of the thread, for the first time. */
static NOINLINE unf_status offer_first(unf_unfolding *u, struct event *e,
                                       const unf_operation *operation) {
  uint32_t id;
  unf_status status = unfi_operation_intern(u, operation, &id);
  if (status == UNF_OK) e->next = id;
  return status;
}

/* Mostly it is what it was before, after an event of the thread. */
unf_status unfi_offer(unf_unfolding *u, uint32_t thread, uint32_t last,
                      const unf_operation *operation, uint64_t step) {
  if (last != NONE && last != 0) {
    struct event *e = event_at(u, last);
    bool own = u->actions.data[e->action].thread == thread;
    if (own && e->next == 0) return offer_first(u, e, operation);
    if (own && is_operation(u, e->next, operation)) return UNF_OK;
  }
  return offer_after(u, thread, last, operation, step);
}

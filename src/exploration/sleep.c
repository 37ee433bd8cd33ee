/* D: O(1) for an event that enters or leaves it, siblings of a head included; O(heads) for a step.
 */
#include "exploration/sleep.h"

#include <string.h>

#include "exploration/explorer.h"
#include "structure/action.h"
#include "structure/event.h"

static size_t size_of_places(const struct sleepers *D) {
  return 2 * (size_t)D->room * sizeof *D->newest;
}

void unfi_sleepers_free(unf_context *context, struct sleepers *D) {
  vector_free(context, &D->entries);
  vector_free(context, &D->siblings);
  D->newest = unfi_reallocate(context, D->newest, size_of_places(D), 0);
  D->room = 0;
}

/* The place of an event among the newest entries of siblings. */
static uint32_t *newest_of(const struct sleepers *D, uint32_t event) {
  uint32_t mask = 2 * D->room - 1, at = (uint32_t)mix(event, 0) & mask;
  while (D->newest[at] != 0 && D->siblings.data[D->newest[at] - 1].event != event)
    at = (at + 1) & mask;
  return &D->newest[at];
}

/* Room for twice as many siblings. Returns false when refused. */
static bool enlarge_siblings(unf_context *context, struct sleepers *D) {
  struct sleepers larger = {.room = D->room == 0 ? 8 : 2 * D->room};
  if (!vector_reserve(context, &D->siblings, larger.room)) return false;
  larger.newest = unfi_reallocate(context, NULL, 0, size_of_places(&larger));
  if (larger.newest == NULL) return false;
  memset(larger.newest, 0, size_of_places(&larger));
  unfi_reallocate(context, D->newest, size_of_places(D), 0);
  D->newest = larger.newest;
  D->room = larger.room;
  for (uint32_t i = 0; i < D->siblings.count; i++)
    *newest_of(D, D->siblings.data[i].event) = i + 1;
  return true;
}

bool unfi_sleep_reserve(unf_context *context, struct sleepers *D) {
  return vector_reserve(context, &D->entries, (uint64_t)D->entries.count + 1) &&
         (D->siblings.count < D->room || enlarge_siblings(context, D));
}

/* ---- the list ---- */

static void unlink_sleeper(struct sleepers *D, uint32_t index) {
  const struct sleeper *d = &D->entries.data[index];
  if (d->prev == NONE)
    D->first = d->next;
  else
    D->entries.data[d->prev].next = d->next;
  if (d->next == NONE)
    D->last = d->prev;
  else
    D->entries.data[d->next].prev = d->prev;
}

static void relink_sleeper(struct sleepers *D, uint32_t index) {
  struct sleeper *d = &D->entries.data[index];
  d->until = NONE;
  if (d->prev == NONE)
    D->first = index;
  else
    D->entries.data[d->prev].next = index;
  if (d->next == NONE)
    D->last = index;
  else
    D->entries.data[d->next].prev = index;
}

void unfi_justify(unf_explorer *x) {
  unf_unfolding *u = x->u;
  struct sleepers *D = &x->path.D;
  uint32_t step = x->path.steps.count - 1, justified = NONE;
  struct frame *frame = &x->path.steps.data[step];
  const struct action *a = &u->actions.data[frame->action];
  for (uint32_t i = D->first; i != NONE; i = D->entries.data[i].next) {
    struct sleeper *d = &D->entries.data[i];
    if (!x->strategy->sleeps_at_node && !unfi_dependent(u, a, action_of(u, d->event))) continue;
    unlink_sleeper(D, i);
    d->chain = justified;
    d->until = step;
    justified = i;
  }
  frame->justified = justified;
}

void unfi_unjustify(unf_explorer *x, uint32_t justified) {
  struct sleepers *D = &x->path.D;
  for (uint32_t i = justified; i != NONE; i = D->entries.data[i].chain)
    relink_sleeper(D, i);
}

/* ---- siblings ---- */

static bool is_head(const unf_explorer *x, uint32_t index, uint32_t thread, uint32_t before) {
  uint32_t event = x->path.D.entries.data[index].event;
  return event_at(x->u, event)->before == before && action_of(x->u, event)->thread == thread;
}

uint32_t unfi_sleeping_head(const unf_explorer *x, uint32_t thread, uint32_t before) {
  uint32_t i = x->path.D.first;
  while (i != NONE && !is_head(x, i, thread, before))
    i = x->path.D.entries.data[i].next;
  return i;
}

uint32_t unfi_justified_head(const unf_explorer *x, uint32_t step) {
  const struct frame *frame = &x->path.steps.data[step];
  uint32_t thread = action_of(x->u, frame->event)->thread, i = frame->justified;
  while (i != NONE && !is_head(x, i, thread, event_at(x->u, frame->event)->before))
    i = x->path.D.entries.data[i].chain;
  return i;
}

void unfi_sleep(unf_explorer *x, uint32_t event) {
  struct sleepers *D = &x->path.D;
  struct siblings siblings;
  uint32_t depth = x->path.steps.count, head = NONE;
  bool some = unfi_siblings_of(x->u, event, &siblings);
  if (some)
    head = unfi_sleeping_head(x, action_of(x->u, event)->thread, event_at(x->u, event)->before);
  if (head != NONE) {
    uint32_t *newest = newest_of(D, event);
    struct sleeping_sibling s = {event, head, depth, 0, *newest};
    vector_push(&D->siblings, s);
    *newest = D->siblings.count;
    D->entries.data[head].siblings++;
    return;
  }
  struct sleeper d = {event, depth, D->last, NONE, NONE, NONE, 0, 0, some ? siblings.low : 0};
  vector_push(&D->entries, d);
  relink_sleeper(D, D->entries.count - 1);
}

/* Takes the last sibling out. */
static void wake_sibling(unf_explorer *x) {
  struct sleepers *D = &x->path.D;
  const struct sleeping_sibling *s = &D->siblings.data[D->siblings.count - 1];
  struct sleeper *head = &D->entries.data[s->head];
  int64_t value = action_of(x->u, s->event)->value;
  *newest_of(D, s->event) = s->older;
  D->siblings.count--;
  head->siblings--;
  if (value < head->awake) head->awake = value;
}

/* Takes the last entry out, which is in the list and has no siblings. */
static void wake_last(struct sleepers *D) {
  unlink_sleeper(D, --D->entries.count);
}

void unfi_unsleep(unf_explorer *x, uint32_t event) {
  struct sleepers *D = &x->path.D;
  uint32_t count = D->siblings.count;
  if (count > 0 && D->siblings.data[count - 1].event == event &&
      D->siblings.data[count - 1].depth == x->path.steps.count)
    wake_sibling(x);
  else
    wake_last(D);
}

/* Gives the strategy back what it attached to an event of D that goes. */
static void release(unf_explorer *x, uint32_t attached) {
  if (attached != 0) x->strategy->release(x, attached);
}

void unfi_wake(unf_explorer *x, uint32_t depth) {
  struct sleepers *D = &x->path.D;
  while (D->siblings.count > 0 && D->siblings.data[D->siblings.count - 1].depth == depth) {
    wake_sibling(x);
    release(x, D->siblings.data[D->siblings.count].attached);
  }
  while (D->entries.count > 0 && D->entries.data[D->entries.count - 1].depth == depth) {
    wake_last(D);
    release(x, D->entries.data[D->entries.count].attached);
  }
}

/* ---- what is asleep ---- */

uint32_t *unfi_sleeping_sibling(unf_explorer *x, uint32_t head, uint32_t event) {
  struct sleepers *D = &x->path.D;
  if (D->siblings.count == 0) return NULL;
  uint32_t newest = *newest_of(D, event);
  if (newest == 0) return NULL;
  struct sleeping_sibling *s = &D->siblings.data[newest - 1];
  return s->head == head ? &s->attached : NULL;
}

/* Whether the sibling of a head with a value is in D. */
static unf_status is_in_D(unf_explorer *x, uint32_t head, int64_t value, bool *out) {
  uint32_t event = x->path.D.entries.data[head].event;
  struct causes causes;
  unf_status status = unfi_sibling(x->u, event, value, &causes);
  if (status != UNF_OK) return status;
  uint32_t sibling = unfi_event_find(x->u, &causes);
  *out = sibling == event || (sibling != NONE && by_event_has(&x->path.marks, sibling) &&
                              unfi_sleeping_sibling(x, head, sibling) != NULL);
  return UNF_OK;
}

unf_status unfi_asleep(unf_explorer *x, const unf_action *action, bool *out) {
  const struct sleepers *D = &x->path.D;
  *out = false;
  for (uint32_t i = D->first; i != NONE && !*out; i = D->entries.data[i].next) {
    const struct action *a = action_of(x->u, D->entries.data[i].event);
    if (a->thread != action->thread || a->kind != (uint32_t)action->kind ||
        a->target != action->target)
      continue;
    *out = a->value == action->value;
    if (*out || D->entries.data[i].siblings == 0) continue;
    unf_status status = is_in_D(x, i, action->value, out);
    if (status != UNF_OK) return status;
  }
  return UNF_OK;
}

unf_status unfi_awake_from(unf_explorer *x, uint32_t head, uint32_t except,
                           struct siblings siblings, int64_t *value, bool *any) {
  struct sleeper *d = head != NONE ? &x->path.D.entries.data[head] : NULL;
  bool least = d != NULL && *value <= d->awake;
  if (least) *value = d->awake;
  for (*any = true;;) {
    bool asleep = false;
    unf_status status = d != NULL ? is_in_D(x, head, *value, &asleep) : UNF_OK;
    if (status != UNF_OK) return status;
    if (least) d->awake = *value;
    least = least && asleep;
    if (!asleep && (except == NONE || action_of(x->u, except)->value != *value)) return UNF_OK;
    *any = *value != siblings.high;
    if (!*any) return UNF_OK;
    ++*value;
  }
}

/* Threads that may be able to act: O(log threads) for each that enters or leaves. */
#include "exploration/ready.h"

#include <string.h>

#include "configuration/offer.h"
#include "structure/action.h"
#include "structure/effect.h"
#include "structure/event.h"

/* ---- sets of numbers ---- */

/* In a level that is new the bit for all that was there is missing, and never asked for: searches
 * go to greater numbers. Returns false when refused. */
static bool set_reserve(unf_context *context, struct number_set *set, uint64_t count) {
  unsigned height = 0;
  uint64_t words = count;
  do {
    words = (words + 63) / 64;
    if (!vector_reserve_zero(context, &set->levels[height], words)) return false;
    height++;
  } while (words > 1);
  set->height = height;
  set->room = (count + 63) / 64 * 64;
  return true;
}

static void set_empty(struct number_set *set) {
  if (set->room == 64) {
    set->levels[0].data[0] = 0;
    return;
  }
  for (unsigned level = 0; level < set->height; level++)
    memset(set->levels[level].data, 0, set->levels[level].capacity * sizeof(uint64_t));
}

void unfi_set_add_above(struct number_set *set, uint32_t number) {
  for (unsigned level = 1; level < set->height; level++) {
    number /= 64;
    set->levels[level].data[number / 64] |= 1ull << number % 64;
  }
}

static void set_remove(struct number_set *set, uint32_t number) {
  for (unsigned level = 0; level < set->height; level++, number /= 64)
    if ((set->levels[level].data[number / 64] &= ~(1ull << number % 64)) != 0) return;
}

uint32_t unfi_set_next(const struct number_set *set, uint32_t number) {
  unsigned level = 0;
  for (;; level++, number = number / 64 + 1) {
    if (level == set->height || number / 64 >= set->levels[level].capacity) return NONE;
    uint64_t word = set->levels[level].data[number / 64] >> number % 64;
    if (word == 0) continue;
    number += (uint32_t)__builtin_ctzll(word);
    break;
  }
  for (; level > 0; level--)
    number = 64 * number + (uint32_t)__builtin_ctzll(set->levels[level - 1].data[number]);
  return number;
}

uint32_t unfi_ready_count(const struct ready *r) {
  uint32_t count = 0;
  for (uint32_t word = 0; word < r->threads.levels[0].capacity; word++)
    count += (uint32_t)__builtin_popcountll(r->threads.levels[0].data[word]);
  return count;
}

uint32_t unfi_ready_nth(const struct ready *r, uint32_t place) {
  uint32_t word = 0;
  for (;; word++) {
    uint32_t here = (uint32_t)__builtin_popcountll(r->threads.levels[0].data[word]);
    if (place < here) break;
    place -= here;
  }
  uint64_t left = r->threads.levels[0].data[word];
  for (; place > 0; place--)
    left &= left - 1;
  return word * 64 + (uint32_t)__builtin_ctzll(left);
}

/* ---- the set ---- */

bool unfi_ready_enlarge(unf_context *context, struct ready *r, uint64_t threads) {
  if (threads == 0) threads = 1; /* the sets are looked into before a thread has a name, too */
  return vector_reserve_zero(context, &r->next, (threads + 63) / 64 * 64) &&
         (threads <= r->live.room || set_reserve(context, &r->live, threads)) &&
         (threads <= r->threads.room || set_reserve(context, &r->threads, threads)) &&
         vector_reserve(context, &r->fresh, (uint64_t)r->fresh.count + 1);
}

void unfi_ready_free(unf_context *context, struct ready *r) {
  for (unsigned level = 0; level < SET_LEVELS; level++) {
    vector_free(context, &r->threads.levels[level]);
    vector_free(context, &r->live.levels[level]);
  }
  vector_free(context, &r->next);
  vector_free(context, &r->fresh);
  vector_free(context, &r->for_object);
  vector_free(context, &r->for_thread);
  vector_free(context, &r->waiting);
}

/* Nobody waits. */
static void empty_lists(struct ready *r) {
  r->waiting.count = r->free = 0;
  if (r->used == 0) return;
  r->used = 0;
  if (r->for_object.capacity > 0)
    memset(r->for_object.data, 0, r->for_object.capacity * sizeof *r->for_object.data);
  if (r->for_thread.capacity > 0)
    memset(r->for_thread.data, 0, r->for_thread.capacity * sizeof *r->for_thread.data);
}

/* ---- waiting ---- */

static void wait_in(struct ready *r, uint32_t thread, uint32_t *first) {
  struct waiting_thread waiting = {thread, *first};
  uint32_t number = r->free;
  if (number != 0) {
    r->free = r->waiting.data[number - 1].next;
    r->waiting.data[number - 1] = waiting;
  } else {
    vector_push(&r->waiting, waiting);
    number = r->waiting.count;
  }
  r->used++;
  *first = number;
}

/* Those that wait are in the set again. A thread can be in two lists, so that it may be woken when
 * it does not wait any more; then it is looked at once more than is needed. */
static void wake(struct ready *r, uint32_t *first) {
  for (uint32_t number = *first; number != 0;) {
    struct waiting_thread *w = &r->waiting.data[number - 1];
    uint32_t next = w->next;
    set_add(&r->threads, w->thread);
    w->next = r->free;
    r->free = number;
    r->used--;
    number = next;
  }
  *first = 0;
}

/* Room in the lists for one more that waits, up to what it waits for. */
static bool reserve_lists(unf_context *context, struct ready *r, const struct operation_row *row,
                          const unf_operation *operation) {
  uint64_t target = (uint64_t)operation->target + 1, second = (uint64_t)operation->second + 1;
  return vector_reserve(context, &r->waiting, (uint64_t)r->waiting.count + 2) &&
         (!is_object(row->target) || vector_reserve_zero(context, &r->for_object, target)) &&
         (!is_object(second_target(row->second)) ||
          vector_reserve_zero(context, &r->for_object, second)) &&
         (row->target != TARGET_THREAD || vector_reserve_zero(context, &r->for_thread, target));
}

static bool shares_bytes(const unf_unfolding *u, uint32_t object) {
  return u->objects.data[object].cell != 0;
}

bool unfi_ready_wait(const unf_unfolding *u, struct ready *r, uint32_t thread,
                     const unf_operation *operation) {
  const struct operation_row *row = &u->effects->operations[operation->kind];
  bool object = is_object(row->target), second = is_object(second_target(row->second));
  if (row->family->foreign || (object && shares_bytes(u, operation->target)) ||
      (second && shares_bytes(u, operation->second)))
    return true;
  if (!reserve_lists(u->context, r, row, operation)) return false;
  set_remove(&r->threads, thread);
  if (object) wait_in(r, thread, &r->for_object.data[operation->target]);
  if (row->target == TARGET_THREAD) wait_in(r, thread, &r->for_thread.data[operation->target]);
  if (second) wait_in(r, thread, &r->for_object.data[operation->second]);
  return true;
}

static inline void wake_for_object(struct ready *r, uint32_t object) {
  if (object < r->for_object.capacity && r->for_object.data[object] != 0)
    wake(r, &r->for_object.data[object]);
}

static void wake_for_thread(struct ready *r, uint32_t thread) {
  if (thread < r->for_thread.capacity) wake(r, &r->for_thread.data[thread]);
}

void unfi_ready_wake(const unf_unfolding *u, struct ready *r, const struct action *a) {
  if (r->used > 0) {
    const struct action_row *row = &u->effects->actions[a->kind];
    if (a->on_object) wake_for_object(r, a->target);
    if (is_object(second_target(row->second))) wake_for_object(r, a->second);
  }
  if (!a->starts) return;
  set_add(&r->threads, a->target);
  set_add(&r->live, a->target);
  wake_for_thread(r, a->target);
}

/* ---- what threads do next ---- */

/* Notes what a thread does next; false: it has come to its end. */
static inline bool goes_on(const unf_unfolding *u, struct ready *r, uint32_t thread,
                           uint32_t next) {
  const unf_operation *operation = &u->operations.data[next];
  r->next.data[thread] = next;
  if (!u->effects->operations[operation->kind].ends) return true;
  if (operation->kind != UNF_EXIT) r->halted = true;
  return false;
}

static NOINLINE unf_status make(unf_unfolding *u, struct ready *r, struct cut C) {
  if (!unfi_ready_reserve(u->context, r, u->threads.count)) return unfi_refused(u->context);
  set_empty(&r->threads);
  set_empty(&r->live);
  empty_lists(r);
  r->fresh.count = 0;
  r->halted = false;
  for (uint32_t t = 0; t < u->threads.count; t++) {
    uint32_t last = cut_last(u, C, t);
    if (last == NONE) continue;
    uint32_t next = next_after(u, t, last);
    if (next == 0) return unfi_missing(u, t);
    if (!goes_on(u, r, t, next)) continue;
    set_add(&r->threads, t);
    set_add(&r->live, t);
  }
  r->made = true;
  return UNF_OK;
}

/* A thread has come to its end: those that wait for that are woken. */
static NOINLINE void end_thread(struct ready *r, uint32_t thread) {
  set_remove(&r->threads, thread);
  set_remove(&r->live, thread);
  wake_for_thread(r, thread);
}

/* What a thread does first, after the event that starts it, must be known. */
static NOINLINE unf_status update_started(unf_unfolding *u, struct ready *r, uint32_t event,
                                          uint32_t thread) {
  uint32_t next = *unfi_start_slot(u, event);
  if (next == 0) return unfi_missing(u, thread);
  if (!goes_on(u, r, thread, next)) end_thread(r, thread);
  return UNF_OK;
}

/* What the thread of an event does next must be known. */
static inline unf_status update_after(unf_unfolding *u, struct ready *r, uint32_t event) {
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  if (e->next == 0) return unfi_missing(u, a->thread);
  if (!goes_on(u, r, a->thread, e->next)) end_thread(r, a->thread);
  return a->starts ? update_started(u, r, event, a->target) : UNF_OK;
}

unf_status unfi_ready_update(unf_unfolding *u, struct ready *r, struct cut C) {
  unf_status status = UNF_OK;
  /* Until the first event more threads can be started. */
  if (!r->made || u->store.count == 1) return make(u, r, C);
  for (uint32_t i = 0; status == UNF_OK && i < r->fresh.count; i++)
    status = update_after(u, r, r->fresh.data[i]);
  if (status == UNF_OK) r->fresh.count = 0;
  return status;
}

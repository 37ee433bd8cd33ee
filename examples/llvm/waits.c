#include "waits.h"

#include <stdlib.h>
#include <string.h>

/* Beyond these a state is like no other. */
enum { MOST_OPEN = 64, MOST_EVENTS = 4096 };

/* What was done to a thread or an object, as far as it says what depends on it. */
struct trait {
  uint64_t words[5];
};
enum { TRAITS = 2 };         /* of an event, at most */
#define OF_THREAD UINT64_MAX /* in place of an action */

/* A trait, and which of the frees events that have it know of. */
struct known {
  struct trait trait;
  uint64_t set;
};

/* A walk from an event back to the first free that is not over. */
struct walk {
  unf_event *heap; /* to come, the last one first */
  uint32_t heap_count, heap_room;
  unf_event visited[MOST_EVENTS];
  uint32_t visited_count;
  uint32_t *marks; /* by event: whether it was in the heap */
  uint64_t *sets;  /* by event: the frees that it knows of */
  uint32_t mark, mark_room, set_room;
  uint64_t over[MOST_EVENTS]; /* spots */
  uint32_t over_count;
  struct wait open[MOST_OPEN];
  uint32_t open_count;
  bool too_much;
  struct known known[TRAITS * MOST_EVENTS];
  uint32_t known_count;
};

void waits_make(struct waits *w, struct knowledge *k) {
  static const uint32_t one = 1;
  memset(w, 0, sizeof *w);
  w->knowledge = k;
  uses_make(&w->open, k, &one);
}

void waits_free(struct waits *w) {
  if (w->walk != NULL) {
    free(w->walk->heap);
    free(w->walk->marks);
    free(w->walk->sets);
  }
  free(w->walk);
  free(w->list);
  free(w->events);
  uses_free(&w->open);
}

/* Makes room in a list of elements, with 0 in what is new. False: no memory. */
static bool make_room(struct waits *w, void *list, uint32_t *room, uint32_t wanted, size_t size) {
  void **items = list;
  if (wanted <= *room) return true;
  const uint32_t more = 2 * wanted + 64;
  char *larger = realloc(*items, more * size);
  w->failed |= larger == NULL;
  if (larger == NULL) return false;
  memset(larger + *room * size, 0, (more - *room) * size);
  *items = larger;
  *room = more;
  return true;
}

/* ---- what events have ---- */

void waits_begin(struct waits *w) {
  w->count = w->first;
  w->open.count = w->open.first;
}

static void add(struct waits *w, struct wait wait) {
  if (!make_room(w, &w->list, &w->room, w->count + 1, sizeof *w->list)) return;
  w->list[w->count++] = wait;
  uses_add(&w->open, 0, wait.over ? -1 : 1);
}

void waits_tell(struct waits *w, uint64_t spot, unf_thread freed_by) {
  add(w, (struct wait){spot, freed_by, false});
}

void waits_end(struct waits *w, uint64_t spot) {
  add(w, (struct wait){.spot = spot, .over = true});
}

/* If the event is known, it has the same again. */
static bool keep(struct waits *w, unf_event event) {
  if (!make_room(w, &w->events, &w->event_room, event + 1, sizeof *w->events)) return false;
  struct event_waits *e = &w->events[event];
  if (e->first == 0 && w->count > w->first) {
    *e = (struct event_waits){w->first + 1, w->count - w->first};
    uses_keep(&w->open, event);
    w->first = w->count;
  }
  waits_begin(w);
  return !w->open.failed;
}

/* ---- the walk ---- */

static bool push(void *user, unf_event event) {
  struct waits *w = user;
  struct walk *k = w->walk;
  if (event == UNF_EVENT_BOTTOM) return true;
  if (!make_room(w, &k->marks, &k->mark_room, event + 1, sizeof *k->marks) ||
      !make_room(w, &k->sets, &k->set_room, event + 1, sizeof *k->sets) ||
      !make_room(w, &k->heap, &k->heap_room, k->heap_count + 1, sizeof *k->heap))
    return false;
  if (k->marks[event] == k->mark) return true;
  k->marks[event] = k->mark;
  k->sets[event] = 0;
  uint32_t i = k->heap_count++;
  for (; i > 0 && k->heap[(i - 1) / 2] < event; i = (i - 1) / 2)
    k->heap[i] = k->heap[(i - 1) / 2];
  k->heap[i] = event;
  return true;
}

static unf_event pop(struct walk *k) {
  const unf_event first = k->heap[0], last = k->heap[--k->heap_count];
  uint32_t i = 0, child;
  for (; (child = 2 * i + 1) < k->heap_count; i = child) {
    if (child + 1 < k->heap_count && k->heap[child + 1] > k->heap[child]) child++;
    if (k->heap[child] < last) break;
    k->heap[i] = k->heap[child];
  }
  k->heap[i] = last;
  return first;
}

/* Whether memory at a spot, freed by this event, is over by events behind it. */
static bool take_over(struct walk *k, uint64_t spot) {
  uint32_t i = k->over_count;
  while (i > 0 && k->over[i - 1] != spot)
    i--;
  if (i == 0) return false;
  k->over[i - 1] = k->over[--k->over_count];
  return true;
}

/* The last one of an event first. */
static void look_at(struct waits *w, unf_event event) {
  struct walk *k = w->walk;
  static const struct event_waits none;
  const struct event_waits *e = event < w->event_room ? &w->events[event] : &none;
  for (uint32_t i = e->count; !k->too_much && i > 0; i--) {
    const struct wait *wait = &w->list[e->first - 1 + i - 1];
    if (wait->over) {
      k->too_much = k->over_count == MOST_EVENTS;
      if (!k->too_much) k->over[k->over_count++] = wait->spot;
    } else if (!take_over(k, wait->spot)) {
      k->too_much = k->open_count == MOST_OPEN;
      if (k->too_much) return;
      k->sets[event] |= UINT64_C(1) << k->open_count;
      k->open[k->open_count++] = *wait;
    }
  }
}

/* From the last event to the first, since causes come before what they cause. */
static bool walk_back(struct waits *w, unf_event event, uint64_t open) {
  struct walk *k = w->walk;
  k->mark++;
  k->heap_count = k->visited_count = k->over_count = k->open_count = k->known_count = 0;
  k->too_much = open > MOST_OPEN;
  bool good = push(w, event);
  while (good && !k->too_much && k->heap_count > 0 && k->open_count < open) {
    const unf_event at = pop(k);
    k->too_much = k->visited_count == MOST_EVENTS;
    if (k->too_much) break;
    k->visited[k->visited_count++] = at;
    look_at(w, at);
    good = unf_event_predecessors(w->knowledge->unfolding, at, push, w) == UNF_OK && !w->failed;
  }
  return good;
}

/* ---- who knows ---- */

struct uniting {
  const struct walk *walk;
  uint64_t set;
};

static bool unite(void *user, unf_event event) {
  struct uniting *u = user;
  const struct walk *k = u->walk;
  if (event != UNF_EVENT_BOTTOM && k->marks[event] == k->mark) u->set |= k->sets[event];
  return true;
}

static unsigned traits_of(const unf_action *a, struct trait traits[TRAITS]) {
  traits[0] = (struct trait){{OF_THREAD, a->thread}};
  switch (a->kind) {
  case UNF_DID_LOCAL:
  case UNF_DID_BRANCH:
    return 1;
  case UNF_DID_ACQUIRE:
  case UNF_DID_RELEASE:
    traits[1] = (struct trait){{UNF_DID_ACQUIRE, a->target}};
    return 2;
  case UNF_DID_READ:
  case UNF_DID_WRITE:
  case UNF_DID_ADD:
    traits[1] = (struct trait){{a->kind, a->target}};
    return 2;
  default: /* of some the thread and the value say what they use */
    traits[1] = (struct trait){
        {a->kind, a->target, a->second, (uint64_t)a->value, 1 + (uint64_t)a->thread}};
    return 2;
  }
}

static int by_trait(const void *a, const void *b) {
  return memcmp(a, b, sizeof(struct trait));
}

/* What events did that know of frees, each trait once. */
static unf_status find_known(struct waits *w) {
  struct walk *k = w->walk;
  for (uint32_t i = k->visited_count; i > 0; i--) {
    const unf_event at = k->visited[i - 1];
    struct uniting u = {k, k->sets[at]};
    unf_action action;
    struct trait traits[TRAITS];
    unf_status status = unf_event_predecessors(w->knowledge->unfolding, at, unite, &u);
    if (status == UNF_OK) status = unf_event_action(w->knowledge->unfolding, at, &action);
    if (status != UNF_OK) return status;
    k->sets[at] = u.set;
    const unsigned count = u.set != 0 ? traits_of(&action, traits) : 0;
    for (unsigned j = 0; j < count; j++)
      k->known[k->known_count++] = (struct known){traits[j], u.set};
  }
  if (k->known_count > 0) qsort(k->known, k->known_count, sizeof *k->known, by_trait);
  uint32_t count = 0;
  for (uint32_t i = 0; i < k->known_count; i++)
    if (count > 0 && by_trait(&k->known[i], &k->known[count - 1]) == 0)
      k->known[count - 1].set |= k->known[i].set;
    else
      k->known[count++] = k->known[i];
  k->known_count = count;
  return UNF_OK;
}

static unf_status add_known(const struct walk *k, unf_hash hash, uint64_t location,
                            unf_fingerprint *condition) {
  unf_status status = UNF_OK;
  for (uint32_t i = 0; i < k->known_count; i++)
    for (uint32_t j = 0; status == UNF_OK && j < k->open_count; j++) {
      const struct wait *wait = &k->open[j];
      struct {
        struct trait trait;
        uint64_t spot, freed_by;
      } value = {k->known[i].trait, wait->spot, wait->freed_by};
      if ((k->known[i].set >> j & 1) != 0)
        status = unf_fingerprint_toggle(hash, condition, location, &value, sizeof value);
    }
  return status;
}

unf_status waits_condition(struct waits *w, unf_event event, unf_hash hash, uint64_t location,
                           unf_fingerprint *condition) {
  if (!keep(w, event)) return UNF_MEMORY;
  if (w->count == 0) return UNF_OK;
  if (!uses_sum(&w->open, event)) return UNF_MEMORY;
  const uint64_t open = (uint64_t)w->open.sums[0];
  if (open == 0) return UNF_OK;
  if (w->walk == NULL) w->walk = calloc(1, sizeof *w->walk);
  if (w->walk == NULL || !walk_back(w, event, open)) return UNF_MEMORY;
  if (w->walk->too_much)
    return unf_fingerprint_toggle(hash, condition, location, &event, sizeof event);
  const unf_status status = find_known(w);
  return status == UNF_OK ? add_known(w->walk, hash, location, condition) : status;
}

#include "heap.h"

#include <stdlib.h>

#include "arith.h"
#include "array.h"
#include "atomic.h"
#include "dangling.h"
#include "freed.h"
#include "index.h"
#include "knowledge.h"
#include "memory.h"
#include "sync.h"
#include "terms.h"
#include "waits.h"

/* ---- spots ---- */

/*
 * Objects of the library are named by their addresses, and what is known of one stays. So a spot
 * that had any is not given again behind its last address; and if one is named there when it was,
 * the exploration begins again. With cutoffs no state would come again then, so it is given where
 * the objects that had the spot are as new: an object of the library stands for several in turn
 * (doc/consistency.md says why that loses nothing).
 */
enum spot_fact { SPOT_NAMED, SPOT_GIVEN_ON };

static bool is_known(const struct machine *m, uint64_t address, enum spot_fact fact) {
  return index_find(&m->spots, memory_spot(address), fact) != UINT32_MAX;
}

static bool enter(struct machine *m, uint64_t address, enum spot_fact fact) {
  if (is_known(m, address, fact)) return true;
  if (!index_put(&m->spots, memory_spot(address), fact, 0)) machine_stop(m, UNF_MEMORY);
  return m->status == UNF_OK;
}

bool heap_name(struct machine *m, uint64_t address) {
  const struct object *o = memory_on_heap(address) ? memory_find(&m->memory, address) : NULL;
  if (o == NULL || is_known(m, o->address, SPOT_NAMED)) return true;
  if (!enter(m, o->address, SPOT_NAMED)) return false;
  if (m->waits == NULL && is_known(m, o->address, SPOT_GIVEN_ON)) machine_begin_again(m);
  return m->status == UNF_OK;
}

/* Where spots had not all addresses that there are, the exploration begins again, and they have. */
static bool begin_with_all(struct machine *m) {
  if (m->memory.addresses == MEMORY_ADDRESSES) return false;
  m->memory.addresses = MEMORY_ADDRESSES;
  machine_begin_again(m);
  return true;
}

/* Whether another lock could be where this one was. What was done with semaphores and barriers goes
 * on in others at their place. */
static bool is_as_new(const struct sync *s) {
  if (s->kind == UNF_SEMAPHORE || s->kind == UNF_BARRIER) return false;
  return s->owner == UNF_THREAD_NONE && s->depth == 0 && !s->robust && !s->orphaned && !s->lost;
}

/* Whether all that had addresses of a spot could be others now. False with a status, too: atomics
 * there were not yet known to change their values by plain accesses. */
static bool are_as_new(struct machine *m, uint64_t address) {
  const struct object *o = memory_find_last(&m->memory, memory_spot(address));
  const uint64_t spot = memory_spot(address), room = freed_room(o->size);
  for (uint64_t i = 0; i < m->now.syncs.count; i++) {
    const struct sync *s = array_read(&syncs_kind, &m->now.syncs, i);
    const uint64_t at = memory_spot(s->address & ((UINT64_C(1) << MACHINE_KEY_BITS) - 1));
    if (s->used && at - spot < room && !is_as_new(s)) return false;
  }
  return atomic_mark_all(m, spot, room);
}

/* Whether what was freed is given again; else it is gone. False with a status: no memory, or the
 * exploration begins again. */
static bool comes_back(struct machine *m, uint64_t address) {
  if (!memory_is_last(&m->memory, address)) return true;
  const bool named = is_known(m, address, SPOT_NAMED);
  if (!m->spots_end && (!named || (m->waits != NULL && are_as_new(m, address))))
    return enter(m, address, SPOT_GIVEN_ON);
  if (m->status != UNF_OK || begin_with_all(m)) return false;
  struct object *o = memory_change(&m->memory, address);
  m->over_addresses = true;
  if (o != NULL)
    o->gone = true;
  else
    machine_stop(m, UNF_MEMORY);
  return false;
}

/* There may be a pointer to another object with the address of a new one. The exploration begins
 * again, and no spot is given behind its last address any more, so that each late use is seen. With
 * cutoffs it is, since no state would come again if it was not. */
static void over_addresses(struct machine *m) {
  if (begin_with_all(m)) return;
  m->over_addresses = m->waits != NULL;
  m->spots_end = m->waits == NULL;
  if (m->spots_end) machine_begin_again(m);
}

/* ---- memory ---- */

struct looking {
  struct machine *m;
  unf_event cause;
};

static bool has_seen(void *user, uint32_t event) {
  struct looking *l = user;
  bool precedes = false;
  const unf_status status = unf_event_precedes(l->m->unfolding, event, l->cause, &precedes);
  if (status != UNF_OK) machine_stop(l->m, status);
  return precedes;
}

static void can_come_back(void *user, uint64_t spot) {
  const struct looking *l = user;
  if (l->m->waits != NULL) waits_end(l->m->waits, spot);
}

const struct object *heap_make(struct machine *m, struct thread *t, uint64_t size,
                               uint64_t alignment, bool written) {
  const uint32_t region = t->handle + 1;
  const uint64_t place = machine_place(m, t);
  struct looking looking = {m, t->cause};
  bool refused =
      !freed_look(&m->memory, region, &(struct freed_looking){&looking, has_seen, can_come_back});
  const struct object *o = NULL;
  if (!refused) o = freed_take(&m->memory, region, size, alignment, written, place, &refused);
  if (o == NULL && !refused)
    o = memory_make(&m->memory, region, OBJECT_HEAP, size, alignment, written, place);
  if (o == NULL) machine_stop(m, UNF_MEMORY);
  if (o != NULL && o->came_round && !m->over_addresses && dangling_found(m, o)) over_addresses(m);
  return m->status == UNF_OK ? o : NULL;
}

static bool note_freed(struct thread *t, uint64_t address) {
  if (t->freed_count == t->freed_room) {
    const size_t room = 2 * t->freed_room + 8;
    uint64_t *freed = realloc(t->freed, room * sizeof *freed);
    if (freed == NULL) return false;
    t->freed = freed;
    t->freed_room = room;
  }
  t->freed[t->freed_count++] = address;
  return true;
}

bool heap_free(struct machine *m, struct thread *t, uint64_t address) {
  const bool mine = memory_region(address) == t->handle + 1;
  bool good = memory_release(&m->memory, address);
  if (good && comes_back(m, address))
    good = mine ? freed_give_back(&m->memory, address) : note_freed(t, address);
  if (!good) machine_stop(m, UNF_MEMORY);
  return m->status == UNF_OK;
}

static void tell(struct machine *m, struct thread *t, unf_event event) {
  for (size_t i = 0; m->status == UNF_OK && i < t->freed_count; i++) {
    if (!freed_wait(&m->memory, t->freed[i], t->handle, event)) machine_stop(m, UNF_MEMORY);
    if (m->waits != NULL) waits_tell(m->waits, memory_spot(t->freed[i]), t->handle);
  }
  t->freed_count = 0;
}

/* What a thread freed behind its last event is known to who joins it. */
void heap_tell(struct machine *m, struct thread *t, const unf_action *action, unf_event event) {
  tell(m, t, event);
  if (action->kind == UNF_DID_JOIN) tell(m, m->threads[action->target], event);
}

/* ---- comparisons ---- */

/* A term over spots: addresses in it are constants to which something is added, or one of them is
 * chosen. */
static term plain_term(struct machine *m, term a, unsigned depth) {
  struct terms *terms = &m->knowledge->terms;
  const struct term_node n = *terms_node(terms, a);
  if (n.op == TERM_CONSTANT) {
    const int64_t number = (int64_t)memory_plain(&m->memory, (uint64_t)n.value);
    return number != n.value ? terms_constant(terms, number) : a;
  }
  if (depth == 0 || terms->failed) return a;
  if (n.op == TERM_ITE) {
    const term yes = plain_term(m, n.argument[1], depth - 1);
    const term no = plain_term(m, n.argument[2], depth - 1);
    return yes != n.argument[1] || no != n.argument[2] ? terms_ite(terms, n.argument[0], yes, no)
                                                       : a;
  }
  if (n.op != TERM_ADD) return a;
  const term one = plain_term(m, n.argument[0], depth - 1);
  const term other = plain_term(m, n.argument[1], depth - 1);
  return one != n.argument[0] || other != n.argument[1] ? terms_binary(terms, TERM_ADD, one, other)
                                                        : a;
}

static struct value plain(struct machine *m, struct value a) {
  enum { DEPTH = 12 };
  if (value_known(a)) return value_number((int64_t)memory_plain(&m->memory, (uint64_t)a.number));
  return value_of(&m->knowledge->terms, plain_term(m, a.term, DEPTH));
}

struct value heap_compare(struct machine *m, enum comparison comparison, unsigned width,
                          struct value a, struct value b) {
  if (m->memory.gave_again && width == 64) {
    a = plain(m, a);
    b = plain(m, b);
  }
  return arith_compare(&m->knowledge->terms, comparison, width, a, b);
}

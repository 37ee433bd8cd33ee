#include "heap.h"

#include <stdlib.h>

#include "arith.h"
#include "freed.h"
#include "knowledge.h"
#include "memory.h"
#include "terms.h"

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

const struct object *heap_make(struct machine *m, struct thread *t, uint64_t size,
                               uint64_t alignment, bool written) {
  const uint32_t region = t->handle + 1;
  const uint64_t place = machine_place(m, t);
  struct looking looking = {m, t->cause};
  bool refused = !freed_look(&m->memory, region, has_seen, &looking);
  const struct object *o = NULL;
  if (!refused) o = freed_take(&m->memory, region, size, alignment, written, place, &refused);
  if (o == NULL && !refused)
    o = memory_make(&m->memory, region, OBJECT_HEAP, size, alignment, written, place);
  if (o == NULL) machine_stop(m, UNF_MEMORY);
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
  if (good && memory_comes_back(&m->memory, address))
    good = mine ? freed_give_back(&m->memory, address) : note_freed(t, address);
  if (!good) machine_stop(m, UNF_MEMORY);
  return good;
}

static void tell(struct machine *m, struct thread *t, unf_event event) {
  for (size_t i = 0; m->status == UNF_OK && i < t->freed_count; i++)
    if (!freed_wait(&m->memory, t->freed[i], t->handle, event)) machine_stop(m, UNF_MEMORY);
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

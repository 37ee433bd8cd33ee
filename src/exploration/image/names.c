/*
 * Names, in the order of their handles. Sites were numbered as threads were named, actions were
 * first used and locations were placed, in turn; going through the sites all of that is done again
 * in that order.
 */
#include "exploration/image/names.h"

#include "exploration/image/image.h"
#include "structure/action.h"
#include "structure/cells.h"
#include "structure/effect.h"
#include "structure/names.h"
#include "structure/sets.h"
#include "structure/tree.h"

/* What a site is of, in the low bits of a number; above it whether it is compared. */
enum site_kind { SITE_THREAD, SITE_OBJECT, SITE_WAITER, SITE_CELL, SITE_KINDS };
#define KIND_BITS 2

/* ---- writing ---- */

static void write_families(const unf_unfolding *u, struct bytes_out *out) {
  unfi_bytes_put(out, u->customs.count);
  for (uint32_t i = 0; i < u->customs.count; i++)
    unfi_bytes_put_text(out, u->customs.data[i].name);
}

static void write_threads(const unf_unfolding *u, struct bytes_out *out) {
  unfi_bytes_put(out, u->threads.count);
  for (uint32_t t = 0; t < u->threads.count; t++) {
    const struct thread *thread = &u->threads.data[t];
    unfi_bytes_put(out, (uint64_t)(uint32_t)(thread->parent + 1));
    unfi_bytes_put(out, (uint64_t)thread->index << 1 | thread->initial);
  }
}

/* Whether all bytes of a location that was placed have an initial value that was said; it. */
static bool is_said(const unf_unfolding *u, const struct object *o, int64_t *value) {
  uint64_t bytes = 0;
  bool said = true;
  for (struct memory_cell *c = first_cell(u, o); c != NULL; c = next_cell(u, o, c)) {
    said = said && c->said == (1u << c->size) - 1;
    bytes |= c->initial << 8 * (c->first - o->first);
  }
  *value = (int64_t)bytes;
  return said;
}

unsigned unfi_object_said(const unf_unfolding *u, const struct object *o, int64_t *initial) {
  bool valued = u->effects->initial[o->object_class] != INITIAL_NONE;
  *initial = o->initial;
  bool said = o->cell != 0 ? is_said(u, o, initial) : valued && o->fixed;
  return (o->cell != 0 ? SAID_PLACE : 0u) | (o->maximum != 0 ? SAID_MAXIMUM : 0u) |
         (said ? SAID_INITIAL : 0u);
}

static void write_object(const unf_unfolding *u, const struct object *o, struct bytes_out *out) {
  int64_t initial;
  unsigned what = unfi_object_said(u, o, &initial);
  unfi_bytes_put(out, o->object_class);
  unfi_bytes_put(out, (uint64_t)(uint32_t)(o->creator + 1));
  unfi_bytes_put(out, o->key);
  unfi_bytes_put(out, what);
  if (what & SAID_PLACE) {
    unfi_bytes_put(out, o->space);
    unfi_bytes_put(out, o->first);
    unfi_bytes_put(out, o->size);
  }
  if (what & SAID_MAXIMUM) unfi_bytes_put_signed(out, o->maximum);
  if (what & SAID_INITIAL) unfi_bytes_put_signed(out, initial);
}

static void write_said(const unf_unfolding *u, struct bytes_out *out) {
  unfi_bytes_put(out, u->said.count);
  for (uint32_t i = 0; i < u->said.count; i++)
    unfi_bytes_put(out, u->said.data[i]);
}

/* The thread of a site where an object's waiters are. */
static uint32_t waiter_at(const unf_unfolding *u, const struct object *o, uint32_t site) {
  uint32_t at = o->waiters;
  while (u->waiters.data[at - 1].site != site)
    at = u->waiters.data[at - 1].next;
  return u->waiters.data[at - 1].thread;
}

static void write_sites(const unf_unfolding *u, struct bytes_out *out) {
  unfi_bytes_put(out, u->sites.count);
  for (uint32_t i = 0; i < u->sites.count; i++) {
    const struct site *site = &u->sites.data[i];
    const struct object *o = site->is_thread ? NULL : &u->objects.data[site->subject];
    enum site_kind kind = o == NULL      ? SITE_THREAD
                          : o->cell != 0 ? SITE_CELL
                          : o->site == i ? SITE_OBJECT
                                         : SITE_WAITER;
    unfi_bytes_put(out, (unsigned)kind | (unsigned)is_compared(u, i) << KIND_BITS);
    unfi_bytes_put(out, site->subject);
    if (kind == SITE_WAITER) unfi_bytes_put(out, waiter_at(u, o, i));
  }
}

static void write_sets(const unf_unfolding *u, struct bytes_out *out) {
  unfi_bytes_put(out, u->store.sets.count);
  for (uint32_t i = 0; i < u->store.sets.count; i++) {
    uint32_t count;
    const uint32_t *members = unfi_set(u, (int64_t)i + 1, &count);
    unfi_bytes_put(out, count);
    for (uint32_t j = 0; j < count; j++)
      unfi_bytes_put(out, members[j]);
  }
}

static void write_operations(const unf_unfolding *u, struct bytes_out *out) {
  unfi_bytes_put(out, u->operations.count);
  for (uint32_t i = 1; i < u->operations.count; i++) {
    const unf_operation *o = &u->operations.data[i];
    unfi_bytes_put(out, (uint64_t)o->kind);
    unfi_bytes_put(out, o->target);
    unfi_bytes_put(out, o->second);
    unfi_bytes_put_signed(out, o->low);
    unfi_bytes_put_signed(out, o->high);
  }
  for (uint32_t t = 0; t < u->threads.count; t++)
    unfi_bytes_put(out, u->threads.data[t].first);
}

static void write_actions(const unf_unfolding *u, struct bytes_out *out) {
  unfi_bytes_put(out, u->actions.count);
  for (uint32_t i = 1; i < u->actions.count; i++) {
    unf_action a = unfi_action(u, i);
    unfi_bytes_put(out, (uint64_t)a.kind);
    unfi_bytes_put(out, a.thread);
    unfi_bytes_put(out, a.target);
    unfi_bytes_put(out, a.second);
    unfi_bytes_put_signed(out, a.value);
  }
}

void unfi_names_write(const unf_unfolding *u, struct bytes_out *out) {
  write_families(u, out);
  write_threads(u, out);
  unfi_bytes_put(out, u->objects.count);
  for (uint32_t i = 0; i < u->objects.count; i++)
    write_object(u, &u->objects.data[i], out);
  write_said(u, out);
  write_sites(u, out);
  write_sets(u, out);
  write_operations(u, out);
  write_actions(u, out);
}

/* ---- reading ---- */

/* What is read before it can be named. */
struct thread_read {
  uint32_t parent, index;
  bool initial;
};

struct object_read {
  uint64_t key, first;
  int64_t maximum, initial;
  uint32_t object_class, creator, space, size, what;
  bool placed;
};

struct names_in {
  unf_unfolding *u;
  struct bytes_in *in;
  VECTOR(struct thread_read) threads;
  VECTOR(struct object_read) objects;
  VECTOR(uint32_t) said, set;
  uint32_t named_threads, named_objects, said_done;
};

/* Room for one element more. */
#define READ_ROOM(n, vector)                                                                       \
  (vector_reserve((n)->u->context, &(n)->vector, (uint64_t)(n)->vector.count + 1)                  \
       ? UNF_OK                                                                                    \
       : unfi_bytes_note((n)->in, unfi_refused((n)->u->context)))

static unf_status read_families(struct names_in *n) {
  unf_unfolding *u = n->u;
  uint64_t count = unfi_bytes_get(n->in);
  bool same = count == u->customs.count;
  for (uint32_t i = 0; same && i < u->customs.count; i++)
    same = unfi_bytes_get_same(n->in, u->customs.data[i].name);
  if (n->in->status == UNF_OK && !same)
    unfi_bytes_note(n->in, unfi_fail(u->context, UNF_STATE, "other families of effects"));
  return n->in->status;
}

static unf_status read_threads(struct names_in *n) {
  uint64_t count = unfi_bytes_get(n->in);
  while (n->in->status == UNF_OK && n->threads.count < count && READ_ROOM(n, threads) == UNF_OK) {
    uint32_t parent = unfi_bytes_get_below(n->in, (uint64_t)n->threads.count + 1, "parent thread");
    uint64_t index = unfi_bytes_get(n->in);
    if (index >> 33 != 0) unfi_bytes_malformed(n->in, "index of a thread");
    struct thread_read t = {parent - 1, (uint32_t)(index >> 1), index & 1};
    vector_push(&n->threads, t);
  }
  return n->in->status;
}

static unf_status read_objects(struct names_in *n) {
  struct bytes_in *in = n->in;
  uint64_t count = unfi_bytes_get(in);
  while (in->status == UNF_OK && n->objects.count < count && READ_ROOM(n, objects) == UNF_OK) {
    struct object_read o = {
        .object_class = unfi_bytes_get_below(in, UNF_OBJECT_CLASS_COUNT, "class of an object")};
    o.creator = unfi_bytes_get_below(in, (uint64_t)n->threads.count + 1, "creator") - 1;
    o.key = unfi_bytes_get(in);
    o.what = unfi_bytes_get_below(in, SAID_MOST, "what was said of an object");
    if (o.what & SAID_PLACE) {
      o.space = unfi_bytes_get_below(in, count, "space");
      o.first = unfi_bytes_get(in);
      o.size = unfi_bytes_get_below(in, sizeof(uint64_t) + 1, "size of a location");
    }
    if (o.what & SAID_MAXIMUM) o.maximum = unfi_bytes_get_signed(in);
    if (o.what & SAID_INITIAL) o.initial = unfi_bytes_get_signed(in);
    vector_push(&n->objects, o);
  }
  count = unfi_bytes_get(in);
  while (in->status == UNF_OK && n->said.count < count && READ_ROOM(n, said) == UNF_OK)
    vector_push(&n->said, unfi_bytes_get_below(in, n->objects.count, "object"));
  return in->status;
}

/* A name that the front-end gave before has another number. */
static unf_status misnamed(struct names_in *n, const char *what) {
  return unfi_bytes_note(
      n->in, unfi_fail(n->u->context, UNF_STATE, what, " that the unfolding has in another order"));
}

static unf_status name_thread(struct names_in *n) {
  const struct thread_read *t = &n->threads.data[n->named_threads];
  unf_thread thread;
  unf_status status = unf_thread_name(n->u, t->parent, t->index, &thread);
  if (status == UNF_OK && thread != n->named_threads) return misnamed(n, "a thread");
  if (status == UNF_OK && t->initial) status = unf_thread_start(n->u, thread);
  if (status == UNF_OK) n->named_threads++;
  return unfi_bytes_note(n->in, status);
}

/* Names the objects up to one. */
static unf_status name_objects(struct names_in *n, uint32_t last) {
  for (; n->in->status == UNF_OK && n->named_objects <= last; n->named_objects++) {
    const struct object_read *o = &n->objects.data[n->named_objects];
    unf_object object;
    if (o->creator != UNF_THREAD_NONE && o->creator >= n->named_threads)
      return unfi_bytes_malformed(n->in, "an object that was there before its creator");
    unf_status status =
        unf_object_name(n->u, (unf_object_class)o->object_class, o->creator, o->key, &object);
    if (status == UNF_OK && object != n->named_objects) return misnamed(n, "an object");
    unfi_bytes_note(n->in, status);
  }
  return n->in->status;
}

/* Does the next of the things that were said, if that is a place. */
static unf_status place_next(struct names_in *n) {
  uint32_t object = n->said.data[n->said_done++];
  struct object_read *o = &n->objects.data[object];
  if (!(o->what & SAID_PLACE) || o->placed) return UNF_OK;
  o->placed = true;
  unf_status status = name_objects(n, object);
  if (status == UNF_OK) status = name_objects(n, o->space);
  if (status == UNF_OK) status = unf_location_place(n->u, object, o->space, o->first, o->size);
  if (status == UNF_INVALID || status == UNF_STATE)
    return unfi_bytes_malformed(n->in, "the place of a location");
  return unfi_bytes_note(n->in, status);
}

/* A site of an object; *site: its number here, or NONE where it is one of several. */
static unf_status make_object_site(struct names_in *n, enum site_kind kind, uint32_t *site) {
  unf_unfolding *u = n->u;
  uint32_t object = unfi_bytes_get_below(n->in, n->objects.count, "object of a site");
  if (name_objects(n, object) != UNF_OK) return n->in->status;
  *site = NONE;
  if (kind == SITE_CELL) {
    while (n->in->status == UNF_OK && u->objects.data[object].cell == 0 &&
           n->said_done < n->said.count)
      place_next(n);
    return n->in->status;
  }
  if (kind == SITE_OBJECT) {
    *site = unfi_object_site(u, object);
  } else {
    uint32_t thread = unfi_bytes_get_below(n->in, n->named_threads, "thread that waits");
    unsigned class = n->objects.data[object].object_class;
    if (!u->effects->waits[class])
      unfi_bytes_malformed(n->in, "an object for which no thread waits");
    if (n->in->status == UNF_OK) *site = unfi_waiter_site(u, object, thread);
  }
  return *site != NONE ? n->in->status : unfi_bytes_note(n->in, unfi_refused(u->context));
}

/* Names everything, with all sites. A place may be said to be compared although it need not be. */
static unf_status make_sites(struct names_in *n) {
  unf_unfolding *u = n->u;
  uint64_t count = unfi_bytes_get(n->in);
  for (uint64_t i = 0; n->in->status == UNF_OK && i < count; i++) {
    uint32_t kind = unfi_bytes_get_below(n->in, SITE_KINDS << 1, "kind of a site"), site = NONE;
    bool compared = kind >> KIND_BITS;
    kind &= (1u << KIND_BITS) - 1;
    if (kind == SITE_THREAD) {
      uint64_t thread = unfi_bytes_get(n->in);
      if (thread != n->named_threads || thread >= n->threads.count)
        return unfi_bytes_malformed(n->in, "thread of a site");
      if (name_thread(n) == UNF_OK) site = u->threads.data[thread].site;
    } else if (make_object_site(n, (enum site_kind)kind, &site) != UNF_OK) {
      break;
    }
    if (compared && site != NONE && n->in->status == UNF_OK) unfi_tree_compare(u, site);
    unfi_bytes_note(n->in, unfi_work(u->context, 1));
  }
  return n->in->status;
}

static unf_status say_all(struct names_in *n) {
  unf_unfolding *u = n->u;
  while (n->in->status == UNF_OK && n->said_done < n->said.count)
    place_next(n);
  for (uint32_t i = 0; n->in->status == UNF_OK && i < n->objects.count; i++) {
    const struct object_read *o = &n->objects.data[i];
    unf_status status = UNF_OK;
    if (o->what & SAID_MAXIMUM) status = unf_object_set_maximum(u, i, o->maximum);
    if (status == UNF_OK && (o->what & SAID_INITIAL))
      status = unf_object_set_initial(u, i, o->initial);
    if (status == UNF_STATE) return misnamed(n, "an object with values");
    if (status == UNF_INVALID) return unfi_bytes_malformed(n->in, "the value of an object");
    unfi_bytes_note(n->in, status);
  }
  if (n->in->status != UNF_OK) return n->in->status;
  if (!vector_reserve(u->context, &u->said, n->said.count))
    return unfi_bytes_note(n->in, unfi_refused(u->context));
  u->said.count = 0;
  for (uint32_t i = 0; i < n->said.count; i++)
    vector_push(&u->said, n->said.data[i]);
  return UNF_OK;
}

static unf_status read_sets(struct names_in *n) {
  uint64_t count = unfi_bytes_get(n->in);
  for (uint64_t i = 0; n->in->status == UNF_OK && i < count; i++) {
    uint64_t members = unfi_bytes_get(n->in);
    int64_t set = 0;
    n->set.count = 0;
    while (n->in->status == UNF_OK && n->set.count < members && READ_ROOM(n, set) == UNF_OK)
      vector_push(&n->set, unfi_bytes_get_below(n->in, n->threads.count, "thread of a set"));
    if (n->in->status != UNF_OK) break;
    unfi_bytes_note(n->in, unf_thread_set(n->u, n->set.data, n->set.count, &set));
    if (n->in->status == UNF_OK && set != (int64_t)i + 1) unfi_bytes_malformed(n->in, "a set");
  }
  return n->in->status;
}

/* The status of naming something that was read: what is none is malformed. */
static unf_status note_named(struct names_in *n, unf_status status, bool expected,
                             const char *what) {
  bool wrong = status == UNF_INVALID || status == UNF_UNKNOWN || status == UNF_STATE;
  if (wrong || (status == UNF_OK && !expected)) return unfi_bytes_malformed(n->in, what);
  return unfi_bytes_note(n->in, status);
}

static unf_status read_operations(struct names_in *n) {
  struct bytes_in *in = n->in;
  uint64_t count = unfi_bytes_get(in);
  for (uint64_t i = 1; in->status == UNF_OK && i < count; i++) {
    unf_operation o = {.kind = (unf_operation_kind)unfi_bytes_get_below(in, UNF_OPERATION_COUNT,
                                                                        "kind of an operation")};
    uint32_t number;
    o.target = unfi_bytes_get_below(in, 1ull << 32, "target");
    o.second = unfi_bytes_get_below(in, 1ull << 32, "second object");
    o.low = unfi_bytes_get_signed(in);
    o.high = unfi_bytes_get_signed(in);
    if (in->status != UNF_OK) break;
    unf_status status = unfi_operation_intern(n->u, &o, &number);
    note_named(n, status, number == i, "an operation");
  }
  for (uint32_t t = 0; in->status == UNF_OK && t < n->threads.count; t++) {
    uint32_t first = unfi_bytes_get_below(in, n->u->operations.count, "operation");
    if (first != 0 && !n->threads.data[t].initial) unfi_bytes_malformed(in, "first operation");
    if (in->status == UNF_OK) n->u->threads.data[t].first = first;
  }
  return in->status;
}

static unf_status read_actions(struct names_in *n) {
  struct bytes_in *in = n->in;
  uint64_t count = unfi_bytes_get(in);
  for (uint64_t i = 1; in->status == UNF_OK && i < count; i++) {
    unf_action a = {
        .kind = (unf_action_kind)unfi_bytes_get_below(in, UNF_ACTION_COUNT, "kind of an action")};
    uint32_t number;
    a.thread = unfi_bytes_get_below(in, n->threads.count, "thread of an action");
    a.target = unfi_bytes_get_below(in, 1ull << 32, "target");
    a.second = unfi_bytes_get_below(in, 1ull << 32, "second object");
    a.value = unfi_bytes_get_signed(in);
    if (in->status != UNF_OK) break;
    unf_status status = unfi_action_intern(n->u, &a, &number);
    note_named(n, status, number == i, "an action");
  }
  return in->status;
}

static unf_status read_all(struct names_in *n) {
  unf_status status = read_families(n);
  if (status == UNF_OK) status = read_threads(n);
  if (status == UNF_OK) status = read_objects(n);
  if (status == UNF_OK) status = make_sites(n);
  if (status == UNF_OK && n->named_threads < n->threads.count)
    status = unfi_bytes_malformed(n->in, "a thread without a site");
  if (status == UNF_OK && n->objects.count > 0) status = name_objects(n, n->objects.count - 1);
  if (status == UNF_OK) status = say_all(n);
  if (status == UNF_OK) status = read_sets(n);
  if (status == UNF_OK) status = read_operations(n);
  return status == UNF_OK ? read_actions(n) : status;
}

unf_status unfi_names_read(unf_unfolding *u, struct bytes_in *in) {
  struct names_in n = {.u = u, .in = in};
  unf_status status = read_all(&n);
  vector_free(u->context, &n.threads);
  vector_free(u->context, &n.objects);
  vector_free(u->context, &n.said);
  vector_free(u->context, &n.set);
  return status;
}

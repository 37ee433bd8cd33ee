#include "changes.h"

#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "slices.h"
#include "files.h"
#include "sync.h"

/* What a fragment is of: the upper bits of its location. Addresses of memory have fewer. */
enum {
  PART_BITS = 58,
  OF_BYTE = 0,
  OF_OBJECT, /* of memory */
  OF_REGION,
  OF_SYNC,
  OF_THREAD,
  OF_FLAGS,
  OF_MOMENT,
  OF_STARTED,
  OF_HOLDER, /* of the library's objects: who holds one */
  OF_READERS,
  OF_NOTIFIED,
  OF_UNITS,
  OF_CONDITION,
  OF_WAITS
};

static uint64_t location(uint64_t part, uint64_t which) {
  return part << PART_BITS | which;
}

static void toggle(struct changes *c, unf_fingerprint *to, uint64_t at, const void *value,
                   size_t size) {
  if (c->status == UNF_OK) c->status = unf_fingerprint_toggle(c->hash, to, at, value, size);
}

static void count(struct changes *c, uint64_t at, int64_t amount) {
  if (c->status == UNF_OK) c->status = unf_fingerprint_count(c->hash, &c->change, at, amount);
}

/* ---- bytes of memory ---- */

/* A byte as it is kept; one that is 0 and was never written is no fragment. */
struct kept_byte {
  term term;
  uint8_t written, number, part;
};

static struct kept_byte byte_at(const struct object *o, uint64_t at) {
  struct kept_byte byte;
  memset(&byte, 0, sizeof byte);
  if (o == NULL || at >= o->size) return byte;
  const struct part *part = array_read(&parts_kind, &o->parts, at);
  byte.written = !o->all_written && *(const uint8_t *)array_read(&bytes_kind, &o->written, at) != 0;
  byte.term = part->term;
  if (part->term != TERM_NONE)
    byte.part = part->byte;
  else
    byte.number = *(const uint8_t *)array_read(&bytes_kind, &o->bytes, at);
  return byte;
}

static void toggle_byte(struct changes *c, uint64_t address, const struct kept_byte *byte,
                        int32_t more) {
  if (byte->term == TERM_NONE && byte->number == 0 && byte->written == 0) return;
  const unf_fingerprint what = canonical_term(&c->canonical, byte->term);
  uint8_t value[sizeof what.bits + 3] = {byte->written, byte->number, byte->part};
  memcpy(value + 3, what.bits, sizeof what.bits);
  toggle(c, &c->change, location(OF_BYTE, address), value, sizeof value);
  uses_add_term(&c->uses, byte->term, more);
}

/* The next byte that may differ. */
static uint64_t next_difference(const struct object *one, const struct object *other,
                                uint64_t from) {
  const uint64_t bytes = array_difference(&bytes_kind, &one->bytes, &other->bytes, from);
  const uint64_t written = array_difference(&bytes_kind, &one->written, &other->written, from);
  const uint64_t parts = array_difference(&parts_kind, &one->parts, &other->parts, from);
  const uint64_t least = bytes < written ? bytes : written;
  return parts < least ? parts : least;
}

/* Two objects at one address, or one and nothing, which is an object without bytes. */
static void compare_bytes(struct changes *c, const struct object *one, const struct object *other) {
  const uint64_t address = one->size > 0 ? one->address : other->address;
  const bool all = one->all_written != other->all_written && one->size == other->size;
  uint64_t at = all ? 0 : next_difference(one, other, 0);
  const uint64_t end = one->size > other->size ? one->size : other->size;
  while (at < end) {
    const uint64_t run = array_run(&bytes_kind, at, end - at);
    for (uint64_t i = at; i < at + run; i++) {
      const struct kept_byte was = byte_at(one, i), is = byte_at(other, i);
      if (memcmp(&was, &is, sizeof was) == 0) continue;
      toggle_byte(c, address + i, &was, -1);
      toggle_byte(c, address + i, &is, 1);
    }
    at = all ? at + run : next_difference(one, other, at + run);
  }
}

static void toggle_object(struct changes *c, const struct object *o) {
  if (o->address == 0) return;
  /* Of what comes next, that is the one that none is before. What waits is linked in the order in
   * which steps were performed, which says nothing. */
  const uint64_t value[] = {o->size, o->freed,       o->constant,
                            o->kind, o->all_written, o->kept,
                            o->gone, o->given_back,  o->given_back ? o->next : 0};
  toggle(c, &c->change, location(OF_OBJECT, o->address), value, sizeof value);
}

static void compare_objects(struct changes *c, const struct object *one,
                            const struct object *other) {
  static const struct object nothing;
  if (one->address != other->address || one->size != other->size) {
    if (one->address != 0) compare_bytes(c, one, &nothing);
    if (other->address != 0) compare_bytes(c, &nothing, other);
  } else {
    compare_bytes(c, one, other);
  }
  toggle_object(c, one);
  toggle_object(c, other);
}

/* One element, or nothing behind the end. */
static const struct object *object_at(const struct objects *list, uint64_t index) {
  static const struct object nothing;
  return index < list->items.count ? array_read(&objects_kind, &list->items, index) : &nothing;
}

static void compare_lists(struct changes *c, const struct objects *one, const struct objects *other,
                          uint64_t which) {
  const uint64_t end =
      one->items.count > other->items.count ? one->items.count : other->items.count;
  /* What is behind the end of a list may be left over from others, and is not looked at. */
  const uint64_t common =
      one->items.count < other->items.count ? one->items.count : other->items.count;
  uint64_t at = array_difference(&objects_kind, &one->items, &other->items, 0);
  if (at > common) at = common;
  while (at < end) {
    const struct object was = *object_at(one, at), is = *object_at(other, at);
    if (memcmp(&was, &is, sizeof was) != 0) compare_objects(c, &was, &is);
    at++;
    const bool begins_leaf = (at & ((UINT64_C(1) << objects_kind.bits) - 1)) == 0;
    if (at < common && begins_leaf) {
      const uint64_t next = array_difference(&objects_kind, &one->items, &other->items, at);
      at = next < common ? next : common;
    }
  }
  if (one->next == other->next) return;
  toggle(c, &c->change, location(OF_REGION, which), &one->next, sizeof one->next);
  toggle(c, &c->change, location(OF_REGION, which), &other->next, sizeof other->next);
}

static void compare_memory(struct changes *c) {
  static const struct region empty;
  const struct memory *now = &c->machine->memory;
  const struct memory_copy *before = &c->memory;
  const uint32_t end = now->count > before->count ? now->count : before->count;
  for (uint32_t i = 0; i < end; i++) {
    const struct region *was = i < before->count ? &before->regions[i] : &empty;
    const struct region *is = i < now->count ? &now->regions[i] : &empty;
    compare_lists(c, &was->stack, &is->stack, 2 * (uint64_t)i);
    compare_lists(c, &was->heap, &is->heap, 2 * (uint64_t)i + 1);
  }
}

/* ---- mutexes and the like ---- */

/* One that nobody holds is as if it was never used, since who uses it first does not matter. */
static void toggle_sync(struct changes *c, uint64_t number, const struct sync *s) {
  const bool fresh = !s->used || (s->count == 0 && s->owner == UNF_THREAD_NONE && s->depth == 0 &&
                                  !s->robust && !s->orphaned && !s->lost);
  if (fresh) return;
  const uint64_t value[] = {s->count, s->owner, s->depth, s->robust, s->orphaned, s->lost};
  toggle(c, &c->change, location(OF_SYNC, number), value, sizeof value);
}

static void compare_syncs(struct changes *c) {
  const struct array *was = &c->syncs, *is = &c->machine->now.syncs;
  uint64_t at = 0;
  while ((at = array_difference(&syncs_kind, was, is, at)) != UINT64_MAX) {
    static const struct sync nothing;
    const struct sync *old = at < was->count ? array_read(&syncs_kind, was, at) : &nothing;
    const struct sync *new = at < is->count ? array_read(&syncs_kind, is, at) : &nothing;
    toggle_sync(c, at, old);
    toggle_sync(c, at, new);
    at++;
  }
}

/* What an action did to an object of the library. */
static bool notified(void *user, unf_thread thread) {
  struct changes *c = user;
  toggle(c, &c->change, location(OF_NOTIFIED, thread), "", 1);
  return c->status == UNF_OK;
}

static void held(struct changes *c, unf_object object, unf_thread thread) {
  toggle(c, &c->change, location(OF_HOLDER, object), &thread, sizeof thread);
}

static void perform(struct changes *c, const unf_action *a) {
  const uint64_t readers = (uint64_t)a->target << 24 | a->thread;
  switch (a->kind) {
  case UNF_DID_ACQUIRE:
  case UNF_DID_RELEASE:
  case UNF_DID_WRLOCK:
  case UNF_DID_WRUNLOCK:
    held(c, a->target, a->thread);
    break;
  case UNF_DID_WAIT:
    held(c, a->second, a->thread);
    break;
  case UNF_DID_WAKE:
    held(c, a->second, a->thread);
    notified(c, a->thread);
    break;
  case UNF_DID_SIGNAL:
    if (a->value != UNF_LOST) notified(c, (unf_thread)a->value);
    break;
  case UNF_DID_BROADCAST:
    unf_thread_set_members(c->machine->unfolding, a->value, notified, c);
    break;
  case UNF_DID_RDLOCK:
  case UNF_DID_RDUNLOCK:
    count(c, location(OF_READERS, readers), a->kind == UNF_DID_RDLOCK ? 1 : -1);
    break;
  case UNF_DID_POST:
  case UNF_DID_ARRIVE:
    count(c, location(OF_UNITS, a->target), 1);
    break;
  case UNF_DID_SEM_WAIT:
    count(c, location(OF_UNITS, a->target), -1);
    break;
  default:
    break; /* it is in the memory, or in the thread */
  }
}

/* ---- threads ---- */

static void put(struct changes *c, const void *value, size_t size) {
  if (c->byte_room - c->byte_count < size) {
    const size_t room = 2 * (c->byte_count + size) + 256;
    unsigned char *bytes = realloc(c->bytes, room);
    if (bytes == NULL) c->status = UNF_MEMORY;
    if (bytes == NULL) return;
    c->bytes = bytes;
    c->byte_room = room;
  }
  memcpy(c->bytes + c->byte_count, value, size);
  c->byte_count += size;
}

static void put_number(struct changes *c, uint64_t number) {
  put(c, &number, sizeof number);
}

static void put_inputs(struct changes *c, term a) {
  struct control *control = &c->control;
  const uint32_t *inputs = a != TERM_NONE ? slices_inputs(c->machine->knowledge, a) : NULL;
  if (a != TERM_NONE && inputs == NULL) c->status = UNF_MEMORY;
  for (uint32_t i = 1; inputs != NULL && i <= inputs[0]; i++) {
    if (control->input_count == control->input_room) {
      const uint32_t room = 2 * control->input_room + 16;
      uint32_t *list = realloc(control->inputs, room * sizeof *list);
      if (list == NULL) c->status = UNF_MEMORY;
      if (list == NULL) return;
      control->inputs = list;
      control->input_room = room;
    }
    control->inputs[control->input_count++] = inputs[i];
  }
}

static void put_term(struct changes *c, term a) {
  const unf_fingerprint what = canonical_term(&c->canonical, a);
  put(c, what.bits, sizeof what.bits);
  put_inputs(c, a);
}

static void put_value(struct changes *c, struct value value) {
  put_number(c, value.term != TERM_NONE ? 0 : (uint64_t)value.number);
  put_term(c, value.term);
}

static void put_operation(struct changes *c, const struct thread *t) {
  const unf_operation *o = &t->operation;
  const bool branches = t->standing == STANDS_AT_BRANCH;
  put_number(c, t->standing);
  if (t->standing != STANDS_AT_OPERATION && !branches) return;
  const uint64_t numbers[] = {o->kind, o->target, o->second, branches ? 0 : (uint64_t)o->low,
                              (uint64_t)o->high};
  put(c, numbers, sizeof numbers);
  if (!branches) return;
  const struct branches *b = &c->machine->knowledge->branches;
  for (uint32_t i = 0; i < b->items[o->low].count; i++) {
    const struct outcome *outcome = branches_outcomes(b, (uint32_t)o->low) + i;
    put_term(c, outcome->fact);
    put_number(c, (uint64_t)outcome->value);
  }
}

static void put_frames(struct changes *c, const struct thread *t) {
  for (size_t i = 0; i < t->frame_count; i++) {
    const struct frame *f = &t->frames[i];
    const uint64_t numbers[] = {(uint64_t)(uintptr_t)f->function,
                                f->instruction,
                                f->registers,
                                f->depth,
                                f->result,
                                f->results,
                                f->phase,
                                f->kept,
                                f->extra,
                                f->extra_count,
                                t->jump_count > 0 ? f->number : 0};
    put(c, numbers, sizeof numbers);
  }
  for (size_t i = 0; i < t->frame_count; i++) {
    const struct frame *f = &t->frames[i];
    for (uint32_t r = 0; r < f->function->registers; r++)
      put_value(c,
                live_register(&c->live, t, i, r) ? t->values[f->registers + r] : value_number(0));
    for (size_t n = 0; n < f->extra_count; n++)
      put_value(c, t->values[f->extra + n]);
  }
  put_number(c, t->decided_count);
  for (size_t i = 0; i < t->decided_count; i++)
    put_number(c, (uint64_t)t->decided[i]);
}

/* What the thread is like that its own memory does not say. Left out is what reports alone use, and
 * what counts and has no limit. */
static void put_thread(struct changes *c, const struct thread *t) {
  const struct machine *m = c->machine;
  const bool given = m->asked.given_count > 0 || m->asked.all_given;
  put_operation(c, t);
  if (t->standing != STANDS_AT_END) put_frames(c, t);
  const uint64_t numbers[] = {t->decision,
                              t->begins,
                              t->children,
                              t->keys,
                              t->destroyed,
                              (uint64_t)t->clock,
                              t->tries,
                              t->blocks,
                              t->outside,
                              (uint64_t)t->signals,
                              given ? t->inputs : 0,
                              m->max_branches != UINT64_MAX ? t->branches : 0,
                              m->max_operations != UINT64_MAX ? t->operations : 0,
                              m->max_spurious != 0 ? t->spurious : 0,
                              m->max_timeouts != UINT64_MAX ? t->timeouts : 0};
  put(c, numbers, sizeof numbers);
  put_value(c, t->result);
  for (size_t i = 0; i < t->specific_count; i++) {
    put_number(c, t->specifics[i].key);
    put_value(c, t->specifics[i].value);
  }
  for (size_t i = 0; i < t->jump_count; i++) {
    put_number(c, t->jumps[i].frames);
    put_number(c, t->jumps[i].number);
    put_number(c, t->jumps[i].instruction);
  }
  put(c, t->handlers, t->handler_count * sizeof *t->handlers);
  put_number(c, t->freed_count);
  put(c, t->freed, t->freed_count * sizeof *t->freed);
  if (t->copies != NULL) put(c, t->copies, m->code->global_count * sizeof *t->copies);
}

/* Whatever can run has a fragment. */
static void look_at_thread(struct changes *c, const struct thread *t) {
  c->byte_count = 0;
  c->control.input_count = 0;
  c->control.fingerprint = (unf_fingerprint)UNF_FINGERPRINT_INIT;
  if (t == NULL || t->standing == STANDS_NOWHERE) return;
  put_thread(c, t);
  toggle(c, &c->control.fingerprint, location(OF_THREAD, t->handle), c->bytes, c->byte_count);
}

static unf_fingerprint flags_of(struct changes *c, const struct thread *t) {
  unf_fingerprint flags = UNF_FINGERPRINT_INIT;
  if (t == NULL || (!t->joined && !t->detached)) return flags;
  const uint32_t value[] = {t->joined, t->detached, t->joined ? t->joiner : 0};
  toggle(c, &flags, location(OF_FLAGS, t->handle), value, sizeof value);
  return flags;
}

static void use_inputs(struct changes *c, const struct control *control, int32_t more) {
  for (uint32_t i = 0; i < control->input_count; i++)
    uses_add(&c->uses, control->inputs[i], more);
}

/* The thread is as it is now from here on. */
static void compare_thread(struct changes *c, uint32_t handle) {
  struct control *old = &c->controls[handle];
  look_at_thread(c, c->machine->threads[handle]);
  unf_fingerprint_remove(&c->change, &old->fingerprint);
  unf_fingerprint_combine(&c->change, &c->control.fingerprint);
  use_inputs(c, old, -1);
  use_inputs(c, &c->control, 1);
  const struct control now = c->control;
  c->control = *old;
  *old = now;
}

static void compare_flags(struct changes *c) {
  for (uint32_t i = 0; i < c->machine->thread_count; i++) {
    const unf_fingerprint now = flags_of(c, c->machine->threads[i]);
    unf_fingerprint_remove(&c->change, &c->flags[i]);
    unf_fingerprint_combine(&c->change, &now);
    c->flags[i] = now;
  }
}

/* ---- the rest ---- */

static unf_fingerprint moment_of(struct changes *c) {
  const struct moment *now = &c->machine->now;
  unf_fingerprint moment = UNF_FINGERPRINT_INIT;
  const uint64_t numbers[] = {now->first, now->at_exit, now->exited};
  toggle(c, &moment, location(OF_MOMENT, 0), numbers, sizeof numbers);
  for (size_t i = 0; i < now->key_count; i++) {
    const struct key *k = &now->keys[i];
    const uint64_t key[] = {k->number, k->destructor, k->deleted};
    toggle(c, &moment, location(OF_MOMENT, 1), key, sizeof key);
  }
  return moment;
}

static bool make_threads(struct changes *c) {
  const uint32_t count = c->machine->thread_count;
  if (count <= c->thread_room) return true;
  const uint32_t room = 2 * count + 8;
  struct control *controls = realloc(c->controls, room * sizeof *controls);
  if (controls != NULL) c->controls = controls;
  unf_fingerprint *flags = realloc(c->flags, room * sizeof *flags);
  if (flags != NULL) c->flags = flags;
  if (controls == NULL || flags == NULL) return false;
  memset(controls + c->thread_room, 0, (room - c->thread_room) * sizeof *controls);
  memset(flags + c->thread_room, 0, (room - c->thread_room) * sizeof *flags);
  c->thread_room = room;
  return true;
}

static void drop(struct changes *c) {
  if (!c->taken) return;
  memory_copy_drop(&c->machine->pool, &c->memory);
  array_drop(&c->machine->pool, &syncs_kind, &c->syncs);
  c->taken = false;
}

/* Keeps what the next step is compared with, but for threads. */
static void take(struct changes *c) {
  drop(c);
  c->moment = moment_of(c);
  c->started = c->machine->now.started;
  c->taken = c->status == UNF_OK && memory_keep(&c->machine->memory, &c->memory);
  if (!c->taken && c->status == UNF_OK) c->status = UNF_MEMORY;
  if (c->taken) c->syncs = array_share(&c->machine->now.syncs);
}

void changes_open(struct changes *c, struct machine *m, bool strong) {
  memset(c, 0, sizeof *c);
  c->machine = m;
  c->hash = strong ? UNF_HASH_STRONG : UNF_HASH_FAST;
  uses_make(&c->uses, m->knowledge, &m->knowledge->input_count);
  waits_make(&c->waits, m->knowledge);
  m->waits = &c->waits;
  canonical_make(&c->canonical, m->knowledge, c->hash);
}

void changes_close(struct changes *c) {
  if (c->machine == NULL) return;
  drop(c);
  uses_free(&c->uses);
  canonical_free(&c->canonical);
  waits_free(&c->waits);
  live_free(&c->live);
  c->machine->waits = NULL;
  for (uint32_t i = 0; i < c->thread_room; i++)
    free(c->controls[i].inputs);
  free(c->controls);
  free(c->flags);
  free(c->bytes);
  free(c->control.inputs);
  free(c->used);
  memset(c, 0, sizeof *c);
}

/* The values at the beginning of the program, which is no step. */
static void count_initial(struct changes *c) {
  compare_memory(c); /* with an empty one */
  for (uint32_t i = 0; i < c->machine->thread_count; i++)
    compare_thread(c, i);
  uses_initially(&c->uses);
  c->begun = true;
}

unf_status changes_begin(struct changes *c) {
  const bool known = c->live.ranges != NULL || live_make(&c->live, c->machine->code);
  c->status = known && make_threads(c) ? UNF_OK : UNF_MEMORY;
  if (c->status == UNF_OK && !c->begun) count_initial(c);
  for (uint32_t i = 0; c->status == UNF_OK && i < c->machine->thread_count; i++) {
    compare_thread(c, i);
    c->flags[i] = flags_of(c, c->machine->threads[i]);
  }
  c->uses.count = c->uses.first; /* that is no step */
  waits_begin(&c->waits);
  if (c->status == UNF_OK) take(c);
  return c->status;
}

unf_status changes_of(struct changes *c, const unf_action *action, unf_fingerprint *change) {
  c->change = (unf_fingerprint)UNF_FINGERPRINT_INIT;
  c->status = make_threads(c) ? UNF_OK : UNF_MEMORY;
  if (c->status != UNF_OK) return c->status;
  compare_memory(c);
  compare_syncs(c);
  perform(c, action);
  compare_thread(c, action->thread);
  /* A join tells of what its thread freed at last. */
  if (action->kind == UNF_DID_CREATE || action->kind == UNF_DID_JOIN)
    compare_thread(c, action->target);
  compare_flags(c);
  const unf_fingerprint moment = moment_of(c);
  unf_fingerprint_remove(&c->change, &c->moment);
  unf_fingerprint_combine(&c->change, &moment);
  count(c, location(OF_STARTED, 0), (int64_t)c->machine->now.started - (int64_t)c->started);
  take(c);
  *change = c->change;
  if (c->canonical.status != UNF_OK) return c->canonical.status;
  return c->uses.failed ? UNF_MEMORY : c->status;
}

/* ---- the condition ---- */

static bool use_sums(struct changes *c) {
  const uint32_t inputs = c->uses.knowledge->input_count;
  if (inputs > c->used_room) {
    bool *used = realloc(c->used, 2 * (size_t)inputs * sizeof *used);
    if (used == NULL) return false;
    c->used = used;
    c->used_room = 2 * inputs;
  }
  for (uint32_t i = 0; i < inputs; i++)
    c->used[i] = c->uses.sums[i] > 0;
  return true;
}

/* Bytes of files that are inputs can always be read. */
static bool use_files(struct changes *c) {
  const struct machine *m = c->machine;
  for (size_t i = 0; i < m->file_count; i++) {
    const struct source *f = &m->files[i];
    for (uint64_t at = 0; f->values != NULL && at < f->size; at++) {
      const term a = f->values[at].term;
      const uint32_t *inputs = a != TERM_NONE ? slices_inputs(m->knowledge, a) : NULL;
      if (a != TERM_NONE && inputs == NULL) return false;
      for (uint32_t j = 1; inputs != NULL && j <= inputs[0]; j++)
        c->used[inputs[j]] = true;
    }
  }
  return true;
}

/* A fact by the names of its inputs; one about an input that is not used any more, but bound to
 * others, by itself. */
static void add_fact(struct changes *c, term fact, unf_fingerprint *condition) {
  const uint32_t *inputs = slices_inputs(c->machine->knowledge, fact);
  bool named = inputs != NULL;
  if (inputs == NULL) c->status = UNF_MEMORY;
  for (uint32_t i = 1; named && i <= inputs[0]; i++)
    named = c->used[inputs[i]];
  const unf_fingerprint what = canonical_term(&c->canonical, fact);
  if (named)
    toggle(c, condition, location(OF_CONDITION, 0), what.bits, sizeof what.bits);
  else
    toggle(c, condition, location(OF_CONDITION, 1), &fact, sizeof fact);
}

unf_status changes_condition(struct changes *c, unf_event event, unf_fingerprint *condition) {
  struct knowledge *k = c->machine->knowledge;
  uses_keep(&c->uses, event);
  if (!uses_sum(&c->uses, event) || !use_sums(c) || !use_files(c)) return UNF_MEMORY;
  const uint32_t set = slices_about_used(k, knowledge_history(k, event), c->used);
  const term *list = set != UINT32_MAX ? knowledge_list(k, set) : NULL;
  if (list == NULL) return UNF_MEMORY;
  for (uint32_t i = 0; i < facts_count(&k->facts, set); i++)
    add_fact(c, list[i], condition);
  /* Values that different inputs have would look alike: such a state is like no other. */
  if (canonical_is_ambiguous(&c->canonical, c->used))
    toggle(c, condition, location(OF_CONDITION, 2), &event, sizeof event);
  if (c->status == UNF_OK)
    c->status = waits_condition(&c->waits, event, c->hash, location(OF_WAITS, 0), condition);
  return c->canonical.status == UNF_OK ? c->status : c->canonical.status;
}

/* Letters: names as the front-end gave them, and actions by the rows of their families. */
#include "exploration/distribution/letter.h"

#include <string.h>

#include "exploration/image/image.h"
#include "exploration/image/names.h"
#include "structure/action.h"
#include "structure/cells.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/names.h"
#include "structure/sets.h"

/* Changes with whatever letters are made of. */
#define LETTER_VERSION 2u
/* Names that stay from one letter to the next, at most. */
enum { NAMES_KEPT = 256 };

/* ---- writing ---- */

/* Puts the number of a thread into the body, from 1; parents have smaller ones. */
static bool number_thread(struct letter *letter, uint32_t thread) {
  const unf_unfolding *u = letter->u;
  if (!vector_reserve_zero(u->context, &letter->thread_numbers, u->threads.count) ||
      !vector_reserve(u->context, &letter->threads, u->threads.count))
    return false;
  while (letter->thread_numbers.data[thread] == 0) {
    uint32_t first = thread;
    for (uint32_t parent = u->threads.data[first].parent;
         parent != UNF_THREAD_NONE && letter->thread_numbers.data[parent] == 0;
         parent = u->threads.data[first].parent)
      first = parent;
    vector_push(&letter->threads, first);
    letter->thread_numbers.data[first] = letter->threads.count;
  }
  return true;
}

/* With an object the space in which it is placed has a number, and so on: it may be its own. */
static bool number_object(struct letter *letter, uint32_t object) {
  const unf_unfolding *u = letter->u;
  if (!vector_reserve_zero(u->context, &letter->object_numbers, u->objects.count) ||
      !vector_reserve(u->context, &letter->objects, u->objects.count))
    return false;
  while (letter->object_numbers.data[object] == 0) {
    const struct object *o = &u->objects.data[object];
    if (o->creator != UNF_THREAD_NONE && !number_thread(letter, o->creator)) return false;
    vector_push(&letter->objects, object);
    letter->object_numbers.data[object] = letter->objects.count;
    if (o->cell != 0) object = o->space;
  }
  return true;
}

/* Numbers what a target is, if it has a name. */
static bool number_target(struct letter *letter, enum target target, uint32_t handle) {
  if (target == TARGET_THREAD) return number_thread(letter, handle);
  return !is_object(target) || number_object(letter, handle);
}

static bool number_value(struct letter *letter, enum value value, int64_t number) {
  uint32_t count = 0;
  if (value == VALUE_THREAD) return number == UNF_LOST || number_thread(letter, (uint32_t)number);
  const uint32_t *members = is_thread_set(value) ? unfi_set(letter->u, number, &count) : NULL;
  bool good = true;
  for (uint32_t i = 0; good && i < count; i++)
    good = number_thread(letter, members[i]);
  return good;
}

/* Numbers all that a step names. */
static bool number_names(struct letter *letter, struct named_step step) {
  const unf_unfolding *u = letter->u;
  const struct action *a = &u->actions.data[step.action];
  const unf_operation *o = &u->operations.data[step.operation];
  const struct action_row *row = &u->effects->actions[a->kind];
  const struct operation_row *about = &u->effects->operations[o->kind];
  return number_thread(letter, a->thread) && number_target(letter, row->target, a->target) &&
         number_target(letter, second_target(row->second), a->second) &&
         number_value(letter, row->value, a->value) &&
         number_target(letter, about->target, o->target) &&
         number_target(letter, second_target(about->second), o->second);
}

bool unfi_letter_number_step(struct letter *letter, struct named_step step) {
  const unf_unfolding *u = letter->u;
  if (!vector_reserve_zero(u->context, &letter->step_numbers, u->actions.count) ||
      !number_names(letter, step) ||
      !vector_reserve(u->context, &letter->steps, (uint64_t)letter->steps.count + 1))
    return false;
  vector_push(&letter->steps, step);
  letter->step_numbers.data[step.action] = letter->steps.count;
  return true;
}

struct named_step unfi_letter_step_of(unf_unfolding *u, uint32_t event) {
  const struct event *e = event_at(u, event);
  return (struct named_step){e->action, next_after(u, action_of(u, event)->thread, e->before)};
}

bool unfi_letter_put_event(struct letter *letter, uint32_t event) {
  return letter_put_step(letter, unfi_letter_step_of(letter->u, event));
}

static void write_target(const struct letter *letter, enum target target, uint32_t handle,
                         struct bytes_out *out) {
  unfi_bytes_put(out, target == TARGET_THREAD ? letter->thread_numbers.data[handle]
                      : is_object(target)     ? letter->object_numbers.data[handle]
                                              : handle);
}

/* By their numbers, so that the letter does not depend on which handles they have. */
static void write_set(const struct letter *letter, int64_t set, struct bytes_out *out) {
  uint32_t count, last = 0;
  const uint32_t *members = unfi_set(letter->u, set, &count);
  unfi_bytes_put(out, count);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t next = UINT32_MAX;
    for (uint32_t j = 0; j < count; j++) {
      uint32_t number = letter->thread_numbers.data[members[j]];
      if (number > last && number < next) next = number;
    }
    unfi_bytes_put(out, next);
    last = next;
  }
}

static void write_value(const struct letter *letter, enum value value, int64_t number,
                        struct bytes_out *out) {
  switch (value) {
  case VALUE_NONE:
    return;
  case VALUE_NUMBER:
    unfi_bytes_put_signed(out, number);
    return;
  case VALUE_THREAD:
    unfi_bytes_put(out, number == UNF_LOST ? 0 : letter->thread_numbers.data[number]);
    return;
  case VALUE_THREADS:
  case VALUE_CHOSEN:
    write_set(letter, number, out);
  }
}

static void write_action(const struct letter *letter, uint32_t action, struct bytes_out *out) {
  const struct action *a = &letter->u->actions.data[action];
  const struct action_row *row = &letter->u->effects->actions[a->kind];
  unfi_bytes_put(out, a->kind);
  unfi_bytes_put(out, letter->thread_numbers.data[a->thread]);
  write_target(letter, row->target, a->target, out);
  write_target(letter, second_target(row->second), a->second, out);
  write_value(letter, row->value, a->value, out);
}

static void write_operation(const struct letter *letter, uint32_t operation,
                            struct bytes_out *out) {
  const unf_operation *o = &letter->u->operations.data[operation];
  const struct operation_row *row = &letter->u->effects->operations[o->kind];
  unfi_bytes_put(out, (uint64_t)o->kind);
  write_target(letter, row->target, o->target, out);
  write_target(letter, second_target(row->second), o->second, out);
  if (row->numbers != NUMBERS_NONE) unfi_bytes_put_signed(out, o->low);
  if (row->numbers > NUMBERS_LOW) unfi_bytes_put_signed(out, o->high);
}

static void write_thread(const struct letter *letter, uint32_t handle, struct bytes_out *out) {
  const struct thread *thread = &letter->u->threads.data[handle];
  bool child = thread->parent != UNF_THREAD_NONE;
  unfi_bytes_put(out, child ? letter->thread_numbers.data[thread->parent] : 0);
  unfi_bytes_put(out, (uint64_t)thread->index << 1 | thread->initial);
}

static void write_object(const struct letter *letter, uint32_t handle, struct bytes_out *out) {
  const struct object *o = &letter->u->objects.data[handle];
  bool made = o->creator != UNF_THREAD_NONE;
  unfi_bytes_put(out, o->object_class);
  unfi_bytes_put(out, made ? letter->thread_numbers.data[o->creator] : 0);
  unfi_bytes_put(out, o->key);
}

static void write_said(const struct letter *letter, uint32_t handle, struct bytes_out *out) {
  const struct object *o = &letter->u->objects.data[handle];
  int64_t initial;
  unsigned said = unfi_object_said(letter->u, o, &initial);
  unfi_bytes_put(out, said);
  if (said & SAID_PLACE) {
    unfi_bytes_put(out, letter->object_numbers.data[o->space] - 1);
    unfi_bytes_put(out, o->first);
    unfi_bytes_put(out, o->size);
    unfi_bytes_put(out, unfi_cells_borders(letter->u, o));
  }
  if (said & SAID_MAXIMUM) unfi_bytes_put_signed(out, o->maximum);
  if (said & SAID_INITIAL) unfi_bytes_put_signed(out, initial);
}

/* Bytes from a place in the block on stay for the next letter. Returns false when refused. */
static bool keep_written(struct letter *letter, const struct bytes_out *out, uint32_t from) {
  const uint32_t size = out->used - from, before = letter->written.count;
  if (!vector_reserve(letter->u->context, &letter->written, (uint64_t)before + size)) return false;
  memcpy(letter->written.data + before, out->block + BYTES_HEAD + from, size);
  letter->written.count += size;
  letter->written_steps++;
  return true;
}

/* Those that were written before are copied. A step that begins in one block and ends in another
 * is written anew each time, with those behind it. */
static void write_steps(struct letter *letter, struct bytes_out *out) {
  unfi_bytes_put(out, letter->steps.count);
  unfi_bytes_copy(out, letter->written.data, letter->written.count);
  for (uint32_t i = letter->written_steps; i < letter->steps.count; i++) {
    const uint32_t from = out->used;
    const uint64_t sum = out->sum;
    write_action(letter, letter->steps.data[i].action, out);
    write_operation(letter, letter->steps.data[i].operation, out);
    const bool whole = out->sum == sum && letter->written_steps == i;
    if (whole && !keep_written(letter, out, from)) out->status = unfi_refused(letter->u->context);
  }
}

unf_status unfi_letter_send(struct letter *letter, enum letter_kind kind, unf_write write,
                            void *user) {
  struct bytes_out out;
  if (!unfi_bytes_begin_in(&out, letter->u->context, write, user, &letter->block))
    return unfi_refused(letter->u->context);
  unfi_bytes_put(&out, LETTER_VERSION * LETTER_KINDS + (unsigned)kind);
  unfi_bytes_put(&out, letter->threads.count);
  for (uint32_t i = 0; i < letter->threads.count; i++)
    write_thread(letter, letter->threads.data[i], &out);
  unfi_bytes_put(&out, letter->objects.count);
  for (uint32_t i = 0; i < letter->objects.count; i++)
    write_object(letter, letter->objects.data[i], &out);
  for (uint32_t i = 0; i < letter->objects.count; i++)
    write_said(letter, letter->objects.data[i], &out);
  write_steps(letter, &out);
  unfi_bytes_copy(&out, letter->body.data, letter->body.count);
  return unfi_bytes_end(&out);
}

void unfi_letter_empty(struct letter *letter) {
  const uint64_t names = (uint64_t)letter->threads.count + letter->objects.count;
  letter->body.count = 0;
  if (names + letter->steps.count > NAMES_KEPT) unfi_letter_forget(letter);
}

void unfi_letter_forget(struct letter *letter) {
  for (uint32_t i = 0; i < letter->threads.count; i++)
    letter->thread_numbers.data[letter->threads.data[i]] = 0;
  for (uint32_t i = 0; i < letter->objects.count; i++)
    letter->object_numbers.data[letter->objects.data[i]] = 0;
  for (uint32_t i = 0; i < letter->steps.count; i++)
    letter->step_numbers.data[letter->steps.data[i].action] = 0;
  letter->threads.count = letter->objects.count = letter->steps.count = letter->body.count = 0;
  letter->written.count = letter->written_steps = 0;
}

void unfi_letter_free(struct letter *letter) {
  unf_context *context = letter->u->context;
  vector_free(context, &letter->threads);
  vector_free(context, &letter->objects);
  vector_free(context, &letter->steps);
  vector_free(context, &letter->step_numbers);
  vector_free(context, &letter->thread_numbers);
  vector_free(context, &letter->object_numbers);
  vector_free(context, &letter->body);
  vector_free(context, &letter->written);
  unfi_bytes_free(context, &letter->block);
}

/* ---- reading ---- */

/* A handle by a number from 1, 0 being that of nobody. */
#define READ_NAME(letter, list, nobody, what)                                                      \
  read_name((letter), (letter)->now.list.data, (letter)->now.list.count, (nobody), (what))

static uint32_t read_name(struct letter_in *letter, const uint32_t *handles, uint32_t count,
                          uint32_t nobody, const char *what) {
  uint32_t number = unfi_bytes_get_below(&letter->in, (uint64_t)count + 1, what);
  return number == 0 ? nobody : handles[number - 1];
}

/* Reads a handle, where there must be one. */
#define READ_SOME(letter, list, what)                                                              \
  read_some((letter), (letter)->now.list.data, (letter)->now.list.count, (what))

static uint32_t read_some(struct letter_in *letter, const uint32_t *handles, uint32_t count,
                          const char *what) {
  uint32_t number = unfi_bytes_get_below(&letter->in, (uint64_t)count + 1, what);
  if (letter->in.status == UNF_OK && number == 0) unfi_bytes_malformed(&letter->in, what);
  return number == 0 ? 0 : handles[number - 1];
}

/* What is named in another way here. */
static unf_status note_named(struct letter_in *letter, unf_status status, const char *what) {
  unf_context *context = letter->u->context;
  if (status == UNF_INVALID || status == UNF_UNKNOWN)
    return unfi_bytes_malformed(&letter->in, what);
  if (status == UNF_STATE) unfi_fail(context, UNF_STATE, what, " that is another one here");
  return unfi_bytes_note(&letter->in, status);
}

static unf_status read_thread(struct letter_in *letter) {
  uint32_t parent = READ_NAME(letter, threads, UNF_THREAD_NONE, "parent thread"), thread;
  uint64_t index = unfi_bytes_get(&letter->in);
  if (index >> 33 != 0) unfi_bytes_malformed(&letter->in, "index of a thread");
  if (letter->in.status != UNF_OK) return letter->in.status;
  unf_status status = unf_thread_name(letter->u, parent, (uint32_t)(index >> 1), &thread);
  if (status == UNF_OK && (index & 1)) status = unf_thread_start(letter->u, thread);
  if (note_named(letter, status, "a thread") == UNF_OK) vector_push(&letter->now.threads, thread);
  return letter->in.status;
}

/* The place of a location, with the borders of others within it. */
static unf_status read_place(struct letter_in *letter, uint32_t object) {
  struct bytes_in *in = &letter->in;
  uint32_t space = unfi_bytes_get_below(in, letter->now.objects.count, "space");
  uint64_t first = unfi_bytes_get(in);
  uint32_t size = unfi_bytes_get_below(in, sizeof(uint64_t) + 1, "size of a location");
  uint32_t borders = unfi_bytes_get_below(in, 1u << sizeof(uint64_t), "borders of a location");
  if (in->status != UNF_OK) return in->status;
  unf_status status =
      unf_location_place(letter->u, object, letter->now.objects.data[space], first, size);
  if (status == UNF_OK) status = unfi_cells_cut(letter->u, object, borders);
  return note_named(letter, status, "the place of a location");
}

/* What was said of an object, in the order in which it has to be. */
static unf_status read_said(struct letter_in *letter, uint32_t object) {
  struct bytes_in *in = &letter->in;
  unsigned said = unfi_bytes_get_below(in, SAID_MOST, "what was said of an object");
  if (said & SAID_PLACE) read_place(letter, object);
  int64_t maximum = said & SAID_MAXIMUM ? unfi_bytes_get_signed(in) : 0;
  int64_t initial = said & SAID_INITIAL ? unfi_bytes_get_signed(in) : 0;
  unf_status status = in->status;
  if (status == UNF_OK && (said & SAID_MAXIMUM))
    status = unf_object_set_maximum(letter->u, object, maximum);
  if (status == UNF_OK && (said & SAID_INITIAL))
    status = unf_object_set_initial(letter->u, object, initial);
  return note_named(letter, status, "an object");
}

static unf_status read_object(struct letter_in *letter) {
  uint32_t class = unfi_bytes_get_below(&letter->in, UNF_OBJECT_CLASS_COUNT, "class of an object");
  uint32_t creator = READ_NAME(letter, threads, UNF_THREAD_NONE, "creator"), object;
  uint64_t key = unfi_bytes_get(&letter->in);
  if (letter->in.status != UNF_OK) return letter->in.status;
  unf_status status = unf_object_name(letter->u, (unf_object_class) class, creator, key, &object);
  if (note_named(letter, status, "an object") == UNF_OK) vector_push(&letter->now.objects, object);
  return letter->in.status;
}

/* Reads a number of things, for each of which there is room in a list. */
#define READ_ALL(letter, list, read_one)                                                           \
  do {                                                                                             \
    uint64_t number = unfi_bytes_get(&(letter)->in);                                               \
    while ((letter)->in.status == UNF_OK && (list)->count < number) {                              \
      if (vector_reserve((letter)->u->context, (list), (list)->count + 1ull))                      \
        read_one(letter);                                                                          \
      else                                                                                         \
        unfi_bytes_note(&(letter)->in, unfi_refused((letter)->u->context));                        \
    }                                                                                              \
  } while (0)

static uint32_t read_target(struct letter_in *letter, enum target target) {
  if (target == TARGET_THREAD) return READ_SOME(letter, threads, "thread of an action");
  if (is_object(target)) return READ_SOME(letter, objects, "object of an action");
  return unfi_bytes_get_below(&letter->in, UINT32_MAX, "target of an action");
}

static void read_member(struct letter_in *letter) {
  vector_push(&letter->set, READ_SOME(letter, threads, "thread of a set"));
}

static int64_t read_set(struct letter_in *letter) {
  int64_t set = 0;
  letter->set.count = 0;
  READ_ALL(letter, &letter->set, read_member);
  if (letter->in.status == UNF_OK)
    note_named(letter, unf_thread_set(letter->u, letter->set.data, letter->set.count, &set),
               "a set of threads");
  return set;
}

static int64_t read_value(struct letter_in *letter, enum value value) {
  switch (value) {
  case VALUE_NONE:
    return 0;
  case VALUE_NUMBER:
    return unfi_bytes_get_signed(&letter->in);
  case VALUE_THREAD: {
    uint32_t thread = READ_NAME(letter, threads, NONE, "thread that is notified");
    return thread == NONE ? UNF_LOST : (int64_t)thread;
  }
  case VALUE_THREADS:
  case VALUE_CHOSEN:
    return read_set(letter);
  }
  return 0;
}

static uint32_t read_action(struct letter_in *letter, uint32_t kind) {
  const struct action_row *row = &letter->u->effects->actions[kind];
  unf_action action = {.kind = (unf_action_kind)kind};
  uint32_t number = 0;
  action.thread = READ_SOME(letter, threads, "thread of an action");
  action.target = read_target(letter, row->target);
  action.second = read_target(letter, second_target(row->second));
  action.value = read_value(letter, row->value);
  if (letter->in.status == UNF_OK)
    note_named(letter, unfi_action_intern(letter->u, &action, &number), "an action");
  return number;
}

static uint32_t read_operation(struct letter_in *letter) {
  struct bytes_in *in = &letter->in;
  uint32_t kind = unfi_bytes_get_below(in, UNF_OPERATION_COUNT, "kind of an operation"), number = 0;
  const struct operation_row *row = &letter->u->effects->operations[kind];
  unf_operation operation = {.kind = (unf_operation_kind)kind};
  operation.target = read_target(letter, row->target);
  operation.second = read_target(letter, second_target(row->second));
  if (row->numbers != NUMBERS_NONE) operation.low = unfi_bytes_get_signed(in);
  if (row->numbers > NUMBERS_LOW) operation.high = unfi_bytes_get_signed(in);
  if (in->status == UNF_OK)
    note_named(letter, unfi_operation_intern(letter->u, &operation, &number), "an operation");
  return number;
}

static void read_step(struct letter_in *letter) {
  uint32_t kind = unfi_bytes_get_below(&letter->in, UNF_ACTION_COUNT, "kind of an action");
  struct named_step step = {.action = read_action(letter, kind)};
  step.operation = read_operation(letter);
  vector_push(&letter->now.steps, step);
}

/* Whether the letter has these names: none is the beginning of others. */
static bool has_names(const struct bytes_in *in, const struct letter_names *names) {
  const uint32_t size = names->bytes.count;
  return in->status == UNF_OK && size > 0 && in->size - in->at >= size &&
         memcmp(in->block + in->at, names->bytes.data, size) == 0;
}

static void swap_names(struct letter_in *letter, struct letter_names *kept) {
  const struct letter_names now = letter->now;
  letter->now = *kept;
  *kept = now;
}

/* Whether its names are known, and those at hand then. */
static bool known_names(struct letter_in *letter) {
  struct bytes_in *in = &letter->in;
  bool known = has_names(in, &letter->now);
  for (uint32_t i = 0; !known && i < letter->kept.count; i++) {
    known = has_names(in, &letter->kept.data[i]);
    if (known) swap_names(letter, &letter->kept.data[i]);
  }
  if (known) in->at += letter->now.bytes.count;
  return known;
}

/* Puts the names at hand among those that are kept: of many, in the place of one after the other.
 * What cannot be kept is read again. */
static void put_away(struct letter_in *letter) {
  const struct letter_names none = {.bytes.count = 0};
  const uint32_t count = letter->kept.count;
  if (letter->now.bytes.count == 0 || letter->keeps == 0) return;
  if (count < letter->keeps && vector_reserve(letter->u->context, &letter->kept, count + 1ull))
    vector_push(&letter->kept, none);
  if (letter->kept.count > 0)
    swap_names(letter, &letter->kept.data[letter->next++ % letter->kept.count]);
}

/* The names that were read from a place in the block on, which is this many bytes from the begin,
 * stay for other letters. */
static void keep_names(struct letter_in *letter, uint32_t from, uint64_t before) {
  struct bytes_in *in = &letter->in;
  if (in->status != UNF_OK || in->before != before) return; /* they go on in another block */
  const uint32_t size = in->at - from;
  if (!vector_reserve(letter->u->context, &letter->now.bytes, size)) {
    unfi_bytes_note(in, unfi_refused(letter->u->context));
    return;
  }
  memcpy(letter->now.bytes.data, in->block + from, size);
  letter->now.bytes.count = size;
}

static void read_names(struct letter_in *letter) {
  const uint32_t from = letter->in.at;
  const uint64_t before = letter->in.before;
  put_away(letter);
  letter->now.bytes.count = 0;
  letter->now.threads.count = letter->now.objects.count = letter->now.steps.count = 0;
  READ_ALL(letter, &letter->now.threads, read_thread);
  READ_ALL(letter, &letter->now.objects, read_object);
  for (uint32_t i = 0; letter->in.status == UNF_OK && i < letter->now.objects.count; i++)
    read_said(letter, letter->now.objects.data[i]);
  READ_ALL(letter, &letter->now.steps, read_step);
  keep_names(letter, from, before);
}

unf_status unfi_letter_open(struct letter_in *letter, unf_unfolding *u, enum letter_kind kind,
                            unf_read read, void *user) {
  letter->u = u;
  if (letter->in.block != NULL)
    unfi_bytes_open_again(&letter->in, read, user);
  else if (!unfi_bytes_open(&letter->in, u->context, read, user))
    return unfi_refused(u->context);
  uint64_t head = unfi_bytes_get(&letter->in);
  if (letter->in.status == UNF_OK && head / LETTER_KINDS != LETTER_VERSION)
    return unfi_bytes_note(&letter->in, unfi_fail(u->context, UNF_UNSUPPORTED,
                                                  "a letter in another version of the format"));
  if (letter->in.status == UNF_OK && head % LETTER_KINDS != (unsigned)kind)
    return unfi_bytes_malformed(&letter->in, "a letter of another kind");
  if (!known_names(letter)) read_names(letter);
  return letter->in.status;
}

unf_status unfi_letter_finish(struct letter_in *letter) {
  if (letter->in.status == UNF_OK) unfi_bytes_finish(&letter->in);
  return letter->in.status;
}

static void free_names(unf_context *context, struct letter_names *names) {
  vector_free(context, &names->threads);
  vector_free(context, &names->objects);
  vector_free(context, &names->steps);
  vector_free(context, &names->bytes);
}

void unfi_letter_close(struct letter_in *letter) {
  if (letter->u == NULL) return;
  unf_context *context = letter->u->context;
  if (letter->in.block != NULL) unfi_bytes_close(&letter->in);
  for (uint32_t i = 0; i < letter->kept.count; i++)
    free_names(context, &letter->kept.data[i]);
  vector_free(context, &letter->kept);
  free_names(context, &letter->now);
  vector_free(context, &letter->set);
}

/* Canonical names as text, and fingerprints of events: both made of indices, classes and keys only,
 * never of handles. */
#include "structure/text.h"

#include "base/null.h"
#include "base/text.h"
#include "structure/action.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/names.h"
#include "structure/sets.h"

static const char *const operation_names[] = {
#define NAME(name, text, target) text,
    UNF_OPERATION_TABLE(NAME)
#undef NAME
};

static const char *const action_names[] = {
#define NAME(name, text, target) text,
    UNF_ACTION_TABLE(NAME)
#undef NAME
};

static const char *const halt_names[UNF_HALT_COUNT] = {"assume", "bound", "assert", "undefined"};
static const char *const class_names[] = {
#define NAME(name, text) text,
    UNF_OBJECT_TABLE(NAME)
#undef NAME
};

const char *unf_operation_kind_text(unf_operation_kind kind) {
  return (unsigned)kind < UNF_OPERATION_COUNT ? operation_names[kind] : "?";
}

const char *unf_action_kind_text(unf_action_kind kind) {
  return (unsigned)kind < UNF_ACTION_COUNT ? action_names[kind] : "?";
}

/* What texts are made of: an unfolding, and names of the program or NULL. */
struct naming {
  const unf_unfolding *u;
  const unf_names *names;
};

static void add_thread(struct text *text, const unf_unfolding *u, uint32_t thread) {
  if (thread >= u->threads.count) {
    unfi_text_add(text, thread == UNF_THREAD_NONE ? "-" : "?");
    return;
  }
  /* The path is found from its end; each round finds the next index from the top. */
  uint32_t depth = 0;
  for (uint32_t t = thread; t != UNF_THREAD_NONE; t = u->threads.data[t].parent)
    depth++;
  while (depth-- > 0) {
    uint32_t t = thread;
    for (uint32_t i = 0; i < depth; i++)
      t = u->threads.data[t].parent;
    unfi_text_u64(text, u->threads.data[t].index);
    if (depth > 0) unfi_text_add(text, ".");
  }
}

void unfi_text_object(struct text *text, const unf_unfolding *u, uint32_t object) {
  if (object >= u->objects.count) {
    unfi_text_add(text, "?");
    return;
  }
  const struct object *o = &u->objects.data[object];
  unfi_text_add(text, class_names[o->object_class]);
  unfi_text_add(text, " ");
  add_thread(text, u, o->creator);
  unfi_text_add(text, " ");
  unfi_text_u64(text, o->key);
}

const char *unfi_class_text(unf_object_class object_class) {
  return class_names[object_class];
}

/* Adds what a function of the caller's writes into the rest of the buffer; false: nothing. What it
 * writes ends with the buffer, whatever it says of its length. */
static bool add_named(struct text *text, size_t (*name)(void *, uint32_t, char *, size_t),
                      void *user, uint32_t handle) {
  const bool room = text->length < text->size;
  if (name == NULL) return false;
  const size_t length = name(user, handle, room ? text->buffer + text->length : NULL,
                             room ? text->size - text->length : 0);
  if (text->size > 0) text->buffer[text->size - 1] = '\0';
  if (room && length == 0) text->buffer[text->length] = '\0';
  text->length += length;
  return length > 0;
}

static void name_thread(struct text *text, struct naming n, uint32_t thread) {
  const bool named = n.names != NULL && thread < n.u->threads.count &&
                     add_named(text, n.names->thread, n.names->user, thread);
  if (!named) add_thread(text, n.u, thread);
}

static void name_object(struct text *text, struct naming n, uint32_t object) {
  const bool named = n.names != NULL && object < n.u->objects.count &&
                     add_named(text, n.names->object, n.names->user, object);
  if (!named) unfi_text_object(text, n.u, object);
}

enum { LABEL = 200 };

struct members {
  struct text *text;
  struct naming naming;
  bool first;
};

static bool add_member(void *user, unf_thread thread) {
  struct members *members = user;
  if (!members->first) unfi_text_add(members->text, " ");
  members->first = false;
  name_thread(members->text, members->naming, thread);
  return true;
}

size_t unf_thread_text(const unf_unfolding *u, unf_thread thread, char *buffer, size_t size) {
  struct text text = unfi_text(buffer, size);
  if (u != NULL) add_thread(&text, u, thread);
  return text.length;
}

static void add_target(struct text *text, struct naming n, enum target target, uint32_t handle) {
  if (target == TARGET_THREAD) {
    unfi_text_add(text, n.names != NULL ? " " : " thread ");
    name_thread(text, n, handle);
  } else if (target == TARGET_REASON) {
    unfi_text_add(text, " ");
    unfi_text_add(text, handle < UNF_HALT_COUNT ? halt_names[handle] : "?");
  } else if (is_object(target)) {
    unfi_text_add(text, " ");
    name_object(text, n, handle);
  }
}

static void add_second(struct text *text, struct naming n, enum second second, uint32_t handle) {
  static const char *const relations[] = {
#define NAME(name, text) text,
      UNF_RELATION_TABLE(NAME)
#undef NAME
  };
  add_target(text, n, second_target(second), handle);
  if (second == SECOND_RELATION) {
    unfi_text_add(text, " ");
    unfi_text_add(text, handle < UNF_RELATION_COUNT ? relations[handle] : "?");
  }
  if (second != SECOND_FAMILY) return;
  unfi_text_add(text, " ");
  unfi_text_add(text, handle < n.u->customs.count ? n.u->customs.data[handle].name : "?");
}

static void add_value(struct text *text, struct naming n, enum value sort, int64_t value) {
  struct members members = {text, n, true};
  switch (sort) {
  case VALUE_NONE:
    return;
  case VALUE_NUMBER:
    unfi_text_add(text, " ");
    unfi_text_i64(text, value);
    return;
  case VALUE_THREAD:
    unfi_text_add(text, " ");
    if (value == UNF_LOST)
      unfi_text_add(text, "lost");
    else
      name_thread(text, n, (uint32_t)value);
    return;
  case VALUE_THREADS:
  case VALUE_CHOSEN:
    unfi_text_add(text, " {");
    unf_thread_set_members(n.u, value, add_member, &members);
    unfi_text_add(text, "}");
  }
}

/* What a family of the front-end's own says of an action, for people. */
static bool add_label(struct text *text, struct naming n, const unf_action *action) {
  char label[LABEL] = "";
  if (n.names == NULL || action->kind != UNF_DID_CUSTOM || action->second >= n.u->customs.count)
    return false;
  const unf_effect *effect = &n.u->customs.data[action->second].effect;
  if (effect->label != NULL) effect->label(effect->user, action, label, sizeof label);
  if (label[0] == '\0') return false;
  label[LABEL - 1] = '\0';
  name_object(text, n, action->target);
  unfi_text_add(text, " ");
  unfi_text_add(text, label);
  return true;
}

/* An action without its thread, behind what the text has. */
static void add_action(struct text *text, struct naming n, const unf_action *action) {
  if (add_label(text, n, action)) return;
  unfi_text_add(text, unf_action_kind_text(action->kind));
  if ((unsigned)action->kind >= UNF_ACTION_COUNT) return;
  const struct action_row *row = &n.u->effects->actions[action->kind];
  add_target(text, n, row->target, action->target);
  add_second(text, n, row->second, action->second);
  add_value(text, n, row->value, action->value);
}

size_t unf_action_text(const unf_unfolding *u, const unf_action *action, char *buffer,
                       size_t size) {
  struct text text = unfi_text(buffer, size);
  if (u == NULL || action == NULL) return 0;
  add_thread(&text, u, action->thread);
  unfi_text_add(&text, " ");
  add_action(&text, (struct naming){u, NULL}, action);
  return text.length;
}

size_t unf_action_label(const unf_unfolding *u, const unf_names *names, const unf_action *action,
                        char *buffer, size_t size) {
  struct text text = unfi_text(buffer, size);
  if (u == NULL || action == NULL || (names != NULL && names->size != sizeof *names)) return 0;
  add_action(&text, (struct naming){u, names}, action);
  return text.length;
}

size_t unf_thread_label(const unf_unfolding *u, const unf_names *names, unf_thread thread,
                        char *buffer, size_t size) {
  struct text text = unfi_text(buffer, size);
  if (u == NULL || (names != NULL && names->size != sizeof *names)) return 0;
  name_thread(&text, (struct naming){u, names}, thread);
  return text.length;
}

static void add_numbers(struct text *text, enum numbers numbers, const unf_operation *operation) {
  if (numbers == NUMBERS_NONE) return;
  unfi_text_add(text, " ");
  unfi_text_i64(text, operation->low);
  if (numbers == NUMBERS_LOW) return;
  unfi_text_add(text, " ");
  unfi_text_i64(text, operation->high);
}

size_t unf_operation_text(const unf_unfolding *u, const unf_operation *operation, char *buffer,
                          size_t size) {
  const struct naming n = {u, NULL};
  struct text text = unfi_text(buffer, size);
  if (u == NULL || operation == NULL) return 0;
  unfi_text_add(&text, unf_operation_kind_text(operation->kind));
  if ((unsigned)operation->kind >= UNF_OPERATION_COUNT) return text.length;
  const struct operation_row *row = &u->effects->operations[operation->kind];
  add_target(&text, n, row->target, operation->target);
  add_second(&text, n, row->second, operation->second);
  add_numbers(&text, row->numbers, operation);
  return text.length;
}

static uint64_t thread_name(const unf_unfolding *u, uint32_t thread) {
  uint64_t hash = 0x5448;
  for (uint32_t t = thread; t < u->threads.count; t = u->threads.data[t].parent)
    hash = mix(hash, (uint64_t)u->threads.data[t].index + 1);
  return hash;
}

static uint64_t object_name(const unf_unfolding *u, uint32_t object) {
  const struct object *o = &u->objects.data[object];
  return mix(o->object_class, mix(thread_name(u, o->creator), o->key));
}

static uint64_t word_hash(const char *word) {
  uint64_t hash = 0;
  while (*word != '\0')
    hash = mix(hash, (unsigned char)*word++);
  return hash;
}

/* By a sum, because the order of members is one of handles. */
static uint64_t set_name(const unf_unfolding *u, int64_t set) {
  uint32_t count;
  const uint32_t *members = unfi_set(u, set, &count);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; i++)
    sum += thread_name(u, members[i]);
  return sum;
}

static uint64_t action_name(const unf_unfolding *u, const struct action *a) {
  uint64_t hash = mix(thread_name(u, a->thread), a->kind);
  const struct action_row *row = &u->effects->actions[a->kind];
  if (row->target == TARGET_THREAD) hash = mix(hash, thread_name(u, a->target));
  if (is_object(row->target)) hash = mix(hash, object_name(u, a->target));
  if (is_object(second_target(row->second))) hash = mix(hash, object_name(u, a->second));
  if (row->second == SECOND_FAMILY) hash = mix(hash, word_hash(u->customs.data[a->second].name));
  if (row->value == VALUE_THREADS) return hash;
  if (row->value == VALUE_CHOSEN) return mix(hash, set_name(u, a->value));
  bool names_thread = row->value == VALUE_THREAD && a->value != UNF_LOST;
  return mix(hash, names_thread ? thread_name(u, (uint32_t)a->value) : (uint64_t)a->value);
}

/* The predecessors' fingerprints enter by sums, because their order is one of handles. */
static bool add_fingerprint(unf_unfolding *u) {
  uint32_t event = u->store.fingerprints.count / 2;
  if (!vector_reserve(u->context, &u->store.fingerprints,
                      (uint64_t)u->store.fingerprints.count + 2))
    return false;
  uint64_t low = 0, high = 0;
  if (event > 0) {
    uint32_t bound = unfi_predecessor_bound(u, event);
    if (!vector_reserve(u->context, &u->store.row_room, bound)) return false;
    uint32_t count = unfi_predecessors(u, event, u->store.row_room.data);
    for (uint32_t i = 0; i < count; i++) {
      uint32_t before = u->store.row_room.data[i];
      low += mix(u->store.fingerprints.data[2 * before], 1);
      high += mix(u->store.fingerprints.data[2 * before + 1], 2);
    }
    uint64_t name = action_name(u, action_of(u, event));
    low = mix(low, name);
    high = mix(high ^ 0x9E3779B97F4A7C15u, name);
  }
  vector_push(&u->store.fingerprints, low);
  vector_push(&u->store.fingerprints, high);
  return true;
}

unf_status unf_event_fingerprint(unf_unfolding *u, unf_event event, uint64_t out[2]) {
  RETURN_IF_NULL(u->context, u, out);
  if (!known_event(u, event)) return unfi_fail(u->context, UNF_UNKNOWN, "event");
  while (u->store.fingerprints.count / 2 <= event)
    if (!add_fingerprint(u)) return unfi_refused(u->context);
  out[0] = u->store.fingerprints.data[2 * event];
  out[1] = u->store.fingerprints.data[2 * event + 1];
  return UNF_OK;
}

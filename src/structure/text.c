/* Canonical names as text, and fingerprints of events: both made of indices, classes and keys only,
 * never of handles. */
#include "base/text.h"

#include "structure/effect.h"

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
static const char *const class_names[UNF_OBJECT_CLASS_COUNT] = {"mutex"};

const char *unf_operation_kind_text(unf_operation_kind kind) {
  return (unsigned)kind < UNF_OPERATION_COUNT ? operation_names[kind] : "?";
}

const char *unf_action_kind_text(unf_action_kind kind) {
  return (unsigned)kind < UNF_ACTION_COUNT ? action_names[kind] : "?";
}

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

static void add_object(struct text *text, const unf_unfolding *u, uint32_t object) {
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

size_t unf_thread_text(const unf_unfolding *u, unf_thread thread, char *buffer, size_t size) {
  struct text text = unfi_text(buffer, size);
  add_thread(&text, u, thread);
  return text.length;
}

size_t unf_action_text(const unf_unfolding *u, const unf_action *action, char *buffer,
                       size_t size) {
  struct text text = unfi_text(buffer, size);
  add_thread(&text, u, action->thread);
  unfi_text_add(&text, " ");
  unfi_text_add(&text, unf_action_kind_text(action->kind));
  if ((unsigned)action->kind >= UNF_ACTION_COUNT) return text.length;
  const struct action_row *row = &u->effects->actions[action->kind];
  if (row->on_thread) {
    unfi_text_add(&text, " thread ");
    add_thread(&text, u, action->target);
  } else if (row->access != ACCESS_NONE) {
    unfi_text_add(&text, " ");
    add_object(&text, u, action->target);
  }
  if (action->kind == UNF_DID_LOCAL) {
    unfi_text_add(&text, " ");
    unfi_text_i64(&text, action->value);
  }
  return text.length;
}

size_t unf_operation_text(const unf_unfolding *u, const unf_operation *operation, char *buffer,
                          size_t size) {
  struct text text = unfi_text(buffer, size);
  unfi_text_add(&text, unf_operation_kind_text(operation->kind));
  if ((unsigned)operation->kind >= UNF_OPERATION_COUNT) return text.length;
  const struct operation_row *row = &u->effects->operations[operation->kind];
  if (row->on_thread) {
    unfi_text_add(&text, " thread ");
    add_thread(&text, u, operation->target);
  } else if (row->on_object) {
    unfi_text_add(&text, " ");
    add_object(&text, u, operation->target);
  } else if (operation->kind == UNF_HALT) {
    unfi_text_add(&text, " ");
    unfi_text_add(&text, operation->target < UNF_HALT_COUNT ? halt_names[operation->target] : "?");
  } else if (operation->kind == UNF_LOCAL) {
    unfi_text_add(&text, " ");
    unfi_text_i64(&text, operation->low);
    unfi_text_add(&text, " ");
    unfi_text_i64(&text, operation->high);
  }
  return text.length;
}

static uint64_t thread_name(const unf_unfolding *u, uint32_t thread) {
  uint64_t hash = 0x5448;
  for (uint32_t t = thread; t < u->threads.count; t = u->threads.data[t].parent)
    hash = mix(hash, (uint64_t)u->threads.data[t].index + 1);
  return hash;
}

static uint64_t action_name(const unf_unfolding *u, const struct action *a) {
  uint64_t hash = mix(thread_name(u, a->thread), a->kind);
  const struct action_row *row = &u->effects->actions[a->kind];
  if (row->on_thread) {
    hash = mix(hash, thread_name(u, a->target));
  } else if (row->access != ACCESS_NONE) {
    const struct object *o = &u->objects.data[a->target];
    hash = mix(mix(hash, o->object_class), mix(thread_name(u, o->creator), o->key));
  }
  return mix(hash, (uint64_t)a->value);
}

/* The predecessors' fingerprints enter by sums, because their order is one of handles. */
static bool add_fingerprint(unf_unfolding *u) {
  uint32_t event = u->fingerprints.count / 2;
  if (!vector_reserve(u->context, &u->fingerprints, (uint64_t)u->fingerprints.count + 2))
    return false;
  uint64_t low = 0, high = 0;
  if (event > 0) {
    uint32_t bound = unfi_predecessor_bound(u, event);
    if (!vector_reserve(u->context, &u->scratch_reads, bound)) return false;
    uint32_t count = unfi_predecessors(u, event, u->scratch_reads.data);
    for (uint32_t i = 0; i < count; i++) {
      uint32_t before = u->scratch_reads.data[i];
      low += mix(u->fingerprints.data[2 * before], 1);
      high += mix(u->fingerprints.data[2 * before + 1], 2);
    }
    uint64_t name = action_name(u, action_of(u, event));
    low = mix(low, name);
    high = mix(high ^ 0x9E3779B97F4A7C15u, name);
  }
  vector_push(&u->fingerprints, low);
  vector_push(&u->fingerprints, high);
  return true;
}

unf_status unf_event_fingerprint(unf_unfolding *u, unf_event event, uint64_t out[2]) {
  if (!known_event(u, event)) return unfi_fail(u->context, UNF_UNKNOWN, "event", NULL, NULL);
  while (u->fingerprints.count / 2 <= event)
    if (!add_fingerprint(u)) return unfi_refused(u->context);
  out[0] = u->fingerprints.data[2 * event];
  out[1] = u->fingerprints.data[2 * event + 1];
  return UNF_OK;
}

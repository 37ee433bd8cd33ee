/* Events by the names of the program, and not by the canonical ones, for pictures of them. */
#include <inttypes.h>
#include <string.h>

#include "model.h"
#include "story.h"

enum { EVENTS_MOST = 1000 };

enum target { TARGET_NONE, TARGET_THREAD, TARGET_OBJECT };

/* What the target of an action is. */
static enum target target_of(unf_action_kind kind) {
  switch (kind) {
  case UNF_DID_LOCAL:
  case UNF_DID_BRANCH:
    return TARGET_NONE;
  case UNF_DID_CREATE:
  case UNF_DID_JOIN:
    return TARGET_THREAD;
  default:
    return TARGET_OBJECT;
  }
}

/* The name of the object in the program. */
static void object_name(const struct session *s, unf_object object, char name[NAME_SIZE]) {
  static const enum symbol_kind kinds[UNF_OBJECT_CLASS_COUNT] = {
      [UNF_MUTEX] = SYMBOL_MUTEX,     [UNF_CONDITION] = SYMBOL_COND,
      [UNF_RWLOCK] = SYMBOL_RWLOCK,   [UNF_SEMAPHORE] = SYMBOL_SEMAPHORE,
      [UNF_BARRIER] = SYMBOL_BARRIER, [UNF_LOCATION] = SYMBOL_ATOMIC,
      [UNF_CUSTOM] = SYMBOL_KINDS,    [UNF_FUTEX] = SYMBOL_ATOMIC};
  unf_object_class class;
  uint64_t key;
  unf_object_describe(s->unfolding, object, &class, NULL, &key);
  if (class == UNF_BARRIER) key %= s->program.count[SYMBOL_BARRIER]; /* it is one of its rounds */
  describe_name(s, kinds[class], (uint32_t)key, name);
}

struct members {
  const struct session *session;
  char *buffer;
  size_t size, length;
};

static bool add_member(void *user, unf_thread thread) {
  struct members *m = user;
  char name[NAME_SIZE];
  describe_name(m->session, SYMBOL_THREAD, thread, name);
  if (m->length < m->size)
    m->length += (size_t)snprintf(m->buffer + m->length, m->size - m->length, " %s", name);
  return true;
}

/* What an action has beside its kind and its target, with a space before it. */
static void value_text(const struct session *s, const unf_action *action, char *buffer,
                       size_t size) {
  struct members members = {s, buffer, size, 0};
  buffer[0] = '\0';
  switch (action->kind) {
  case UNF_DID_LOCAL:
  case UNF_DID_BRANCH:
    snprintf(buffer, size, " %" PRId64, action->value);
    break;
  case UNF_DID_SIGNAL:
    if (action->value == UNF_LOST)
      snprintf(buffer, size, " lost");
    else
      add_member(&members, (unf_thread)action->value);
    break;
  case UNF_DID_BROADCAST:
  case UNF_DID_FUTEX_WAKE:
  case UNF_DID_FUTEX_WAKE_ALL:
    unf_thread_set_members(s->unfolding, action->value, add_member, &members);
    break;
  default:
    break;
  }
}

/* An event without what it has to do with others. */
static json_t *describe_event(const struct session *s, unf_event event) {
  char thread[NAME_SIZE], target[NAME_SIZE] = "", value[TEXT_SIZE], place[TEXT_SIZE];
  unf_action action;
  uint64_t cookie = 0;
  if (unf_event_action(s->unfolding, event, &action) != UNF_OK) return NULL;
  unf_event_cookie(s->unfolding, event, &cookie);
  const enum target kind = target_of(action.kind);
  describe_name(s, SYMBOL_THREAD, action.thread, thread);
  if (kind == TARGET_THREAD) describe_name(s, SYMBOL_THREAD, action.target, target);
  if (kind == TARGET_OBJECT) object_name(s, action.target, target);
  value_text(s, &action, value, sizeof value);
  json_t *entry = json_pack("{s:s, s:o}", "thread", thread, "label",
                            json_sprintf("%s%s%s%s", unf_action_kind_text(action.kind),
                                         target[0] != '\0' ? " " : "", target, value));
  if (kind == TARGET_OBJECT) json_object_set_new(entry, "object", json_string(target));
  const struct place at = {(uint32_t)(cookie >> 32), (uint32_t)cookie};
  if (cookie == 0) return entry;
  describe_place(s, at, place, sizeof place);
  json_object_set_new(entry, "place", json_string(place));
  if (entry != NULL) story_place(entry, 0, at.line);
  return entry;
}

json_t *describe_events(const struct session *s) {
  unf_cutoffs *cutoffs = s->explorer != NULL ? unf_explorer_cutoffs(s->explorer) : NULL;
  const uint32_t total = unf_unfolding_events(s->unfolding);
  json_t *events = json_array();
  bool good = events != NULL;
  for (unf_event e = 1; good && e <= total && e <= EVENTS_MOST; e++) {
    unf_cutoff_verdict verdict;
    json_t *entry = story_event(s->unfolding, e, describe_event(s, e));
    const bool cut = entry != NULL && cutoffs != NULL &&
                     unf_cutoffs_verdict(cutoffs, e, &verdict) == UNF_OK &&
                     verdict == UNF_CUTOFF_IS;
    if (cut) json_object_set_new(entry, "cutoff", json_true());
    good = json_array_append_new(events, entry) == 0;
  }
  if (good)
    return json_pack("{s:o, s:I, s:I}", "events", events, "total", (json_int_t)total, "freed",
                     (json_int_t)s->result.counts.collected);
  json_decref(events);
  return NULL;
}

/* Events by the names of the program, and not by the canonical ones, for pictures of them. */
#include "events.h"

#include <stdio.h>

#include "action.h"
#include "blocked.h"
#include "story.h"

enum { EVENTS_MOST = 1000 };

/* The name of the object in the program. */
static void object_name(const struct session *s, unf_object object, char name[NAME_SIZE]) {
  static const enum symbol_kind kinds[UNF_OBJECT_CLASS_COUNT] = {
      [UNF_MUTEX] = SYMBOL_MUTEX,     [UNF_CONDITION] = SYMBOL_COND,
      [UNF_RWLOCK] = SYMBOL_RWLOCK,   [UNF_SEMAPHORE] = SYMBOL_SEMAPHORE,
      [UNF_BARRIER] = SYMBOL_BARRIER, [UNF_LOCATION] = SYMBOL_ATOMIC,
      [UNF_CUSTOM] = SYMBOL_CHANNEL,  [UNF_FUTEX] = SYMBOL_ATOMIC};
  unf_object_class class;
  uint64_t key;
  unf_object_describe(s->unfolding, object, &class, NULL, &key);
  if (class == UNF_BARRIER) key %= s->program.count[SYMBOL_BARRIER]; /* it is one of its rounds */
  describe_name(s, kinds[class], (uint32_t)key, name);
}

static size_t copy(const char *name, char *buffer, size_t size) {
  return (size_t)snprintf(buffer, size, "%s", name);
}

static size_t name_thread(void *session, unf_thread thread, char *buffer, size_t size) {
  char name[NAME_SIZE];
  describe_name(session, SYMBOL_THREAD, thread, name);
  return copy(name, buffer, size);
}

static size_t name_object(void *session, unf_object object, char *buffer, size_t size) {
  char name[NAME_SIZE];
  object_name(session, object, name);
  return copy(name, buffer, size);
}

static const char *fact_of(struct session *s, unf_event event, char *text, size_t size) {
  knowledge_fact_text(&s->inputs.knowledge, event, text, size);
  return text;
}

/* A branch on inputs is what it decided. */
static size_t name_event(void *session, unf_event event, char *buffer, size_t size) {
  struct session *s = session;
  char fact[TEXT_SIZE], text[TEXT_SIZE];
  unf_action action;
  if (!s->inputs.open || unf_event_action(s->unfolding, event, &action) != UNF_OK ||
      action.kind != UNF_DID_BRANCH)
    return 0;
  story_branch_text(true, fact_of(s, event, fact, sizeof fact), text, sizeof text);
  return copy(text, buffer, size);
}

unf_names session_names(struct session *s) {
  unf_names names = UNF_NAMES_INIT;
  names.user = s;
  names.thread = name_thread;
  names.object = name_object;
  names.event = name_event;
  return names;
}

/* An event without what it has to do with others. */
static json_t *describe_event(struct session *s, unf_event event) {
  char thread[NAME_SIZE], object[NAME_SIZE], label[TEXT_SIZE], place[TEXT_SIZE];
  const unf_names names = session_names(s);
  unf_action action;
  uint64_t cookie = 0;
  if (unf_event_action(s->unfolding, event, &action) != UNF_OK) return NULL;
  unf_event_cookie(s->unfolding, event, &cookie);
  describe_name(s, SYMBOL_THREAD, action.thread, thread);
  unf_action_label(s->unfolding, &names, &action, label, sizeof label);
  json_t *entry = json_pack("{s:s, s:s}", "thread", thread, "label", label);
  if (story_has_object(action.kind)) {
    object_name(s, action.target, object);
    json_object_set_new(entry, "object", json_string(object));
  }
  if (action.kind == UNF_DID_BRANCH && s->inputs.open)
    story_branch(entry, fact_of(s, event, label, sizeof label));
  const struct place at = {(uint32_t)(cookie >> 32), (uint32_t)cookie};
  if (cookie == 0) return entry;
  describe_place(s, at, place, sizeof place);
  json_object_set_new(entry, "place", json_string(place));
  if (entry != NULL) story_place(entry, 0, at.line);
  return entry;
}

json_t *describe_events(struct session *s) {
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
  json_t *list = good ? json_pack("{s:O, s:I, s:I}", "events", events, "total", (json_int_t)total,
                                  "freed", (json_int_t)s->result.counts.collected)
                      : NULL;
  if (list != NULL && cli_shares(&s->options))
    json_object_set_new(list, "why", json_string("Each process has events of its own."));
  json_decref(events);
  return list;
}

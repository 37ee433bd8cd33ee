/* Actions as calls, in names of the program. */
#include "action.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <text.h>

#include "story.h"

enum { NAME_SIZE = 512 };

/* An action as a call, and whether that has several events; `failed`: what comes of it then. */
struct action_word {
  const char *call;
  bool several;
  const char *failed;
};

static const struct action_word words[UNF_ACTION_COUNT] = {
    [UNF_DID_LOCAL] = {"choose", false, NULL},
    [UNF_DID_CREATE] = {"create", false, NULL},
    [UNF_DID_JOIN] = {"join", false, NULL},
    [UNF_DID_ACQUIRE] = {"lock", false, NULL},
    [UNF_DID_RELEASE] = {"unlock", false, NULL},
    [UNF_DID_TRYFAIL] = {"trylock", false, "failed"},
    [UNF_DID_WAIT] = {"wait", true, NULL},
    [UNF_DID_WAKE] = {"wait", true, NULL},
    [UNF_DID_TIMEOUT] = {"wait", true, NULL},
    [UNF_DID_SIGNAL] = {"signal", false, NULL},
    [UNF_DID_BROADCAST] = {"broadcast", false, NULL},
    [UNF_DID_RDLOCK] = {"read lock", false, NULL},
    [UNF_DID_RDUNLOCK] = {"read unlock", false, NULL},
    [UNF_DID_RDFAIL] = {"try read lock", false, "failed"},
    [UNF_DID_WRLOCK] = {"write lock", false, NULL},
    [UNF_DID_WRUNLOCK] = {"write unlock", false, NULL},
    [UNF_DID_WRFAIL] = {"try write lock", false, "failed"},
    [UNF_DID_POST] = {"post", false, NULL},
    [UNF_DID_SEM_WAIT] = {"semaphore wait", false, NULL},
    [UNF_DID_SEM_FAIL] = {"semaphore try", false, "failed"},
    [UNF_DID_ARRIVE] = {"barrier wait", true, NULL},
    [UNF_DID_PASS] = {"barrier wait", true, NULL},
    [UNF_DID_READ] = {"read", false, NULL},
    [UNF_DID_WRITE] = {"write", false, NULL},
    [UNF_DID_ADD] = {"add", false, NULL},
    [UNF_DID_CUSTOM] = {"custom", false, NULL},
    [UNF_DID_FUTEX_WAIT] = {"futex wait", true, NULL},
    [UNF_DID_FUTEX_AGAIN] = {"futex wait", true, NULL},
    [UNF_DID_FUTEX_RETURN] = {"futex wait", true, NULL},
    [UNF_DID_FUTEX_TIMEOUT] = {"futex wait", true, NULL},
    [UNF_DID_FUTEX_WAKE] = {"futex wake", false, NULL},
    [UNF_DID_FUTEX_WAKE_ALL] = {"futex wake", false, NULL},
    [UNF_DID_BRANCH] = {"branch", false, NULL},
};

bool story_has_object(unf_action_kind kind) {
  return kind != UNF_DID_LOCAL && kind != UNF_DID_BRANCH && kind != UNF_DID_CREATE &&
         kind != UNF_DID_JOIN;
}

/* What it is about: a thread, an object, or a value. */
static void target_text(const unf_unfolding *u, const unf_names *names, const unf_action *action,
                        char *text, size_t size) {
  if (story_has_object(action->kind))
    names->object(names->user, action->target, text, size);
  else if (action->kind == UNF_DID_CREATE || action->kind == UNF_DID_JOIN)
    unf_thread_label(u, names, action->target, text, size);
  else
    snprintf(text, size, "%" PRId64, action->value);
}

struct label_list {
  const unf_unfolding *unfolding;
  const unf_names *names;
  json_t *list;
};

static bool add_name(void *user, unf_thread thread) {
  const struct label_list *naming = user;
  char name[NAME_SIZE];
  unf_thread_label(naming->unfolding, naming->names, thread, name, sizeof name);
  return json_array_append_new(naming->list, cli_json_text(name)) == 0;
}

/* The threads that a notification notified; NULL: it is none. */
static json_t *notified(const unf_unfolding *u, const unf_names *names, const unf_action *action) {
  struct label_list naming = {u, names, NULL};
  switch (action->kind) {
  case UNF_DID_SIGNAL:
    naming.list = json_array();
    if (action->value != UNF_LOST) add_name(&naming, (unf_thread)action->value);
    break;
  case UNF_DID_BROADCAST:
  case UNF_DID_FUTEX_WAKE:
  case UNF_DID_FUTEX_WAKE_ALL:
    naming.list = json_array();
    unf_thread_set_members(u, action->value, add_name, &naming);
    break;
  default:
    break;
  }
  return naming.list;
}

json_t *story_action(const unf_unfolding *u, const unf_names *names, const unf_action *action) {
  char thread[NAME_SIZE], target[NAME_SIZE], operation[2 * NAME_SIZE];
  const struct action_word *word = &words[action->kind];
  unf_thread_label(u, names, action->thread, thread, sizeof thread);
  target_text(u, names, action, target, sizeof target);
  snprintf(operation, sizeof operation, "%s(%s)", word->call, target);
  json_t *list = notified(u, names, action);
  json_t *entry = json_pack("{s:o, s:o, s:s}", "thread", cli_json_text(thread), "operation",
                            cli_json_text(operation), "event", unf_action_kind_text(action->kind));
  if (word->several) json_object_set_new(entry, "several", json_true());
  if (word->failed != NULL) json_object_set_new(entry, "result", json_string(word->failed));
  if (list != NULL) json_object_set_new(entry, "notified", list);
  return entry;
}

/* Whether a text is one pair of parentheses with what stands in it. */
static bool is_enclosed(const char *text, size_t length) {
  size_t depth = 0;
  if (length < 2 || text[0] != '(') return false;
  for (size_t i = 0; i + 1 < length; i++) {
    depth += text[i] == '(';
    depth -= text[i] == ')';
    if (depth == 0) return false;
  }
  return text[length - 1] == ')';
}

void story_branch_text(bool event, const char *fact, char *text, size_t size) {
  size_t length = strlen(fact);
  if (is_enclosed(fact, length)) {
    fact++;
    length -= 2;
  }
  snprintf(text, size, event ? "branch %.*s" : "branch(%.*s)", (int)length, fact);
}

void story_branch(json_t *entry, const char *fact) {
  char text[2 * NAME_SIZE];
  const bool event = json_object_get(entry, "label") != NULL;
  story_branch_text(event, fact, text, sizeof text);
  json_object_set_new(entry, event ? "label" : "operation", cli_json_text(text));
}

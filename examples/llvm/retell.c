/* --report: executions are told while they are at hand. Their steps are the explorer's, and where
 * these stand in the source was stored with the events. */
#include "retell.h"

#include <stdlib.h>
#include <string.h>

#include "action.h"
#include "code.h"
#include "coverage.h"
#include "describe.h"
#include "knowledge.h"
#include "machine.h"
#include "options.h"
#include "story.h"
#include "sym.h"
#include "sync.h"
#include "text.h"
#include "write.h"

enum { TEXT_SIZE = 600, EVENTS_MOST = 1000, FACT_SIZE = 160 };

/* A file of the program, and the lines that are shown. */
struct shown {
  uint32_t text, first, last;
};

struct retelling {
  struct report page;
  struct shown *shown;
  size_t shown_count;
};

static void no_memory(struct sym *s) {
  if (!s->refused) cli_say(stderr, "unfold-sym: no memory for the report");
  s->refused = true;
}

bool sym_retell_open(struct sym *s) {
  if (s->options.report == NULL) return true;
  s->retelling = calloc(1, sizeof *s->retelling);
  if (s->retelling == NULL) no_memory(s);
  return s->retelling != NULL;
}

static void clear(struct retelling *r) {
  report_free(&r->page);
  free(r->shown);
  r->shown = NULL;
  r->shown_count = 0;
}

void sym_retell_close(struct sym *s) {
  if (s->retelling == NULL) return;
  clear(s->retelling);
  free(s->retelling);
  s->retelling = NULL;
}

void sym_retell_begin(struct sym *s) {
  if (s->retelling == NULL) return;
  clear(s->retelling);
  report_begin(&s->retelling->page);
}

/* ---- places and names ---- */

/* The number of the source of a place; false: no memory. */
static bool find_source(struct retelling *r, uint32_t text, uint32_t line, size_t *number) {
  for (*number = 0; *number < r->shown_count && r->shown[*number].text != text; ++*number)
    continue;
  if (*number == r->shown_count) {
    struct shown *shown = realloc(r->shown, (r->shown_count + 1) * sizeof *shown);
    if (shown == NULL) return false;
    r->shown = shown;
    r->shown[r->shown_count++] = (struct shown){text, line, line};
  }
  struct shown *shown = &r->shown[*number];
  if (line < shown->first) shown->first = line;
  if (line > shown->last) shown->last = line;
  return true;
}

static void say_place(struct sym *s, uint64_t place, json_t *entry) {
  char text[TEXT_SIZE];
  size_t source;
  if ((uint32_t)place == 0) return;
  sym_place_text(s, place, text, sizeof text);
  json_object_set_new(entry, "place", cli_json_text(text));
  if (entry != NULL && find_source(s->retelling, (uint32_t)(place >> 32), (uint32_t)place, &source))
    story_place(entry, source, (uint32_t)place);
}

static size_t name_object(void *user, unf_object object, char *text, size_t size) {
  struct sym *s = user;
  char name[TEXT_SIZE];
  unf_object_class kind;
  uint64_t key;
  if (unf_object_describe(s->unfolding, object, &kind, NULL, &key) != UNF_OK) return 0;
  sym_address_text(s, key & ((UINT64_C(1) << MACHINE_KEY_BITS) - 1), name, sizeof name);
  return (size_t)snprintf(text, size, "%s", name);
}

static unf_names names_of(struct sym *s) {
  unf_names names = UNF_NAMES_INIT;
  names.user = s;
  names.object = name_object;
  return names;
}

/* ---- executions ---- */

struct telling {
  struct sym *s;
  struct story story;
  unf_names names;
};

static void say_branch(const struct sym *s, unf_event event, const unf_action *action,
                       json_t *entry) {
  char fact[FACT_SIZE];
  if (action->kind != UNF_DID_BRANCH) return;
  knowledge_fact_text(&s->knowledge, event, fact, sizeof fact);
  story_branch(entry, fact);
}

static bool tell_step(void *user, unf_event event) {
  struct telling *t = user;
  const unf_unfolding *u = t->s->unfolding;
  unf_action action;
  uint64_t place = 0;
  if (unf_event_action(u, event, &action) != UNF_OK) return false;
  unf_event_cookie(u, event, &place);
  json_t *step = story_action(u, &t->names, &action);
  say_branch(t->s, event, &action, step);
  say_place(t->s, place, step);
  story_step(&t->story, u, event, step);
  return !t->story.failed;
}

static json_t *describe_access(struct sym *s, const unf_access *a) {
  char name[TEXT_SIZE], operation[TEXT_SIZE];
  unf_thread_text(s->unfolding, a->thread, name, sizeof name);
  sym_access_text(s, a, operation, sizeof operation);
  json_t *access = json_pack("{s:s, s:o}", "thread", name, "operation", cli_json_text(operation));
  say_place(s, a->place, access);
  return access;
}

/* Both accesses of a race; null: there is none. NULL: no memory. */
static json_t *tell_accesses(struct telling *t, const unf_race *race, uint64_t number) {
  unf_event first, second;
  if (race == NULL) return json_null();
  json_t *list = json_array();
  if (unf_races_after(t->s->races, number, &first, &second) == UNF_OK &&
      story_access(&t->story, list, first, describe_access(t->s, &race->first)) &&
      story_access(&t->story, list, second, describe_access(t->s, &race->second)))
    return list;
  json_decref(list);
  return NULL;
}

static bool add_blocked(struct telling *t, unf_configuration *c, unf_thread thread, json_t *list) {
  char name[TEXT_SIZE];
  unf_thread_text(t->s->unfolding, thread, name, sizeof name);
  return story_blocked_in(&t->story, list, c, thread, name);
}

/* The threads that are blocked at the end. NULL: no memory. */
static json_t *tell_blocked(struct telling *t) {
  struct sym *s = t->s;
  unf_configuration *c = NULL;
  json_t *list = json_array();
  bool good = list != NULL && unf_configuration_new(s->unfolding, &c) == UNF_OK &&
              unf_explorer_configuration(s->explorer, c) == UNF_OK;
  for (uint32_t i = 0; good && i < s->machine.thread_count; i++)
    if (s->machine.threads[i] != NULL && s->machine.threads[i]->standing == STANDS_AT_OPERATION)
      good = add_blocked(t, c, i, list);
  unf_configuration_free(c);
  if (good) return list;
  json_decref(list);
  return NULL;
}

/* What the threads begin with; functions of a library of our own are none of the program. */
static void note_functions(struct sym *s) {
  char name[TEXT_SIZE];
  for (uint32_t i = 0; i < s->machine.thread_count; i++) {
    const struct thread *t = s->machine.threads[i];
    if (t == NULL || t->standing == STANDS_NOWHERE) continue;
    const struct function *function = &s->code.functions[t->begins];
    unf_thread_text(s->unfolding, t->handle, name, sizeof name);
    if (!function->library) report_function(&s->retelling->page, name, function->name);
  }
}

void sym_retell_keep(struct sym *s, const unf_race *race, uint64_t number) {
  if (s->retelling == NULL) return;
  struct report *page = &s->retelling->page;
  if (s->result.defects.count > REPORT_DEFECTS) {
    if (json_array_append_new(page->executions, report_untold_many()) != 0) no_memory(s);
    return;
  }
  struct telling t = {.s = s, .names = names_of(s)};
  note_functions(s);
  story_begin(&t.story);
  unf_explorer_path(s->explorer, tell_step, &t);
  json_t *told = json_pack("{s:o, s:o, s:o, s:{s:s}}", "steps", story_steps(&t.story), "accesses",
                           tell_accesses(&t, race, number), "blocked", tell_blocked(&t), "deciding",
                           "why", "unfold-sym does not look for the step that decided");
  story_free(&t.story);
  if (json_array_append_new(page->executions, told) != 0) no_memory(s);
}

/* ---- the unfolding, and the page ---- */

static json_t *describe_event(struct sym *s, const unf_names *names, unf_event event) {
  char thread[TEXT_SIZE], label[TEXT_SIZE], object[TEXT_SIZE];
  const unf_unfolding *u = s->unfolding;
  unf_action action;
  uint64_t place = 0;
  if (unf_event_action(u, event, &action) != UNF_OK) return NULL;
  unf_event_cookie(u, event, &place);
  unf_thread_text(u, action.thread, thread, sizeof thread);
  unf_action_label(u, names, &action, label, sizeof label);
  json_t *entry = json_pack("{s:s, s:o}", "thread", thread, "label", cli_json_text(label));
  if (story_has_object(action.kind)) {
    name_object(s, action.target, object, sizeof object);
    json_object_set_new(entry, "object", cli_json_text(object));
  }
  say_branch(s, event, &action, entry);
  say_place(s, place, entry);
  return entry;
}

void sym_retell_events(struct sym *s) {
  if (s->retelling == NULL || s->unfolding == NULL) return;
  struct report *page = &s->retelling->page;
  const unf_names names = names_of(s);
  const uint32_t total = unf_unfolding_events(s->unfolding);
  json_t *events = json_array();
  char name[TEXT_SIZE];
  bool good = events != NULL;
  for (unf_event e = 1; good && e <= total && e <= EVENTS_MOST; e++)
    good = json_array_append_new(events,
                                 story_event(s->unfolding, e, describe_event(s, &names, e))) == 0;
  json_decref(page->unfolding);
  page->unfolding =
      json_pack("{s:o, s:I, s:i}", "events", events, "total", (json_int_t)total, "freed", 0);
  for (uint32_t i = 0; good && i < unf_unfolding_threads(s->unfolding); i++) {
    unf_thread_text(s->unfolding, i, name, sizeof name);
    good = json_array_append_new(page->threads, json_string(name)) == 0;
  }
  if (!good) no_memory(s);
}

void sym_retell(struct sym *s) {
  struct retelling *r = s->retelling;
  if (r == NULL) return;
  for (size_t i = 0; i < r->shown_count && r->page.sources != NULL; i++) {
    const struct shown *shown = &r->shown[i];
    const char *path =
        coverage_path(s->code.texts[shown->text], s->options.arguments, s->options.file_count);
    report_source_file(&r->page, path, shown->first, shown->last);
  }
  const enum cli_status saved = report_save(s->options.report, &s->result, &r->page);
  s->failed |= saved == CLI_USAGE;
  s->refused |= saved == CLI_STOPPED;
}

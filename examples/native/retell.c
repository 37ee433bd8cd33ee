/* Each defect is replayed without being seen, and its steps told: operations by the names of the
 * variables that they are about, places as lines of the source. What follows what, the library says
 * of the actions alone. */
#include "retell.h"

#include "lines.h"
#include "telling.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <decide.h>
#include <story.h>
#include <string.h>
#include <text.h>
#include <write.h>

/* Lines of a source around those that are shown. */
enum { LINES_AROUND = 200 };
static const double replay_seconds = 10;

/* ---- sources ---- */

/* The number of the source of a place, and its line; false: not known. */
static bool find_source(struct telling *t, const struct control *control, uint64_t place,
                        size_t *number, uint32_t *line) {
  const char *text = source_of(control, place), *colon = text != NULL ? strrchr(text, ':') : NULL;
  if (colon == NULL) return false;
  const size_t length = (size_t)(colon - text);
  *line = (uint32_t)strtoul(colon + 1, NULL, 10);
  size_t i = 0;
  while (i < t->source_count &&
         (strncmp(t->sources[i].path, text, length) != 0 || t->sources[i].path[length] != '\0'))
    i++;
  if (i == t->source_count) {
    struct source *sources = realloc(t->sources, (i + 1) * sizeof *sources);
    char *path = strndup(text, length);
    if (sources != NULL) t->sources = sources;
    if (sources == NULL || path == NULL) {
      free(path);
      return false;
    }
    t->sources[t->source_count++] = (struct source){path, *line, *line};
  }
  struct source *s = &t->sources[i];
  s->first = *line < s->first ? *line : s->first;
  s->last = *line > s->last ? *line : s->last;
  *number = i;
  return true;
}

/* The text of a file, to be freed; NULL: it cannot be read. */
static char *read_whole(const char *path, size_t *size) {
  enum { MOST = 1 << 26 };
  FILE *file = fopen(path, "re");
  *size = 0;
  if (file == NULL) return NULL;
  const long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  const bool good = end >= 0 && end < MOST && fseek(file, 0, SEEK_SET) == 0;
  char *text = good ? malloc((size_t)end + 1) : NULL;
  if (text != NULL) *size = fread(text, 1, (size_t)end, file);
  fclose(file);
  return text;
}

static void add_sources(struct telling *t) {
  for (size_t i = 0; i < t->source_count && t->report.sources != NULL; i++) {
    const struct source *s = &t->sources[i];
    const char *slash = strrchr(s->path, '/');
    size_t size;
    char *text = read_whole(s->path, &size);
    report_source(&t->report, slash != NULL ? slash + 1 : s->path, text, size,
                  s->first > LINES_AROUND ? s->first - LINES_AROUND : 1, s->last + LINES_AROUND);
    free(text);
  }
}

/* ---- steps ---- */

/* An action as a call, and whether that has several events; `failed`: what comes of it then. */
struct word {
  const char *call;
  bool several;
  const char *failed;
};

static const struct word words[UNF_ACTION_COUNT] = {
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

/* What a step is about: a variable of the program, a thread, or the canonical name. */
static void target_text(const struct telling *t, const struct control *control,
                        const struct reported_step *step, const unf_action *action, char *text,
                        size_t size) {
  if (action->kind == UNF_DID_CREATE || action->kind == UNF_DID_JOIN) {
    unf_thread_text(t->unfolding, action->target, text, size);
    return;
  }
  if (step->address != 0 && symbol_of(control, step->address, text, size)) return;
  const char *behind = strchr(step->action, ' '); /* thread, kind, target */
  behind = behind != NULL ? strchr(behind + 1, ' ') : NULL;
  snprintf(text, size, "%s", behind != NULL ? behind + 1 : "");
}

static bool add_name(void *user, unf_thread thread) {
  const struct {
    const struct telling *telling;
    json_t *names;
  } *naming = user;
  char name[NAME_SIZE];
  unf_thread_text(naming->telling->unfolding, thread, name, sizeof name);
  return json_array_append_new(naming->names, json_string(name)) == 0;
}

/* The threads that a notification notified; NULL: it is none. */
static json_t *notified(const struct telling *t, const unf_action *action) {
  struct {
    const struct telling *telling;
    json_t *names;
  } naming = {t, NULL};
  switch (action->kind) {
  case UNF_DID_SIGNAL:
    naming.names = json_array();
    if (action->value != UNF_LOST) add_name(&naming, (unf_thread)action->value);
    break;
  case UNF_DID_BROADCAST:
  case UNF_DID_FUTEX_WAKE:
  case UNF_DID_FUTEX_WAKE_ALL:
    naming.names = json_array();
    unf_thread_set_members(t->unfolding, action->value, add_name, &naming);
    break;
  default:
    break;
  }
  return naming.names;
}

static json_t *describe(struct telling *t, const struct control *control,
                        const struct reported_step *step, const unf_action *action) {
  char thread[NAME_SIZE], target[TEXT_SIZE];
  const struct word *word = &words[action->kind];
  size_t source;
  uint32_t line;
  unf_thread_text(t->unfolding, action->thread, thread, sizeof thread);
  target_text(t, control, step, action, target, sizeof target);
  json_t *names = notified(t, action), *operation = json_sprintf("%s(%s)", word->call, target);
  json_t *entry = json_pack("{s:s, s:o, s:s, s:o}", "thread", thread, "operation", operation,
                            "event", unf_action_kind_text(action->kind), "place",
                            cli_json_text(line_of(control, step->place)));
  if (word->several) json_object_set_new(entry, "several", json_true());
  if (word->failed != NULL) json_object_set_new(entry, "result", json_string(word->failed));
  if (names != NULL) json_object_set_new(entry, "notified", names);
  if (entry != NULL && find_source(t, control, step->place, &source, &line))
    story_place(entry, source, line);
  return entry;
}

/* ---- executions ---- */

/* A schedule is made of their texts, and read. */
unf_schedule *actions_of(const struct telling *t, const struct performed *performed) {
  static const char head[] = "unfold-schedule 1\nprogram report\n";
  const size_t room = sizeof head + performed->count * (sizeof performed->steps->action + 1) + 64;
  char *text = malloc(room);
  unf_schedule *schedule = NULL;
  uint64_t hash = 0xcbf29ce484222325u;
  if (text == NULL) return NULL;
  size_t size = (size_t)snprintf(text, room, "%s", head);
  for (size_t i = 0; i < performed->count; i++)
    size += (size_t)snprintf(text + size, room - size, "%s\n", performed->steps[i].action);
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
  size += (size_t)snprintf(text + size, room - size, "checksum %016" PRIx64 "\n", hash);
  unf_schedule_read(t->unfolding, text, size, &schedule);
  free(text);
  return schedule;
}

json_t *steps_of(struct telling *t, const struct performed *performed) {
  struct story story;
  unf_schedule *schedule = actions_of(t, performed);
  bool good = schedule != NULL;
  story_begin(&story);
  for (size_t i = 0; good && i < performed->count; i++) {
    const struct reported_step *step = &performed->steps[i];
    unf_action action;
    good = unf_schedule_step(schedule, i, &action) == UNF_OK;
    if (good && !step->choice)
      story_add(&story, step->event[0], step->causes, step->cause_count,
                describe(t, performed->control, step, &action));
  }
  json_t *steps = good ? story_steps(&story) : NULL;
  story_free(&story);
  unf_schedule_free(schedule);
  return steps;
}

static json_t *untold(const char *why) {
  return json_pack("{s:[], s:s}", "steps", "why", why);
}

/* What is told of a defect, with so many seconds for the step that decided; NULL: no memory. */
static json_t *tell(struct telling *t, const struct cli_defect *defect, double seconds) {
  struct performed performed;
  json_t *told = NULL;
  if (defect->schedule == NULL) return untold("its schedule could not be written");
  if (!again_perform(t->again, defect->schedule, replay_seconds, UINT64_MAX, &performed)) {
    told = NULL;
  } else if (!performed.ended) {
    told = untold("its replay did not come to the end");
  } else {
    json_t *steps = steps_of(t, &performed);
    json_t *deciding = steps != NULL ? deciding_step(t, defect, &performed, seconds) : NULL;
    told = json_pack("{s:o, s:o}", "steps", steps, "deciding", deciding);
  }
  again_free(&performed);
  return told;
}

/* ---- the page ---- */

static bool append(json_t **list, json_t *item) {
  if (json_array_append_new(*list, item) == 0) return true;
  json_decref(*list);
  *list = NULL;
  return false;
}

static bool open_library(struct telling *t) {
  unf_thread first;
  return unf_context_new(NULL, &t->context) == UNF_OK &&
         unf_unfolding_new(t->context, NULL, &t->unfolding) == UNF_OK &&
         unf_thread_name(t->unfolding, UNF_THREAD_NONE, 0, &first) == UNF_OK &&
         unf_thread_start(t->unfolding, first) == UNF_OK;
}

enum cli_status retell(const struct again *again, const struct cli_result *result) {
  struct telling t = {.again = again};
  char name[NAME_SIZE];
  const size_t count = result->defects.count;
  const double given = again->options->report_seconds;
  const double until = cli_now() + (given > 0 ? given : DECIDE_SECONDS);
  report_begin(&t.report);
  if (!open_library(&t)) append(&t.report.executions, NULL);
  for (size_t i = 0; i < count && t.report.executions != NULL; i++) /* each has its share of time */
    append(&t.report.executions,
           tell(&t, &result->defects.items[i], (until - cli_now()) / (double)(count - i)));
  add_sources(&t);
  for (uint32_t i = 0; t.unfolding != NULL && i < unf_unfolding_threads(t.unfolding); i++) {
    unf_thread_text(t.unfolding, i, name, sizeof name);
    if (t.report.threads != NULL) append(&t.report.threads, json_string(name));
  }
  const enum cli_status saved = report_save(again->options->report, result, &t.report);
  report_free(&t.report);
  for (size_t i = 0; i < t.source_count; i++)
    free(t.sources[i].path);
  free(t.sources);
  unf_unfolding_free(t.unfolding);
  unf_context_free(t.context);
  return saved;
}

/* What was not seen. A program that has one thread cannot have more executions, whatever it
 * accesses. What the C library does inside counts as seen: its calls are the operations, and no
 * thread is stopped between two accesses of it. What it does with memory of its caller is an access
 * of the caller; functions of which that is not known are named. */
#include "report_unseen.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <text.h>

#include "control.h"
#include "control/learned.h"
#include "control/modules.h"
#include "control/texts.h"
#include "count_sites.h"
#include "lines.h"

enum { NAMES_MAX = 8, NAME_MOST = 100, PLACE_MOST = 40, LINE_SIZE = 2048 };

/* What a module has of it: X(NAME, "why, in JSON", "one", "several", "remark"). Where there is no
 * word for one, it is not counted. */
#define UNSEEN_TABLE(X)                                                                            \
  X(SITES, "read-modify-writes", "read-modify-write", "read-modify-writes",                        \
    "--atomics rmw shows them")                                                                    \
  X(LEFT, "left", "read-modify-write", "read-modify-writes", "could not be changed")               \
  X(MOVES_LEFT, "accesses left", "access to memory", "accesses to memory", "could not be changed") \
  X(QUIET, "quiet", "read-modify-write", "read-modify-writes",                                     \
    "left out by --quiet, with what uses the same memory")                                         \
  X(UNDECODED, "not decoded", "function", "functions", "not decoded")                              \
  X(OUTSIDE, "outside functions", "place like a read-modify-write",                                \
    "places like read-modify-writes", "in no function, or data")                                   \
  X(RANGELESS, "no functions", "place like a read-modify-write", "places like read-modify-writes", \
    "no list of functions")                                                                        \
  X(UNKNOWN, "unknown code", "piece of code", "pieces of code",                                    \
    "that no function is known to have")                                                           \
  X(UNREADABLE, "unreadable", NULL, "the code", "could not be searched")                           \
  X(UNSEARCHED, "not looked for", NULL, "read-modify-writes", "not looked for")                    \
  X(PLAIN, "plain accesses", NULL, "plain accesses", "the counts hold if there is no data race")

enum kind {
#define KIND(name, why, one, several, remark) UNSEEN_##name,
  UNSEEN_TABLE(KIND)
#undef KIND
      UNSEEN_KINDS
};

static const struct {
  const char *why, *one, *several, *remark;
} kinds[] = {
#define KIND(name, why, one, several, remark) {why, one, several, remark},
    UNSEEN_TABLE(KIND)
#undef KIND
};

struct lists {
  json_t *list, *lines;
};

bool sites_seen(const struct control *control) {
  return control->settings.sites && control->sites_off[0] == '\0';
}

bool moves_seen(const struct control *control) {
  return sites_seen(control) && control->settings.moves;
}

bool accesses_seen(const struct control *control) {
  return control->settings.races && (control->callbacks_seen || moves_seen(control));
}

/* Whether it is a part of the C library that is not in its main file. */
static bool of_libc(const struct module *m) {
  static const char *const names[] = {"libm.so.6",       "libmvec.so.1", "libdl.so.2",
                                      "libpthread.so.0", "librt.so.1",   "libresolv.so.2",
                                      "libutil.so.1",    "libanl.so.1",  "libthread_db.so.1"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(module_short_name(m), names[i]) == 0) return true;
  return false;
}

bool all_would_show(const struct control *control) {
  for (uint32_t i = 0; i < control->module_count && control->threads_most > 1; i++) {
    const struct module *m = &control->modules[i];
    if (!m->excluded && !of_libc(m) && !m->callbacks && m->sites.readable) return true;
  }
  return false;
}

/* Whether its plain accesses are operations, or reported to the detector of races. */
static bool moves_of(const struct control *control, const struct module *m) {
  const bool described = m->sites.functions > 0 || m->text_high == 0; /* or it has no code */
  return moves_seen(control) && m->sites.readable && described && !m->callbacks && !m->quiet;
}

/* How much of a kind a module has. */
static uint32_t number_of(const struct control *control, enum kind kind, const struct module *m) {
  const struct module_sites *s = &m->sites;
  const bool on = sites_seen(control);
  if (m->excluded) return 0;
  switch (kind) {
  case UNSEEN_SITES:
    return on ? 0 : s->places;
  case UNSEEN_LEFT:
    return s->left;
  case UNSEEN_MOVES_LEFT:
    return moves_seen(control) ? s->moves_left : 0;
  case UNSEEN_QUIET:
    return s->quiet;
  case UNSEEN_UNDECODED:
    return s->functions_left;
  case UNSEEN_OUTSIDE:
    return s->functions > 0 ? s->outside : 0;
  case UNSEEN_RANGELESS:
    return s->functions == 0 ? s->outside : 0;
  case UNSEEN_UNKNOWN:
    return s->unknown;
  case UNSEEN_UNREADABLE:
    return s->searched && !s->readable;
  case UNSEEN_UNSEARCHED:
    return !on && !s->searched;
  default:
    return !of_libc(m) && !moves_of(control, m) &&
           !(accesses_seen(control) && m->callbacks && control->settings.races_every == 1);
  }
}

static json_t *add(struct lists *to, const char *module, const char *why, uint32_t count) {
  json_t *entry = json_pack("{s:o, s:s, s:o}", "module", cli_json_text(module), "why", why, "count",
                            count > 0 ? json_integer(count) : json_null());
  json_array_append_new(to->list, entry);
  return entry;
}

static void say(struct lists *to, const char *why, uint32_t count, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* What is no module's. */
static void say(struct lists *to, const char *why, uint32_t count, const char *format, ...) {
  char text[LINE_SIZE];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  add(to, NULL, why, count);
  json_array_append_new(to->lines, cli_json_text(text));
}

static void remark_of(const struct control *control, enum kind kind, char *text, size_t size) {
  const char *more = "";
  snprintf(text, size, "%s", kinds[kind].remark);
  if (kind == UNSEEN_SITES && control->sites_off[0] != '\0')
    snprintf(text, size, "%s", control->sites_off);
  else if (kind == UNSEEN_SITES && control->settings.lowered[0] != '\0')
    snprintf(text, size, "they could not be explored");
  if (kind == UNSEEN_UNSEARCHED)
    snprintf(text, size, "%s: %s", kinds[kind].remark,
             control->settings.scanner[0] == '\0' ? "unfold was built without Zydis"
                                                  : "the search came to no end");
  if (kind != UNSEEN_PLAIN) return;
  if (control->callbacks_seen && !control->settings.races)
    more = "--races watches them; ";
  else if (control->settings.races && !accesses_seen(control))
    more = "--races needs callbacks, or --atomics all; ";
  else if (!moves_seen(control) && control->sites_off[0] == '\0' &&
           control->settings.lowered[0] == '\0')
    more = "--atomics all watches them; ";
  snprintf(text, size, "%s%s", more, kinds[kind].remark);
  if (accesses_seen(control) && control->settings.races_every > 1)
    snprintf(text, size, "watched in one execution out of %llu; %s",
             (unsigned long long)control->settings.races_every, kinds[kind].remark);
}

/* The first place of it, behind the module's name, and in JSON. */
static void add_place(json_t *entry, const struct module *m, char name[NAME_MOST + PLACE_MOST]) {
  char text[NAME_SIZE + PLACE_MOST];
  snprintf(text, sizeof text, "%.*s+0x%" PRIx64, NAME_SIZE - 1, module_short_name(m),
           m->sites.unknown_at);
  json_object_set_new(entry, "place", cli_json_text(text));
  const size_t length = strlen(name);
  snprintf(name + length, PLACE_MOST, " from +0x%" PRIx64 " on", m->sites.unknown_at);
}

/* One kind: an entry for each module, and one line. */
static void add_kind(const struct control *control, enum kind kind, struct lists *to) {
  const bool counted = kinds[kind].one != NULL;
  char line[LINE_SIZE], remark[TEXT_SIZE];
  uint32_t modules = 0;
  size_t used = 0;
  for (uint32_t i = 0; i < control->module_count; i++) {
    const struct module *m = &control->modules[i];
    const uint32_t number = number_of(control, kind, m);
    if (number == 0) continue;
    char name[NAME_MOST + PLACE_MOST];
    json_t *entry = add(to, m->path, kinds[kind].why, counted ? number : 0);
    snprintf(name, sizeof name, "%.*s", NAME_MOST, module_short_name(m));
    if (kind == UNSEEN_UNKNOWN) add_place(entry, m, name);
    if (++modules > NAMES_MAX) continue;
    char *at = line + used;
    const size_t room = sizeof line - used;
    const char *noun = counted && number == 1 ? kinds[kind].one : kinds[kind].several;
    int size;
    if (modules == 1 && !counted)
      size = snprintf(at, room, "%s of %s", noun, name);
    else if (!counted)
      size = snprintf(at, room, ", %s", name);
    else if (modules == 1)
      size = snprintf(at, room, "%u %s of %s", number, noun, name);
    else
      size = snprintf(at, room, ", %u of %s", number, name);
    used += (size_t)size;
  }
  if (modules == 0) return;
  if (modules > NAMES_MAX)
    used +=
        (size_t)snprintf(line + used, sizeof line - used, ", and of %u more", modules - NAMES_MAX);
  remark_of(control, kind, remark, sizeof remark);
  snprintf(line + used, sizeof line - used, " (%s)", remark);
  json_array_append_new(to->lines, cli_json_text(line));
}

/* Code that was not there in front of main. */
static void add_later(const struct control *control, struct lists *to) {
  if (control->modules_later && !sites_seen(control))
    say(to, "loaded later", 0, "what modules that were loaded later did");
  else if (control->modules_later)
    say(to, "loaded later", 0, "what modules that were loaded later did up to the next operation");
  if (control->code_later) say(to, "code made later", 0, "code that the program made itself");
  if (control->modules_unlisted > 0)
    say(to, "no room", control->modules_unlisted, "%u modules for which there was no room",
        control->modules_unlisted);
  if (sites_seen(control) && !control->calls_seen)
    say(to, "futexes", 0, "futexes outside of the C library (the system has no filters for them)");
}

/* What is on the way from a lock that is taken to the wait for it. */
static void add_acquires(const struct control *control, struct lists *to) {
  char names[LINE_SIZE] = "";
  uint32_t number = 0, named = 0;
  size_t used = 0;
  for (uint32_t i = 0; i < control->acquire_count && control->settings.learn; i++) {
    const struct acquire *a = &control->acquires[i];
    if (a->refuted || a->module >= control->module_count || !sites_seen(control)) continue;
    const char *place = line_of(control, control->modules[a->module].base + a->offset + 1);
    number++;
    if (place == NULL || named == NAMES_MAX || strstr(names, place) != NULL) continue;
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%.*s", named++ > 0 ? ", " : "",
                             NAME_MOST, place);
  }
  if (number == 0) return;
  const unsigned long long same = control->unlearned;
  say(to, "learned", number,
      "what a thread does that finds a lock taken, at %u %s: %s (--learn off explores it; with it "
      "%llu %s to the same)",
      number, number == 1 ? "place" : "places", names, same,
      same == 1 ? "trace came" : "traces came");
}

/* Functions of the C library whose accesses are not known. */
static void add_imports(const struct control *control, struct lists *to) {
  char names[LINE_SIZE] = "";
  uint32_t number = 0;
  size_t used = 0;
  for (uint32_t i = 0; i < control->import_count; i++) {
    const struct import *import = &control->imports[i];
    if (import->place == 0) continue;
    const char *place = line_of(control, import->place);
    if (number++ >= NAMES_MAX) continue;
    used +=
        (size_t)snprintf(names + used, sizeof names - used, "%s%s at %.*s", number > 1 ? ", " : "",
                         import->name, NAME_MOST, place != NULL ? place : "?");
  }
  if (number > NAMES_MAX)
    snprintf(names + used, sizeof names - used, ", and %u more", number - NAMES_MAX);
  if (number > 0)
    say(to, "library calls", number, "what memory %u %s of the C library %s: %s", number,
        number == 1 ? "function" : "functions", number == 1 ? "accesses" : "access", names);
  if (control->imports_unwatched)
    say(to, "library calls", 0, "what memory functions of the C library access");
}

void report_unseen(struct control *control, json_t **list, json_t **lines) {
  struct lists to = {json_array(), json_array()};
  if (control->threads_most > 1) {
    if (!sites_seen(control)) count_sites(control);
    for (unsigned kind = 0; kind < UNSEEN_KINDS; kind++)
      add_kind(control, (enum kind)kind, &to);
    add_later(control, &to);
    add_imports(control, &to);
  }
  if (moves_seen(control) && control->raced > 0)
    say(&to, "races", (uint32_t)control->raced,
        "what store buffers do to %llu races of plain accesses (explored are all sequentially "
        "consistent orders)",
        (unsigned long long)control->raced);
  if (control->no_room)
    say(&to, "memory", 0,
        "plain accesses to memory that several threads use: there are more such parts of it than "
        "can be kept in mind");
  if (control->wide_accesses > 0)
    say(&to, "wide accesses", control->wide_accesses,
        "what %u accesses read that found more than 64 atomic objects", control->wide_accesses);
  if (control->differences > 0 && sites_seen(control) && !moves_seen(control)) {
    const char *place = line_of(control, control->difference_place);
    say(&to, "loads", (uint32_t)control->differences,
        "plain loads that decide what a thread does: %u of %u traces went on otherwise in another "
        "order, first at %s (--atomics all explores them)",
        (uint32_t)control->differences, (uint32_t)control->reordered, place != NULL ? place : "?");
  }
  add_acquires(control, &to);
  if (control->waits_bounded > 0) {
    const char *place = line_of(control, control->bounded_place);
    say(&to, "waiting loops", 0,
        "what needs more turns of a loop that waits: a thread was stopped in one, at %s",
        place != NULL ? place : "?");
  }
  if (control->settings.lowered[0] != '\0')
    say(&to, "level", 0, "what --atomics would show with more of it (%s)",
        control->settings.lowered);
  if (control->bound_met)
    say(&to, "bound", 0, "what needs more turns of a loop: loops were ended by --bound");
  *list = to.list;
  *lines = to.lines;
}

/* The list of defects. It is short, so looking for an entry compares them all, the number
 * of places first. */
#include "defect.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static const struct {
  const char *name, *words;
} kinds[] = {
#define CLI_KIND_ROW(constant, name, words) {name, words},
    CLI_KIND_TABLE(CLI_KIND_ROW)
#undef CLI_KIND_ROW
};

const char *cli_kind_name(enum cli_kind kind) {
  return kinds[kind].name;
}

enum cli_kind cli_kind_find(const char *name) {
  unsigned kind = 0;
  while (kind < CLI_KIND_COUNT && strcmp(kinds[kind].name, name) != 0)
    kind++;
  return (enum cli_kind)kind;
}

static int ascending(const void *a, const void *b) {
  const uint64_t *left = a, *right = b;
  return (*left > *right) - (*left < *right);
}

static size_t sort_places(uint64_t *places, size_t count) {
  size_t kept = 0;
  if (count > 0) qsort(places, count, sizeof *places, ascending);
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || places[i] != places[i - 1]) places[kept++] = places[i];
  }
  return kept;
}

static bool matches(const struct cli_defect *d, enum cli_kind kind, const uint64_t *places,
                    size_t count) {
  return d->kind == kind && d->place_count == count &&
         (count == 0 || memcmp(d->places, places, count * sizeof *places) == 0);
}

struct cli_defect *cli_defects_see(struct cli_defects *defects, enum cli_kind kind,
                                   uint64_t *places, size_t count, struct cli_seen seen,
                                   bool *fresh) {
  *fresh = false;
  count = sort_places(places, count);
  for (size_t i = 0; i < defects->count; i++) {
    struct cli_defect *d = &defects->items[i];
    if (!matches(d, kind, places, count)) continue;
    d->count += seen.executions;
    d->probes += seen.probes;
    return d;
  }
  if (defects->count == defects->capacity) {
    size_t capacity = defects->capacity == 0 ? 8 : 2 * defects->capacity;
    struct cli_defect *items = realloc(defects->items, capacity * sizeof *items);
    if (items == NULL) return NULL;
    defects->items = items;
    defects->capacity = capacity;
  }
  struct cli_defect *d = &defects->items[defects->count];
  memset(d, 0, sizeof *d);
  d->kind = kind;
  d->count = seen.executions;
  d->probes = seen.probes;
  d->place_count = count;
  d->places = malloc((count + 1) * sizeof *places);
  d->threads = json_array();
  if (d->places == NULL || d->threads == NULL) {
    free(d->places);
    json_decref(d->threads);
    return NULL;
  }
  if (count > 0) memcpy(d->places, places, count * sizeof *places);
  defects->count++;
  *fresh = true;
  return d;
}

bool cli_defect_is(const struct cli_defect *defect, enum cli_kind kind, uint64_t *places,
                   size_t count) {
  return matches(defect, kind, places, sort_places(places, count));
}

static struct cli_defect *find(const struct cli_defects *defects, const struct cli_defect *defect) {
  for (size_t i = 0; i < defects->count; i++)
    if (matches(&defects->items[i], defect->kind, defect->places, defect->place_count))
      return &defects->items[i];
  return NULL;
}

const struct cli_defect *cli_defects_find(const struct cli_defects *defects,
                                          const struct cli_defect *defect) {
  return find(defects, defect);
}

bool cli_defects_have(const struct cli_defects *defects, const struct cli_defect *defect) {
  return find(defects, defect) != NULL;
}

bool cli_defect_told_as(struct cli_defect *defect, struct cli_defects *defects) {
  struct cli_defect *other = find(defects, defect);
  if (other == NULL || other->incomplete) return false;
  json_t *threads = defect->threads;
  char *text = defect->text;
  defect->threads = other->threads;
  defect->text = other->text;
  other->threads = threads;
  other->text = text;
  return true;
}

static bool copy_text(char **to, const char *text) {
  char *copy = cli_show(text);
  if (copy == NULL) return false;
  free(*to);
  *to = copy;
  return true;
}

bool cli_defect_begins(struct cli_defect *defect, struct trace_name name, bool fresh) {
  if (!fresh && !trace_name_less(name, defect->name)) return false;
  defect->name = name;
  json_array_clear(defect->threads);
  return true;
}

bool cli_defect_set_text(struct cli_defect *defect, const char *text) {
  return copy_text(&defect->text, text);
}

bool cli_defect_set_schedule(struct cli_defect *defect, const char *file) {
  return copy_text(&defect->schedule, file);
}

void cli_defect_set_inputs(struct cli_defect *defect, json_t *inputs) {
  json_decref(defect->inputs);
  defect->inputs = inputs;
}

void cli_defect_set_shortened(struct cli_defect *defect, json_t *shortened) {
  json_decref(defect->shortened);
  defect->shortened = shortened;
  defect->incomplete |= shortened == NULL;
}

void cli_defects_earlier(struct cli_defects *defects) {
  for (size_t i = 0; i < defects->count; i++) {
    struct cli_defect *d = &defects->items[i];
    d->earlier += d->count + d->probes;
    d->count = d->probes = 0;
    d->name = TRACE_NAME_NONE; /* it is told as it is found again */
  }
}

void cli_defects_free(struct cli_defects *defects) {
  for (size_t i = 0; i < defects->count; i++) {
    struct cli_defect *d = &defects->items[i];
    json_decref(d->threads);
    json_decref(d->inputs);
    json_decref(d->shortened);
    free(d->text);
    free(d->schedule);
    free(d->places);
  }
  free(defects->items);
  memset(defects, 0, sizeof *defects);
}

json_t *cli_thread(const char *thread, const char *state, const char *operation,
                   const char *place) {
  return json_pack("{s:o, s:s, s:o, s:o, s:[], s:n, s:n}", "thread", cli_json_text(thread), "state",
                   state, "operation", cli_json_text(operation), "place", cli_json_text(place),
                   "holds", "waits_for", "owner");
}

/* Without memory a thread loses a key that it always has, which needs none. */
static void mark(json_t *thread, int result) {
  if (result != 0) json_object_del(thread, "owner");
}

void cli_thread_holds(json_t *thread, const char *object, const char *place) {
  mark(thread, json_array_append_new(json_object_get(thread, "holds"),
                                     json_pack("{s:o, s:o}", "object", cli_json_text(object),
                                               "place", cli_json_text(place))));
}

void cli_thread_waits(json_t *thread, const char *object, const char *owner) {
  if (json_object_get(thread, "owner") == NULL) return;
  json_t *text = cli_json_text(owner);
  int result = json_object_set_new(thread, "waits_for", cli_json_text(object));
  if (text == NULL || json_object_set_new(thread, "owner", text) != 0) result = -1;
  mark(thread, result);
}

void cli_thread_note(json_t *thread, const char *text) {
  mark(thread, json_object_set_new(thread, "note", cli_json_text(text)));
}

void cli_defect_add(struct cli_defect *defect, json_t *thread) {
  if (json_object_get(thread, "owner") == NULL) defect->incomplete = true;
  if (json_array_append_new(defect->threads, thread) != 0) defect->incomplete = true;
}

json_t *cli_defects_json(const struct cli_defects *defects) {
  json_t *array = json_array();
  for (size_t i = 0; i < defects->count; i++) {
    const struct cli_defect *d = &defects->items[i];
    json_t *entry = json_pack("{s:s, s:I, s:I, s:I, s:o, s:o, s:O}", "kind", kinds[d->kind].name,
                              "count", (json_int_t)d->count, "probes", (json_int_t)d->probes,
                              "earlier", d->count + d->probes == 0 ? (json_int_t)d->earlier : 0,
                              "schedule", cli_json_text(d->schedule), "text",
                              cli_json_text(d->text), "threads", d->threads);
    bool good = d->inputs == NULL || json_object_set(entry, "inputs", d->inputs) == 0;
    good &= d->shortened == NULL || json_object_set(entry, "shortened", d->shortened) == 0;
    if (!good || json_array_append_new(array, entry) != 0) {
      if (!good) json_decref(entry);
      json_decref(array);
      return NULL;
    }
  }
  return array;
}

static const char *get(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

static void print_thread(const json_t *thread, FILE *to) {
  const char *operation = get(thread, "operation"), *place = get(thread, "place");
  const char *owner = get(thread, "owner"), *waits = get(thread, "waits_for");
  const char *note = get(thread, "note");
  fprintf(to, "  %s %s", get(thread, "thread"), get(thread, "state"));
  if (operation != NULL) fprintf(to, " at %s", operation);
  if (place != NULL) fprintf(to, ", %s", place);
  if (waits != NULL && owner != NULL)
    fprintf(to, "; %s is held by %s", waits, owner);
  else if (waits != NULL)
    fprintf(to, "; waits for %s", waits);
  if (note != NULL) fprintf(to, "; %s", note);
  putc('\n', to);
  size_t i;
  json_t *held;
  json_array_foreach(json_object_get(thread, "holds"), i, held) {
    const char *since = get(held, "place");
    fprintf(to, "    holds %s%s%s\n", get(held, "object"), since != NULL ? " since " : "",
            since != NULL ? since : "");
  }
}

static void print_inputs(json_t *inputs, FILE *to) {
  const char *name;
  json_t *value;
  if (json_is_null(inputs)) fputs("  possible only: no inputs are known that lead there\n", to);
  json_object_foreach(inputs, name, value)
      fprintf(to, "  input %s = %" JSON_INTEGER_FORMAT "\n", name, json_integer_value(value));
}

/* One of the two numbers, and whether it is proved to be the least. */
static void print_shorter(const json_t *shortened, const char *what, const char *fewest, FILE *to) {
  json_t *of = json_object_get(shortened, what);
  const json_int_t after = json_integer_value(json_object_get(of, "after"));
  fprintf(to, "%s %" JSON_INTEGER_FORMAT " (%sbefore %" JSON_INTEGER_FORMAT ")", what, after,
          json_is_true(json_object_get(of, "fewest")) ? fewest : "",
          json_integer_value(json_object_get(of, "before")));
}

static void print_shortened(const json_t *shortened, FILE *to) {
  const char *why = get(shortened, "why");
  if (why != NULL) {
    fprintf(to, "  not shortened: %s\n", why);
    return;
  }
  fputs("  shortened: ", to);
  print_shorter(shortened, "steps", "no execution has fewer; ", to);
  fputs(", ", to);
  print_shorter(shortened, "switches", "no order of these has fewer; ", to);
  putc('\n', to);
}

/* What explorations before this one found is said where this one did not find it. */
static void print_count(const struct cli_defect *defect, FILE *to) {
  const bool now = defect->count + defect->probes > 0;
  const uint64_t count = defect->count > 0 ? defect->count : now ? defect->probes : defect->earlier;
  fprintf(to, " (%" PRIu64 " %s%s%s)\n", count, now && defect->count == 0 ? "probe" : "execution",
          count == 1 ? "" : "s", now ? "" : ", before the exploration was begun again");
}

void cli_defect_print(const struct cli_defect *defect, bool colour, FILE *to) {
  size_t i;
  json_t *thread;
  fprintf(to, "%s%s%s", colour ? "\033[1;31m" : "", kinds[defect->kind].words,
          colour ? "\033[0m" : "");
  if (defect->text != NULL) fprintf(to, ": %s", defect->text);
  print_count(defect, to);
  json_array_foreach(defect->threads, i, thread) print_thread(thread, to);
  print_inputs(defect->inputs, to);
  if (defect->shortened != NULL) print_shortened(defect->shortened, to);
  if (defect->schedule != NULL) fprintf(to, "  schedule: %s\n", defect->schedule);
}

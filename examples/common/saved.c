/* Files of explorations: a line with the length and the hash of the JSON behind it, that, and what
 * the library writes, which has sums of its own. */
#include "saved.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "save.h"
#include "text.h"

#define MAGIC "unfold-saved 1 "
/* No JSON that was written is longer. */
#define KNOWN_MOST ((size_t)1 << 30)
enum { HEAD_SIZE = 64 };

uint64_t cli_hash_more(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
  return hash;
}

void cli_hash_text(const void *bytes, size_t size, char text[17]) {
  snprintf(text, 17, "%016" PRIx64, cli_hash_more(CLI_HASH_NONE, bytes, size));
}

/* ---- what must be the same ---- */

json_t *cli_saved_identity(enum cli_program program, const struct cli_options *options,
                           const char *hash, int first_argument) {
  json_t *arguments = json_array();
  for (int i = first_argument; i < options->argument_count; i++)
    json_array_append_new(arguments, cli_json_text(options->arguments[i]));
  return json_pack("{s:s, s:s, s:s, s:o, s:o}", "tool", cli_program_name(program), "library",
                   unf_version_text(), "program", hash, "arguments", arguments, "options",
                   cli_options_decisive(program, options));
}

/* The first key in which two objects differ, with the values; false: none. */
static bool find_difference(const json_t *now, const json_t *then, char *text, size_t size) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)now, key, value) {
    const json_t *other = json_object_get(then, key);
    if (json_equal(value, other)) continue;
    if (json_is_object(value) && json_is_object(other))
      return find_difference(value, other, text, size);
    char *is = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    char *was = other != NULL ? json_dumps(other, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    snprintf(text, size, "%s is %.200s, and was %.200s", key, is != NULL ? is : "?",
             was != NULL ? was : "not known");
    free(is);
    free(was);
    return true;
  }
  return false;
}

bool cli_saved_same(const json_t *identity, const json_t *saved, char *line, size_t size) {
  char difference[500];
  if (!find_difference(identity, saved, difference, sizeof difference)) return true;
  snprintf(line, size, "saved for something else: %s", difference);
  return false;
}

/* ---- defects ---- */

static json_t *places_json(const struct cli_defect *d) {
  json_t *places = json_array();
  for (size_t i = 0; i < d->place_count; i++)
    json_array_append_new(places, json_integer((json_int_t)d->places[i]));
  return places;
}

static json_t *text_or_null(const char *text) {
  return text != NULL ? json_string(text) : json_null();
}

static json_t *name_json(struct trace_name name) {
  char text[33];
  snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, name.words[0], name.words[1]);
  return json_string(text);
}

static struct trace_name read_name(const json_t *json) {
  struct trace_name name = TRACE_NAME_NONE;
  const char *text = json_string_value(json);
  if (text == NULL || sscanf(text, "%16" SCNx64 "%16" SCNx64, &name.words[0], &name.words[1]) != 2)
    return TRACE_NAME_NONE;
  return name;
}

json_t *cli_saved_defect(const struct cli_defect *d) {
  return json_pack("{s:s, s:o, s:I, s:I, s:I, s:O, s:o, s:o, s:b, s:o, s:O*}", "kind",
                   cli_kind_name(d->kind), "places", places_json(d), "count", (json_int_t)d->count,
                   "probes", (json_int_t)d->probes, "earlier", (json_int_t)d->earlier, "threads",
                   d->threads, "text", text_or_null(d->text), "schedule", text_or_null(d->schedule),
                   "incomplete", d->incomplete, "trace", name_json(d->name), "inputs", d->inputs);
}

json_t *cli_saved_defects(const struct cli_defects *defects) {
  json_t *list = json_array();
  for (size_t i = 0; list != NULL && i < defects->count; i++) {
    if (json_array_append_new(list, cli_saved_defect(&defects->items[i])) == 0) continue;
    json_decref(list);
    list = NULL;
  }
  return list;
}

static bool copy_or_null(char **to, const json_t *text) {
  free(*to);
  *to = NULL;
  if (json_is_null(text)) return true;
  *to = json_is_string(text) ? strdup(json_string_value(text)) : NULL;
  return *to != NULL;
}

/* The threads of a defect, as cli_defect_print() looks at them. */
static bool are_threads(const json_t *threads) {
  size_t i;
  json_t *thread;
  json_array_foreach(threads, i, thread) {
    if (!json_is_string(json_object_get(thread, "thread")) ||
        !json_is_string(json_object_get(thread, "state")))
      return false;
  }
  return json_is_array(threads);
}

bool cli_saved_defect_merge(struct cli_defects *defects, const json_t *entry, size_t *described) {
  *described = SIZE_MAX;
  const char *kind = json_string_value(json_object_get(entry, "kind"));
  const json_t *list = json_object_get(entry, "places");
  json_t *threads = json_object_get(entry, "threads");
  const size_t count = json_array_size(list);
  uint64_t *places = calloc(count + 1, sizeof *places);
  if (places == NULL || kind == NULL || cli_kind_find(kind) == CLI_KIND_COUNT ||
      !are_threads(threads)) {
    free(places);
    return false;
  }
  for (size_t i = 0; i < count; i++)
    places[i] = (uint64_t)json_integer_value(json_array_get(list, i));
  struct cli_seen seen = {(uint64_t)json_integer_value(json_object_get(entry, "count")),
                          (uint64_t)json_integer_value(json_object_get(entry, "probes"))};
  bool fresh = false;
  struct cli_defect *d = cli_defects_see(defects, cli_kind_find(kind), places, count, seen, &fresh);
  free(places);
  if (d == NULL) return false;
  const bool begins = cli_defect_begins(d, read_name(json_object_get(entry, "trace")), fresh);
  json_t *inputs = json_object_get(entry, "inputs");
  if (inputs != NULL && (begins || json_is_null(d->inputs)))
    cli_defect_set_inputs(d, json_incref(inputs));
  if (!begins) return true;
  *described = (size_t)(d - defects->items);
  d->earlier = (uint64_t)json_integer_value(json_object_get(entry, "earlier"));
  d->incomplete = json_is_true(json_object_get(entry, "incomplete"));
  json_decref(d->threads);
  d->threads = json_incref(threads);
  return copy_or_null(&d->text, json_object_get(entry, "text")) &&
         (!fresh || copy_or_null(&d->schedule, json_object_get(entry, "schedule")));
}

/* What processes before this one found; each is there once. */
static bool read_defect(struct cli_defects *defects, const json_t *entry) {
  const size_t before = defects->count;
  size_t described;
  if (!cli_saved_defect_merge(defects, entry, &described) || defects->count == before) return false;
  struct cli_defect *d = &defects->items[defects->count - 1];
  d->before = d->count;
  return true;
}

bool cli_saved_defects_read(struct cli_defects *defects, const json_t *list) {
  size_t i;
  json_t *entry;
  json_array_foreach(list, i, entry) if (!read_defect(defects, entry)) return false;
  return json_is_array(list);
}

/* ---- writing ---- */

char *cli_saved_head(json_t *identity, json_t *known, size_t *size) {
  json_t *all = json_pack("{s:O, s:O}", "identity", identity, "known", known);
  char *text = all != NULL ? json_dumps(all, JSON_COMPACT) : NULL, hash[17];
  const size_t length = text != NULL ? strlen(text) : 0;
  char *head = text != NULL ? malloc(HEAD_SIZE + length) : NULL;
  json_decref(all);
  if (head != NULL) {
    cli_hash_text(text, length, hash);
    const int line = snprintf(head, HEAD_SIZE, MAGIC "%zu %s\n", length, hash);
    memcpy(head + line, text, length);
    *size = (size_t)line + length;
  }
  free(text);
  return head;
}

struct saved_writing {
  const char *head;
  size_t size;
  const unf_explorer *explorer;
};

static unf_status produce(void *user, unf_write write, void *file) {
  const struct saved_writing *w = user;
  return write(file, w->head, w->size) ? unf_explorer_write(w->explorer, write, file) : UNF_WRITE;
}

bool cli_saved_write(enum cli_program program, const char *path, json_t *identity, json_t *known,
                     const unf_explorer *explorer, unf_context *context, const unf_limits *limits) {
  const unf_limits none = {.bytes = 0};
  struct saved_writing w = {.explorer = explorer};
  char *head = cli_saved_head(identity, known, &w.size);
  int reason = 0;
  if (head == NULL) {
    cli_say(stderr, "%s: %s: no memory for what is to be saved", cli_program_name(program), path);
    return false;
  }
  w.head = head;
  unf_context_set_limits(context, &none);
  unf_status status = save_lasting(path, produce, &w, &reason);
  unf_context_set_limits(context, limits);
  free(head);
  if (status == UNF_OK) return true;
  cli_say(stderr, "%s: %s: %s", cli_program_name(program), path,
          status != UNF_WRITE ? unf_context_detail(context)->text
          : reason != 0       ? strerror(reason)
                              : unf_status_text(status));
  return false;
}

/* ---- reading ---- */

static bool refuse(const struct cli_saved *saved, int *status, const char *what) {
  *status = CLI_USAGE;
  cli_say(stderr, "%s: %s: %s", cli_program_name(saved->program), saved->path, what);
  return false;
}

/* Reads the line in front, and the JSON; *all is a new reference. */
static bool read_known(struct cli_saved *saved, int *status, json_t **all) {
  char head[HEAD_SIZE], hash[17], sum[17];
  size_t size = 0, got = 0;
  int end = 0;
  if (fgets(head, sizeof head, saved->file) == NULL || strncmp(head, MAGIC, strlen(MAGIC)) != 0)
    return refuse(saved, status,
                  strncmp(head, MAGIC, 13) == 0 ? "saved in another version of the format"
                                                : "byte 0: no saved exploration");
  if (sscanf(head + strlen(MAGIC), "%zu %16[0-9a-f]%n", &size, hash, &end) != 2 ||
      head[strlen(MAGIC) + (size_t)end] != '\n' || strlen(hash) != 16 || size > KNOWN_MOST)
    return refuse(saved, status, "byte 15: the file is damaged");
  char *text = NULL;
  /* As it comes: a wrong length must not take much memory. */
  for (size_t room = 0; got < size;) {
    room = room == 0 ? 65536 : 2 * room;
    if (room > size) room = size;
    char *bigger = realloc(text, room + 1);
    if (bigger == NULL) break;
    text = bigger;
    size_t more = fread(text + got, 1, room - got, saved->file);
    got += more;
    if (more == 0) break;
  }
  if (text != NULL) cli_hash_text(text, got, sum);
  saved->behind = strlen(head) + got;
  bool whole = text != NULL && got == size && strcmp(sum, hash) == 0;
  *all = whole ? json_loadb(text, got, 0, NULL) : NULL;
  free(text);
  if (*all != NULL) return true;
  char line[80];
  snprintf(line, sizeof line, "byte %zu: the file is damaged or cut off", strlen(head));
  return refuse(saved, status, line);
}

bool cli_saved_open(struct cli_saved *saved, enum cli_program program, const char *path,
                    const json_t *identity, int *status) {
  char line[600];
  json_t *all = NULL;
  *saved = (struct cli_saved){.path = path, .program = program};
  errno = 0;
  saved->file = fopen(path, "rbe");
  if (saved->file == NULL) return refuse(saved, status, strerror(errno));
  if (!read_known(saved, status, &all)) return false;
  saved->known = json_incref(json_object_get(all, "known"));
  const bool same = cli_saved_same(identity, json_object_get(all, "identity"), line, sizeof line);
  json_decref(all);
  if (!same) return refuse(saved, status, line);
  if (!json_is_object(saved->known)) return refuse(saved, status, "nothing known is saved there");
  return true;
}

static bool take(void *user, void *bytes, size_t size, size_t *got) {
  FILE *file = user;
  *got = fread(bytes, 1, size, file);
  return !ferror(file);
}

unf_status cli_saved_explorer(struct cli_saved *saved, unf_unfolding *unfolding,
                              const unf_explorer_options *options, unf_explorer **out) {
  unf_status status = unf_explorer_read(unfolding, options, take, saved->file, out);
  if (status == UNF_OK && fgetc(saved->file) != EOF) {
    cli_say(stderr, "%s: %s: something stands behind the exploration",
            cli_program_name(saved->program), saved->path);
    unf_explorer_free(*out);
    *out = NULL;
    return UNF_FORMAT;
  }
  if (status == UNF_OK || status == UNF_LIMIT || status == UNF_INTERRUPTED) return status;
  cli_say(stderr, "%s: %s: in what begins at byte %" PRIu64 ": %s",
          cli_program_name(saved->program), saved->path, saved->behind,
          unf_context_detail(unf_unfolding_context(unfolding))->text);
  return status;
}

void cli_saved_close(struct cli_saved *saved) {
  if (saved->file != NULL) fclose(saved->file);
  json_decref(saved->known);
  saved->file = NULL;
  saved->known = NULL;
}

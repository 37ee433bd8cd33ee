/*
 * --witness: the first failed assertion or data race as a violation witness of SV-COMP, format 2.2
 * in YAML. Its segments are passed in the order of the execution: where threads are made, which
 * gives them their numbers; what each __VERIFIER_nondet_… returned; where another thread goes on,
 * as far as a statement begins on that line; and last the target, or the two of a race, which
 * nothing orders. Texts are written as JSON strings, which YAML has too.
 */
#include "witness.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "asked.h"
#include "defect.h"
#include "machine.h"
#include "options.h"
#include "session.h"
#include "sym.h"
#include "text.h"

#ifdef HAVE_SODIUM
#include <sodium/crypto_hash_sha256.h>
#endif

enum { LINE_ROOM = 400, DIGEST = 32 };

struct program_file {
  const char *path;
  char *text;
  size_t size;
};

struct witness {
  struct sym *s;
  uint32_t set;               /* facts of the execution */
  struct program_file *files; /* those of the command line */
  uint32_t *numbers;          /* by thread: 1 + its number in the witness; 0: none yet */
  size_t thread_count;
  uint32_t next;   /* number of the next thread */
  unf_thread last; /* that made a step */
  char *text;      /* of the segments */
  size_t size, room;
  char wrong[300]; /* why there is no witness */
  bool refused;    /* no memory */
};

/* ---- text ---- */

#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
static void
put(struct witness *w, const char *format, ...) {
  va_list list;
  if (w->room - w->size < LINE_ROOM) {
    char *bigger = realloc(w->text, 2 * w->room + 4 * LINE_ROOM);
    w->refused |= bigger == NULL;
    if (bigger == NULL) return;
    w->text = bigger;
    w->room = 2 * w->room + 4 * LINE_ROOM;
  }
  va_start(list, format);
  const int length = vsnprintf(w->text + w->size, w->room - w->size, format, list);
  va_end(list);
  w->size += (size_t)length < w->room - w->size ? (size_t)length : w->room - w->size - 1;
}

/* As a JSON string, whatever the bytes are. */
static void put_quoted(struct witness *w, const char *text) {
  json_t *string = cli_json_text(text);
  char *quoted = string != NULL ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
  w->refused |= quoted == NULL;
  for (const char *at = quoted; at != NULL && *at != '\0'; at += strnlen(at, LINE_ROOM / 2))
    put(w, "%.*s", LINE_ROOM / 2, at);
  free(quoted);
  json_decref(string);
}

/* ---- places ---- */

/* The file of a place among those of the command line; NULL: it is another one. */
static const struct program_file *file_of(const struct witness *w, uint64_t place) {
  const char *name = w->s->code.texts[place >> 32];
  for (int i = 0; i < w->s->options.file_count && (uint32_t)place > 0; i++)
    if (strcmp(w->files[i].path, name) == 0) return &w->files[i];
  return NULL;
}

/* Where a line begins; NULL: there are fewer. */
static const char *line_of(const struct program_file *file, uint32_t line) {
  const char *at = file->text;
  for (; at != NULL && line > 1; line--) {
    at = strchr(at, '\n');
    if (at != NULL) at++;
  }
  return at;
}

/* Whether a statement begins on a line, as far as the last byte of code before it tells. */
static bool begins_statement(const struct program_file *file, uint32_t line) {
  const char *at = line_of(file, line);
  if (at == NULL) return false;
  while (at > file->text && isspace((unsigned char)at[-1]))
    at--;
  return at > file->text && strchr(";{}:", at[-1]) != NULL;
}

/* The column of the closing parenthesis of the only call of __VERIFIER_nondet_TYPE() on a line, in
 * characters from 1 on; 0: there are several, or its parentheses are elsewhere. */
static unsigned column_of_call(const struct program_file *file, uint32_t line, const char *type) {
  static const char prefix[] = "__VERIFIER_nondet_";
  const char *at = line_of(file, line), *found = NULL;
  unsigned column = 0;
  const size_t length = strlen(type);
  for (; at != NULL && *at != '\0' && *at != '\n'; at++) {
    if (strncmp(at, prefix, sizeof prefix - 1) != 0) continue;
    const char *name = at + sizeof prefix - 1;
    if (strncmp(name, type, length) != 0 || isalnum((unsigned char)name[length])) continue;
    if (found != NULL) return 0;
    found = name + length;
  }
  while (found != NULL && (*found == ' ' || *found == '('))
    found++;
  if (found == NULL || *found != ')') return 0;
  for (at = line_of(file, line); at <= found; at++)
    column += ((unsigned char)*at & 0xc0) != 0x80;
  return column;
}

static void put_location(struct witness *w, uint64_t place, unsigned column) {
  put(w, "        location:\n          file_name: ");
  put_quoted(w, w->s->code.texts[place >> 32]);
  put(w, "\n          line: %" PRIu32 "\n", (uint32_t)place);
  if (column > 0) put(w, "          column: %u\n", column);
}

static void waypoint(struct witness *w, const char *type, unf_thread thread, uint64_t place,
                     unsigned column) {
  put(w,
      "    - waypoint:\n        type: %s\n        action: follow\n        thread_id: %" PRIu32 "\n",
      type, w->numbers[thread] - 1);
  put_location(w, place, column);
}

/* ---- the execution ---- */

static bool is_unsigned(const char *type) {
  return type[0] == 'u' || type[0] == 'b' || type[0] == '_' || strcmp(type, "size_t") == 0;
}

static void put_value(struct witness *w, const struct asked_input *item, int64_t value) {
  uint64_t bits = (uint64_t)value;
  const char *type = item->type;
  put(w,
      "        constraint:\n          format: ext_c_expression\n          value: \"\\\\result == ");
  if (!is_unsigned(type) && value == INT64_MIN) {
    put(w, "(-9223372036854775807 - 1)\"\n");
    return;
  }
  if (strstr(type, "char") != NULL || strcmp(type, "u8") == 0) bits &= UINT8_MAX;
  if (strstr(type, "short") != NULL || strcmp(type, "u16") == 0) bits &= UINT16_MAX;
  if (strcmp(type, "uint") == 0 || strcmp(type, "unsigned") == 0 || strcmp(type, "u32") == 0)
    bits &= UINT32_MAX;
  if (is_unsigned(type))
    put(w, "%" PRIu64 "%s\"\n", bits, bits > INT64_MAX ? "U" : "");
  else
    put(w, "%" PRId64 "\"\n", value);
}

static bool refuse(struct witness *w, const char *why) {
  if (w->wrong[0] == '\0') snprintf(w->wrong, sizeof w->wrong, "%s", why);
  return false;
}

/* The inputs that a thread asked for behind an event, before its next one. */
static bool put_inputs(struct witness *w, unf_thread thread, unf_event after) {
  const struct asked *asked = &w->s->machine.asked;
  for (uint64_t i = 0; i < asked->items.count; i++) {
    const struct asked_input *item = asked_item(asked, i);
    int64_t value;
    if (item->thread != thread || item->after != after) continue;
    if (item->type == NULL) return refuse(w, "an input is not the result of __VERIFIER_nondet_…()");
    if (file_of(w, item->place) == NULL) return refuse(w, "an input is asked for in another file");
    const int known = asked_value(item, &w->s->knowledge, w->set, &value);
    if (known < 0) w->refused = true;
    if (known <= 0) return refuse(w, "no values of its inputs are known");
    put(w, "  - segment:\n");
    waypoint(w, "function_return", thread, item->place,
             column_of_call(file_of(w, item->place), (uint32_t)item->place, item->type));
    put_value(w, item, value);
  }
  return true;
}

static bool put_step(void *user, unf_event event) {
  struct witness *w = user;
  unf_action action;
  uint64_t place = 0;
  if (unf_event_action(w->s->unfolding, event, &action) != UNF_OK ||
      unf_event_cookie(w->s->unfolding, event, &place) != UNF_OK)
    return refuse(w, "an event is gone");
  const bool silent = action.kind == UNF_DID_BRANCH || action.kind == UNF_DID_LOCAL;
  const struct program_file *file = file_of(w, place);
  if (action.kind == UNF_DID_CREATE) {
    if (file == NULL) return refuse(w, "a thread is made in another file");
    put(w, "  - segment:\n");
    waypoint(w, "function_enter", action.thread, place, 0);
    w->numbers[action.target] = ++w->next;
  } else if (!silent && action.thread != w->last && file != NULL &&
             begins_statement(file, (uint32_t)place)) {
    put(w, "  - segment:\n");
    waypoint(w, "assumption", action.thread, place, 0);
    put(w, "        constraint:\n          format: c_expression\n          value: \"1\"\n");
  }
  if (!silent) w->last = action.thread;
  return put_inputs(w, action.thread, event) &&
         (action.kind != UNF_DID_CREATE || put_inputs(w, action.target, event)) && !w->refused;
}

static bool put_target(struct witness *w, unf_thread thread, uint64_t place) {
  if (file_of(w, place) == NULL) return refuse(w, "what it leads to is in another file");
  waypoint(w, "target", thread, place, 0);
  return true;
}

/* ---- a file ---- */

#ifdef HAVE_SODIUM
static const bool hashes = true;

static void hash(const char *text, size_t size, unsigned char digest[DIGEST]) {
  crypto_hash_sha256(digest, (const unsigned char *)text, size);
}
#else
static const bool hashes = false; /* so that no witness is begun */

static void hash(const char *text, size_t size, unsigned char digest[DIGEST]) {
  (void)text, (void)size;
  memset(digest, 0, DIGEST);
}
#endif

static void put_time(struct witness *w) {
  const char *given = getenv("SOURCE_DATE_EPOCH");
  const time_t now = given != NULL ? (time_t)strtoll(given, NULL, 10) : time(NULL);
  struct tm parts;
  char text[40] = "1970-01-01T00:00:00Z";
  if (gmtime_r(&now, &parts) != NULL) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  put(w, "    creation_time: \"%s\"\n", text);
}

/* What the witness is about: files, property. */
static void put_task(struct witness *w, const char *property) {
  put(w, "    task:\n      input_files:\n");
  for (int i = 0; i < w->s->options.file_count; i++) {
    put(w, "        - ");
    put_quoted(w, w->files[i].path);
    put(w, "\n");
  }
  put(w, "      input_file_hashes:\n");
  for (int i = 0; i < w->s->options.file_count; i++) {
    unsigned char digest[DIGEST];
    hash(w->files[i].text, w->files[i].size, digest);
    put(w, "        ");
    put_quoted(w, w->files[i].path);
    put(w, ": \"");
    for (unsigned k = 0; k < DIGEST; k++)
      put(w, "%02x", digest[k]);
    put(w, "\"\n");
  }
  put(w, "      specification: \"%s\"\n      data_model: \"LP64\"\n      language: \"C\"\n",
      property);
}

/* The task and the segments, which are there, with what stands before them; what it is called by
 * depends on nothing else. */
static char *whole(struct witness *w, const char *property) {
  struct witness head = *w;
  unsigned char digest[DIGEST];
  head.text = NULL;
  head.size = head.room = 0;
  put_task(&head, property);
  put(&head, "  content:\n");
  for (const char *at = w->text; at != NULL && *at != '\0'; at += strnlen(at, LINE_ROOM / 2))
    put(&head, "%.*s", LINE_ROOM / 2, at);
  struct witness all = *w;
  all.text = NULL;
  all.size = all.room = 0;
  all.refused = head.refused;
  if (!head.refused) {
    hash(head.text, head.size, digest);
    digest[6] = (unsigned char)((digest[6] & 0x0f) | 0x80); /* a UUID of version 8 */
    digest[8] = (unsigned char)((digest[8] & 0x3f) | 0x80);
    put(&all, "- entry_type: violation_sequence\n  metadata:\n    format_version: \"2.2\"\n"
              "    uuid: \"");
    for (unsigned i = 0; i < 16; i++)
      put(&all, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", digest[i]);
    put(&all, "\"\n");
    put_time(&all);
    put(&all, "    producer:\n      name: \"unfold-sym\"\n      version: \"%s\"\n",
        unf_version_text());
    for (const char *at = head.text; *at != '\0'; at += strnlen(at, LINE_ROOM / 2))
      put(&all, "%.*s", LINE_ROOM / 2, at);
  }
  free(head.text);
  w->refused |= all.refused;
  if (!all.refused) return all.text;
  free(all.text);
  return NULL;
}

static bool open_witness(struct witness *w, struct sym *s, uint32_t set) {
  int status;
  *w = (struct witness){.s = s, .set = set, .last = 0};
  w->thread_count = unf_unfolding_threads(s->unfolding);
  w->files = calloc((size_t)s->options.file_count, sizeof *w->files);
  w->numbers = calloc(w->thread_count + 1, sizeof *w->numbers);
  w->refused = w->files == NULL || w->numbers == NULL;
  if (w->refused) return false;
  if (!hashes)
    return refuse(w, "it has hashes of files, and unfold-sym was built without libsodium");
  w->numbers[0] = ++w->next; /* the thread of main, which is number 0 */
  for (int i = 0; i < s->options.file_count; i++) {
    struct program_file *file = &w->files[i];
    file->path = s->options.arguments[i];
    const size_t length = strlen(file->path);
    if (length > 3 && strcmp(file->path + length - 3, ".bc") == 0)
      return refuse(w, "of bitcode the files of the program are not known");
    file->text = cli_read_file(CLI_SYMBOLIC, file->path, &file->size, &status);
    if (file->text == NULL) return refuse(w, "a file of the program cannot be read any more");
  }
  return true;
}

static void close_witness(struct witness *w) {
  for (int i = 0; w->files != NULL && i < w->s->options.file_count; i++)
    free(w->files[i].text);
  free(w->files);
  free(w->numbers);
  free(w->text);
}

/* Keeps the witness of the execution at hand with these targets, unless there is one. */
static void keep_witness(struct sym *s, uint32_t set, const char *property,
                         const unf_access *targets, unsigned count) {
  struct witness w;
  if (s->options.witness == NULL || s->witness != NULL || s->steps != NULL) return;
  bool good = open_witness(&w, s, set) && put_inputs(&w, 0, UNF_EVENT_BOTTOM);
  if (good) unf_explorer_path(s->explorer, put_step, &w);
  good = good && w.wrong[0] == '\0' && !w.refused;
  if (good) put(&w, "  - segment:\n");
  for (unsigned i = 0; good && i < count; i++)
    good = put_target(&w, targets[i].thread, targets[i].place);
  if (good) s->witness = whole(&w, property);
  if (w.refused) {
    if (!s->refused) cli_say(stderr, "unfold-sym: no memory for a witness");
    s->refused = true;
  } else if (!good) {
    snprintf(s->no_witness, sizeof s->no_witness, "%s", w.wrong);
  }
  close_witness(&w);
}

void sym_witness_assertion(struct sym *s, uint32_t set) {
  for (uint32_t i = 0; i < s->machine.thread_count; i++) {
    const struct thread *t = s->machine.threads[i];
    if (t == NULL || t->standing != STANDS_FAILED || t->kind != CLI_ASSERTION) continue;
    const unf_access target = {.thread = t->handle, .place = t->place};
    const bool call =
        strcmp(t->text, "reach_error()") == 0 || strcmp(t->text, "__VERIFIER_error()") == 0;
    char property[sizeof t->text + 16];
    snprintf(property, sizeof property, "G ! call(%s)", call ? t->text : "__assert_fail()");
    keep_witness(s, set, property, &target, 1);
    return;
  }
}

void sym_witness_race(struct sym *s, uint32_t set, const unf_race *race) {
  const unf_access targets[] = {race->first, race->second};
  keep_witness(s, set, "G ! data-race", targets, 2);
}

void sym_witness_drop(struct sym *s) {
  free(s->witness);
  s->witness = NULL;
  s->no_witness[0] = '\0';
}

static unf_status produce(void *sym, unf_write write, void *file) {
  const struct sym *s = sym;
  return write(file, s->witness, strlen(s->witness)) ? UNF_OK : UNF_WRITE;
}

/* Which kinds were found, of which there are no witnesses. */
static void say_kinds(const struct sym *s) {
  char kinds[128] = "";
  for (unsigned kind = 0; kind < CLI_KIND_COUNT; kind++) {
    bool found = false;
    for (size_t i = 0; i < s->result.defects.count; i++)
      found |= s->result.defects.items[i].kind == (enum cli_kind)kind;
    const size_t length = strlen(kinds);
    if (found)
      snprintf(kinds + length, sizeof kinds - length, "%s%s", length > 0 ? ", " : "",
               cli_kind_name((enum cli_kind)kind));
  }
  cli_say(stderr, "unfold-sym: %s: not written: %s%s", s->options.witness,
          kinds[0] != '\0' ? "there are witnesses of assertions and races, not of "
                           : "nothing was "
                             "found",
          kinds);
}

void sym_witness_write(struct sym *s) {
  if (s->options.witness == NULL) return;
  if (s->witness != NULL) {
    if (!cli_save(CLI_SYMBOLIC, s->options.witness, produce, s)) sym_not_saved(s);
  } else if (s->no_witness[0] != '\0')
    cli_say(stderr, "unfold-sym: %s: not written: %s", s->options.witness, s->no_witness);
  else {
    say_kinds(s);
  }
}

#include "asked.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "knowledge.h"
#include "solver.h"
#include "terms.h"

enum { THREAD_NAME = 200, ENTRY_SIZE = THREAD_NAME + 32 };

/* ---- values that were given ---- */

static bool read_value(const char *text, size_t length, int64_t *value) {
  char digits[32], *end;
  if (length == 0 || length >= sizeof digits) return false;
  memcpy(digits, text, length);
  digits[length] = '\0';
  errno = 0;
  if (digits[0] == '-')
    *value = strtoll(digits, &end, 10);
  else
    *value = (int64_t)strtoull(digits, &end, 10); /* of 64 bits without a sign, too */
  return *end == '\0' && errno == 0 && strchr(" \t+", digits[0]) == NULL;
}

/* False: no memory. */
static bool add_given(struct asked *a, const char *name, size_t length, int64_t value) {
  if (a->given_count == a->given_room) {
    const size_t room = 2 * a->given_room + 8;
    struct given_input *given = realloc(a->given, room * sizeof *given);
    if (given == NULL) return false;
    a->given = given;
    a->given_room = room;
  }
  struct given_input *g = &a->given[a->given_count];
  *g = (struct given_input){.name = strndup(name, length),
                            .of_thread = strspn(name, "0123456789.") == length,
                            .value = value};
  a->given_count += g->name != NULL;
  return g->name != NULL;
}

bool asked_give(struct asked *a, const char *text, const char **wrong) {
  while (*text != '\0') {
    const size_t length = strcspn(text, ","), name = strcspn(text, "=");
    int64_t value;
    *wrong = text;
    if (name == 0 || name >= length || !read_value(text + name + 1, length - name - 1, &value))
      return false;
    *wrong = NULL;
    if (!add_given(a, text, name, value)) return false;
    text += length + (text[length] == ',');
  }
  return true;
}

const char *asked_unused(const struct asked *a) {
  size_t i = 0;
  while (i < a->given_count && a->given[i].used)
    i++;
  return i < a->given_count ? a->given[i].name : NULL;
}

/* ---- an execution ---- */

enum { ITEMS_BITS = 4 };
const struct array_kind asked_kind = {.size = sizeof(struct asked_input), .bits = ITEMS_BITS};

void asked_begin(struct asked *a) {
  array_drop(a->pool, &asked_kind, &a->items);
}

void asked_go_on(struct asked *a, const struct array *items) {
  asked_begin(a);
  a->items = array_share(items);
}

const struct asked_input *asked_item(const struct asked *a, uint64_t index) {
  return array_read(&asked_kind, &a->items, index);
}

void asked_free(struct asked *a) {
  asked_begin(a);
  for (size_t i = 0; i < a->given_count; i++)
    free(a->given[i].name);
  for (size_t i = 0; i < a->name_count; i++)
    free(a->names[i]);
  free(a->given);
  free(a->names);
  memset(a, 0, sizeof *a);
}

static struct given_input *find_given(struct asked *a, const char *thread, uint32_t number,
                                      const char *name) {
  for (size_t i = 0; i < a->given_count; i++) {
    struct given_input *g = &a->given[i];
    if (!g->of_thread && strcmp(g->name, name) == 0) return g;
    if (g->of_thread && strcmp(g->name, thread) == 0 && number-- == 0) return g;
  }
  return NULL;
}

/* Whether a number is one of so many bits, with or without a sign; then it becomes the one with. */
static bool fits(unsigned width, int64_t *value) {
  if (width == 1) return *value == 0 || *value == 1;
  if (width >= 64) return true;
  const int64_t low = (int64_t)((uint64_t)*value << (64 - width)) >> (64 - width);
  const bool is = (uint64_t)*value >> width == 0 || *value == low;
  *value = low;
  return is;
}

enum asked_answer asked_look(struct asked *a, const unf_unfolding *unfolding, unf_thread thread,
                             uint32_t number, unsigned width, const char *name, int64_t *value) {
  char text[THREAD_NAME];
  if (a->given_count == 0 && !a->all_given) return ASKED_ITSELF;
  unf_thread_text(unfolding, thread, text, sizeof text);
  struct given_input *g = find_given(a, text, number, name);
  if (g == NULL && !a->all_given) return ASKED_ITSELF;
  *value = g != NULL ? g->value : 0;
  if (g != NULL) g->used = true;
  return fits(width, value) ? ASKED_GIVEN : ASKED_TOO_LARGE;
}

/* The name as it is kept; NULL: no memory. */
static const char *keep_name(struct asked *a, const char *name) {
  size_t i = 0;
  while (i < a->name_count && strcmp(a->names[i], name) != 0)
    i++;
  if (i < a->name_count) return a->names[i];
  if (a->name_count == a->name_room) {
    const size_t room = 2 * a->name_room + 16;
    char **names = realloc(a->names, room * sizeof *names);
    if (names == NULL) return NULL;
    a->names = names;
    a->name_room = room;
  }
  a->names[i] = strdup(name);
  a->name_count += a->names[i] != NULL;
  return a->names[i];
}

struct asked_input *asked_keep(struct asked *a, unf_thread thread, term input, const char *name) {
  const char *kept = name != NULL ? keep_name(a, name) : NULL;
  if (name != NULL && kept == NULL) return NULL;
  struct asked_input *item = array_push(a->pool, &asked_kind, &a->items);
  if (item != NULL) *item = (struct asked_input){.thread = thread, .term = input, .name = kept};
  return item;
}

/* ---- what is written ---- */

int asked_value(const struct asked_input *item, struct knowledge *k, uint32_t set, int64_t *value) {
  if (terms_is_constant(&k->terms, item->term, value)) return 1;
  if (knowledge_ask(k, set) != SOLVER_YES) return k->refused ? -1 : 0;
  return knowledge_value(k, set, item->term, value) ? 1 : -1;
}

/* Several inputs of a name that were given are told apart by a number behind it. */
static bool put(json_t *object, const char *name, int64_t value) {
  char numbered[THREAD_NAME + 16];
  snprintf(numbered, sizeof numbered, "%s", name);
  for (unsigned number = 2; json_object_get(object, numbered) != NULL; number++)
    snprintf(numbered, sizeof numbered, "%.*s.%u", THREAD_NAME, name, number);
  return json_object_set_new(object, numbered, json_integer((json_int_t)value)) == 0;
}

/* A number as its type has it: kept are numbers with signs. */
static int64_t shown(const struct asked_input *item, int64_t value) {
  static const char *const types[] = {"uchar", "u8", "ushort", "u16", "uint", "unsigned", "u32"};
  static const unsigned widths[] = {8, 8, 16, 16, 32, 32, 32};
  for (size_t i = 0; item->type != NULL && i < sizeof types / sizeof *types; i++)
    if (strcmp(item->type, types[i]) == 0) return value & ((INT64_C(1) << widths[i]) - 1);
  return value;
}

json_t *asked_values(const struct asked *a, struct knowledge *k, uint32_t set) {
  json_t *object = json_object();
  for (uint64_t i = 0; object != NULL && i < a->items.count; i++) {
    const struct asked_input *item = asked_item(a, i);
    int64_t value;
    const int known = asked_value(item, k, set, &value);
    const char *name =
        item->name != NULL ? item->name : k->inputs[terms_node(&k->terms, item->term)->value].name;
    if (known == 1 && put(object, name, shown(item, value))) continue;
    json_decref(object);
    return known == 0 ? json_null() : NULL;
  }
  return object;
}

char *asked_text(const struct asked *a, struct knowledge *k, uint32_t set) {
  char *text = malloc((size_t)a->items.count * ENTRY_SIZE + 1);
  size_t length = 0;
  if (text != NULL) text[0] = '\0';
  for (uint64_t i = 0; text != NULL && i < a->items.count; i++) {
    char thread[THREAD_NAME];
    int64_t value;
    const struct asked_input *item = asked_item(a, i);
    const int known = asked_value(item, k, set, &value);
    if (known == 1) {
      unf_thread_text(k->unfolding, item->thread, thread, sizeof thread);
      length += (size_t)snprintf(text + length, ENTRY_SIZE, "%s%s=%" PRId64, i > 0 ? "," : "",
                                 thread, value);
      continue;
    }
    text[0] = '\0';
    if (known == 0) return text;
    free(text);
    return NULL;
  }
  return text;
}

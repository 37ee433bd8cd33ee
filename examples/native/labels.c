/* Names of objects for people. Nothing is asked of another program here, so that the process under
 * test can do it too. */
#include "labels.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "control.h"
#include "control/modules.h"
#include "names.h"
#include "sites/image.h"

enum { KNOWN = 128, SYMBOL_SIZE = 2 * NAME_SIZE };

static uint64_t hash_of(const char *path) {
  uint64_t hash = 0xcbf29ce484222325u;
  while (*path != '\0')
    hash = (hash ^ (unsigned char)*path++) * 0x100000001b3u;
  return hash | 1;
}

void variable_in(const struct module *module, uint64_t offset, char *text, size_t size) {
  static struct known {
    uint64_t path, offset; /* a hash of the path, or 0 */
    char text[SYMBOL_SIZE];
  } table[KNOWN];
  struct known *known = &table[(offset ^ offset >> 7) % KNOWN];
  struct image image;
  char name[NAME_SIZE + 1];
  uint64_t from;
  const uint64_t path = hash_of(module->path);
  if (known->path != path || known->offset != offset) {
    const char *slash = strrchr(module->path, '/');
    const bool opened = image_open(&image, module->path);
    if (!opened || !image_variable(&image, offset, name, sizeof name, &from))
      snprintf(known->text, SYMBOL_SIZE, "%.*s+0x%" PRIx64, NAME_SIZE,
               slash != NULL ? slash + 1 : module->path, offset);
    else if (from == offset)
      snprintf(known->text, SYMBOL_SIZE, "%s", name);
    else
      snprintf(known->text, SYMBOL_SIZE, "%s+%" PRIu64, name, offset - from);
    if (opened) image_close(&image);
    known->path = path;
    known->offset = offset;
  }
  snprintf(text, size, "%s", known->text);
}

/* A canonical name taken apart. */
struct name_parts {
  unf_object_class class;
  unf_thread creator;
  uint64_t key, renewed;
  unsigned first, size; /* of a word; size 0: all of it */
};

static bool take_apart(const unf_unfolding *u, unf_object object, struct name_parts *p) {
  uint64_t key;
  if (unf_object_describe(u, object, &p->class, &p->creator, &key) != UNF_OK) return false;
  const bool barrier = p->class == UNF_BARRIER;
  p->renewed = key >> (barrier ? RENEWED_BIT_ROUND : RENEWED_BIT);
  p->first = barrier ? 0 : (unsigned)(key >> FIRST_BIT) & 7;
  p->size = barrier ? 0 : (unsigned)(key >> SIZE_BIT) & 15;
  p->key = key & (((uint64_t)1 << (barrier ? ROUND_BIT : FIRST_BIT)) - 1);
  return true;
}

/* One in memory that was there before any thread; false: it is in no module. */
static bool find_variable(const struct control *control, const struct name_parts *p, char *text,
                          size_t size) {
  const uint64_t module = p->key >> 32, offset = (uint32_t)p->key + p->first;
  if (p->creator != UNF_THREAD_NONE) return false;
  if (module < control->module_count)
    variable_in(&control->modules[module], offset, text, size);
  else
    snprintf(text, size, "from before main %" PRIu64 "+0x%" PRIx64, module - MODULES_MAX, offset);
  return module < control->module_count;
}

static void describe_made(const unf_unfolding *u, const struct name_parts *p, char *text,
                          size_t size) {
  const uint64_t number = p->key / NAMED_KINDS;
  char thread[NAME_SIZE];
  unf_thread_text(u, p->creator, thread, sizeof thread);
  switch (p->key % NAMED_KINDS) {
  case NAMED_INITIALISED:
    snprintf(text, size, "#%" PRIu64 " of %s", number + 1, thread);
    break;
  case NAMED_FIRST_USE:
    snprintf(text, size, "#%" PRIu64 " met by %s", number + 1, thread);
    break;
  case NAMED_STACK:
    snprintf(text, size, "on the stack of %s, -0x%" PRIx64, thread, number - p->first);
    break;
  case NAMED_HEAP:
    snprintf(text, size, "on the heap of %s, +0x%" PRIx64, thread, number + p->first);
    break;
  default:
    snprintf(text, size, "%s", thread);
  }
}

/* What it is, where no variable says that. */
static const char *sort_of(const struct name_parts *p) {
  static const char *const classes[] = {
#define CLASS_TEXT(name, text) text,
      UNF_OBJECT_TABLE(CLASS_TEXT)
#undef CLASS_TEXT
  };
  if (p->class != UNF_SEMAPHORE || p->creator == UNF_THREAD_NONE) return classes[p->class];
  if (p->key == KEY_OF_JOINS) return "joins of";
  if (p->key == NAMED_END) return "end of";
  return p->key == NAMED_SIGNALS ? "signals of" : classes[p->class];
}

static void add_renewals(const struct name_parts *p, char *text, size_t size) {
  const size_t length = strlen(text);
  if (p->renewed > 0 && length < size)
    snprintf(text + length, size - length, " (%" PRIu64 ")", p->renewed + 1);
}

size_t object_label(const struct control *control, const unf_unfolding *u, unf_object object,
                    char *text, size_t size) {
  struct name_parts p;
  char mark[SYMBOL_SIZE + NAME_SIZE];
  if (!take_apart(u, object, &p)) return 0;
  const bool variable = find_variable(control, &p, mark, sizeof mark);
  if (p.creator != UNF_THREAD_NONE) describe_made(u, &p, mark, sizeof mark);
  add_renewals(&p, mark, sizeof mark);
  return (size_t)snprintf(text, size, "%s%s%s%s",
                          p.size == SIZE_OF_PLACE ? "initialisation of " : "",
                          variable ? "" : sort_of(&p), variable ? "" : " ", mark);
}

void object_mark(const unf_unfolding *u, unf_object object, char *text, size_t size) {
  struct name_parts p = {.renewed = 0};
  if (!take_apart(u, object, &p))
    snprintf(text, size, "?");
  else if (p.creator == UNF_THREAD_NONE)
    snprintf(text, size, "%" PRIu64, p.key);
  else
    describe_made(u, &p, text, size);
  add_renewals(&p, text, size);
}

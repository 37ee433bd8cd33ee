#include "native.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../native/names.h"
#include "ends.h"
#include "initialised.h"
#include "machine.h"
#include "memory.h"
#include "options.h"
#include "session.h"
#include "sync.h"
#include "text.h"

/* An object that nobody initialised, and that is in no module: its first use names it. */
struct first_use {
  uint64_t address;
  unf_object_class kind;
  unf_thread thread;
  uint32_t number;
};

struct native {
  char *bytes;
  size_t size;
  char *name;
  unf_context *context;
  unf_unfolding *unfolding;
  struct first_use *used;
  size_t used_count, used_room;
  char why[300];
};

static void *no_memory(int *status) {
  cli_say(stderr, "unfold-sym: no memory for the names of a native program");
  *status = CLI_STOPPED;
  return NULL;
}

struct native *native_open(const char *path, int *status) {
  struct native *n = calloc(1, sizeof *n);
  const char *slash = strrchr(path, '/');
  if (n == NULL) return no_memory(status);
  n->bytes = cli_read_file(CLI_SYMBOLIC, path, &n->size, status);
  if (n->bytes == NULL) {
    native_close(n);
    return NULL;
  }
  if (n->size < sizeof(Elf64_Ehdr) || memcmp(n->bytes, ELFMAG, SELFMAG) != 0 ||
      n->bytes[EI_CLASS] != ELFCLASS64) {
    cli_say(stderr, "unfold-sym: %s: not a program", path);
    *status = CLI_USAGE;
    native_close(n);
    return NULL;
  }
  n->name = cli_show(slash != NULL ? slash + 1 : path);
  if (n->name != NULL && unf_context_new(NULL, &n->context) == UNF_OK &&
      unf_unfolding_new(n->context, NULL, &n->unfolding) == UNF_OK)
    return n;
  native_close(n);
  return no_memory(status);
}

void native_close(struct native *n) {
  if (n == NULL) return;
  unf_unfolding_free(n->unfolding);
  unf_context_free(n->context);
  free(n->bytes);
  free(n->name);
  free(n->used);
  free(n);
}

const char *native_name(const struct native *n) {
  return n->name;
}

unf_unfolding *native_unfolding(const struct native *n) {
  return n->unfolding;
}

/* ---- symbols ---- */

/* Part of the file; NULL if it has no such part. */
static const void *part(const struct native *n, uint64_t offset, uint64_t size) {
  const bool inside = offset <= n->size && size <= n->size - offset;
  return inside && offset % sizeof(uint64_t) == 0 ? n->bytes + offset : NULL;
}

static bool is_named(const struct native *n, const Elf64_Shdr *texts, uint32_t at,
                     const char *name) {
  const size_t length = strlen(name) + 1;
  return at < texts->sh_size && length <= texts->sh_size - at && texts->sh_offset < n->size &&
         texts->sh_size <= n->size - texts->sh_offset &&
         memcmp(n->bytes + texts->sh_offset + at, name, length) == 0;
}

/* How many variables have that name, and where the last one is. */
static unsigned find_symbol(const struct native *n, const char *name, uint64_t *value) {
  const Elf64_Ehdr *head = part(n, 0, sizeof *head);
  const Elf64_Shdr *sections = part(n, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections);
  unsigned found = 0;
  for (unsigned i = 0; sections != NULL && i < head->e_shnum; i++) {
    if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= head->e_shnum) continue;
    const Elf64_Sym *symbols = part(n, sections[i].sh_offset, sections[i].sh_size);
    for (uint64_t j = 0; symbols != NULL && j < sections[i].sh_size / sizeof *symbols; j++) {
      if (ELF64_ST_TYPE(symbols[j].st_info) != STT_OBJECT || symbols[j].st_shndx == SHN_UNDEF ||
          !is_named(n, &sections[sections[i].sh_link], symbols[j].st_name, name))
        continue;
      *value = symbols[j].st_value;
      found++;
    }
  }
  return found;
}

/* ---- names ---- */

static bool refuse(struct native *n, const char *format, const char *what) {
  snprintf(n->why, sizeof n->why, format, what);
  return false;
}

static bool must(struct native *n, unf_status status) {
  if (status != UNF_OK) n->why[0] = '\0';
  return status == UNF_OK;
}

static bool name_thread(struct native *n, const struct machine *m, unf_thread thread,
                        unf_thread *out) {
  uint32_t path[64], depth = 0;
  unf_thread at = thread;
  while (at != UNF_THREAD_NONE) {
    if (depth == sizeof path / sizeof *path)
      return refuse(n, "%s", "threads that create threads, too deep");
    if (!must(n, unf_thread_describe(m->unfolding, at, &at, &path[depth++], NULL))) return false;
  }
  *out = UNF_THREAD_NONE;
  while (depth > 0)
    if (!must(n, unf_thread_name(n->unfolding, *out, path[--depth], out))) return false;
  return true;
}

/* The lock around what must not be interrupted is in the library of inputs. */
static const char library_lock[] = "unfold_inputs_lock";

static bool find_static(struct native *n, const struct machine *m, uint64_t address,
                        const struct object *o, uint64_t *key) {
  const char *name = library_lock;
  uint32_t global = 0;
  while (o != NULL && global < m->code->global_count && m->globals[global] != o->address)
    global++;
  if (o != NULL && global == m->code->global_count)
    return refuse(n, "%s", "an object among the arguments of main");
  if (o != NULL) name = m->code->globals[global].name;
  const unsigned found = find_symbol(n, name, key);
  if (found == 0) return refuse(n, "no variable of the program has the name %s", name);
  if (found > 1) return refuse(n, "several variables of the program have the name %s", name);
  if (o != NULL) *key += address - o->address;
  return true;
}

static bool find_used(struct native *n, uint64_t address, unf_object_class kind, unf_thread *thread,
                      uint64_t *key) {
  uint32_t number = 0;
  size_t i = 0;
  for (; i < n->used_count && (n->used[i].address != address || n->used[i].kind != kind); i++)
    number += n->used[i].thread == *thread;
  if (i == n->used_count) {
    if (n->used_count == n->used_room) {
      const size_t room = 2 * n->used_room + 8;
      struct first_use *used = realloc(n->used, room * sizeof *used);
      if (used == NULL) return must(n, UNF_MEMORY);
      n->used = used;
      n->used_room = room;
    }
    n->used[n->used_count++] = (struct first_use){address, kind, *thread, number};
  }
  *thread = n->used[i].thread;
  *key = (uint64_t)n->used[i].number * NAMED_KINDS + NAMED_FIRST_USE;
  return true;
}

/* What a thread does now is done to this object. */
static bool name_object(struct native *n, struct machine *m, unf_thread thread, unf_object object,
                        unf_object *out) {
  unf_object_class kind;
  unf_thread creator = UNF_THREAD_NONE;
  uint64_t address, key = 0;
  if (!must(n, unf_object_describe(m->unfolding, object, &kind, &creator, &address))) return false;
  if (ends_is_joins(m->unfolding, object))
    return name_thread(n, m, creator, &creator) &&
           must(n, unf_object_name(n->unfolding, kind, creator, KEY_OF_JOINS, out));
  creator = UNF_THREAD_NONE;
  if (kind == UNF_BARRIER) return refuse(n, "%s", "a barrier");
  address &= (UINT64_C(1) << MACHINE_KEY_BITS) - 1;
  const struct object *o = memory_find(&m->memory, address);
  const struct initialised *made = machine_initialised_at(m, address);
  if (o == NULL || o->kind == OBJECT_GLOBAL) {
    if (!find_static(n, m, address, o, &key)) return false;
  } else if (kind == UNF_LOCATION) {
    return refuse(n, "an atomic on %s has the name of an address",
                  o->kind == OBJECT_STACK ? "a stack" : "the heap");
  } else if (made != NULL) {
    if (!name_thread(n, m, made->thread, &creator)) return false;
    key = (uint64_t)made->number * NAMED_KINDS + NAMED_INITIALISED;
  } else if (o->kind == OBJECT_STACK) {
    return refuse(n, "%s", "an object on a stack that no call initialised");
  } else {
    creator = thread;
    if (!find_used(n, address, kind, &creator, &key) || !name_thread(n, m, creator, &creator))
      return false;
  }
  return must(n, unf_object_name(n->unfolding, kind, creator, key, out));
}

struct members {
  struct native *n;
  const struct machine *m;
  unf_thread *threads;
  uint32_t count, room;
  bool failed;
};

static bool add_member(void *user, unf_thread thread) {
  struct members *all = user;
  if (all->count == all->room) {
    const uint32_t room = 2 * all->room + 8;
    unf_thread *threads = realloc(all->threads, room * sizeof *threads);
    all->failed = threads == NULL;
    if (threads == NULL) return must(all->n, UNF_MEMORY);
    all->threads = threads;
    all->room = room;
  }
  all->failed = !name_thread(all->n, all->m, thread, &all->threads[all->count]);
  all->count++;
  return !all->failed;
}

static bool name_set(struct native *n, const struct machine *m, int64_t set, int64_t *out) {
  struct members all = {.n = n, .m = m};
  bool good = must(n, unf_thread_set_members(m->unfolding, set, add_member, &all)) && !all.failed;
  if (good) good = must(n, unf_thread_set(n->unfolding, all.threads, all.count, out));
  free(all.threads);
  return good;
}

/* Threads notified, as names of the native program. */
static bool name_value(struct native *n, const struct machine *m, unf_action *a) {
  unf_thread thread;
  if (a->kind == UNF_DID_BROADCAST || a->kind == UNF_DID_FUTEX_WAKE ||
      a->kind == UNF_DID_FUTEX_WAKE_ALL)
    return name_set(n, m, a->value, &a->value);
  if (a->kind != UNF_DID_SIGNAL || a->value == UNF_LOST) return true;
  if (!name_thread(n, m, (unf_thread)a->value, &thread)) return false;
  a->value = thread;
  return true;
}

bool native_action(struct native *n, struct machine *m, const unf_action *action, unf_action *out,
                   const char **why) {
  *out = *action;
  snprintf(n->why, sizeof n->why, "an action that is not known");
  bool good = name_thread(n, m, action->thread, &out->thread);
  if (good && (action->kind == UNF_DID_CREATE || action->kind == UNF_DID_JOIN))
    good = name_thread(n, m, action->target, &out->target);
  else if (good && action->kind != UNF_DID_LOCAL)
    good = name_object(n, m, action->thread, action->target, &out->target);
  if (good && (action->kind == UNF_DID_WAIT || action->kind == UNF_DID_WAKE))
    good = name_object(n, m, action->thread, action->second, &out->second);
  if (good) good = name_value(n, m, out);
  *why = good || n->why[0] == '\0' ? NULL : n->why;
  return good;
}

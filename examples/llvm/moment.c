/*
 * Moments of an execution that are kept, so that another one can go on from there. Memory and lists
 * are shared with what comes later (array.h); a thread is copied, unless it still is as it was when
 * it was copied last.
 */
#include "moment.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "asked.h"
#include "initialised.h"
#include "machine.h"
#include "memory.h"
#include "sync.h"

/* A copy of a thread: its lists stand one behind the other in `data`. */
struct image {
  uint32_t holders;
  size_t size; /* of the data */
  struct thread thread;
  max_align_t data[];
};

struct kept_moment {
  struct memory_copy memory;
  struct moment now;
  struct array asked;
  uint32_t thread_count;
  struct image **threads; /* by handle; NULL: it does not run yet */
};

/* ---- threads ---- */

struct list {
  void **items;
  size_t count, element;
  size_t *room; /* NULL: it has room for just so many */
};
enum { LISTS = 8 };

static void lists_of(const struct machine *m, struct thread *t, struct list lists[LISTS]) {
  const size_t copies = t->copies != NULL ? m->code->global_count : 0;
  const struct list all[LISTS] = {
      {(void **)&t->frames, t->frame_count, sizeof *t->frames, &t->frame_room},
      {(void **)&t->values, t->value_count, sizeof *t->values, &t->value_room},
      {(void **)&t->decided, t->decided_count, sizeof *t->decided, &t->decided_room},
      {(void **)&t->copies, copies, sizeof *t->copies, NULL},
      {(void **)&t->specifics, t->specific_count, sizeof *t->specifics, &t->specific_room},
      {(void **)&t->jumps, t->jump_count, sizeof *t->jumps, &t->jump_room},
      {(void **)&t->handlers, t->handler_count, sizeof *t->handlers, &t->handler_room},
      {(void **)&t->freed, t->freed_count, sizeof *t->freed, &t->freed_room}};
  memcpy(lists, all, sizeof all);
}

/* The thread without its lists; those in `copies` are there or not. */
static void strip(const struct machine *m, const struct thread *t, struct thread *plain) {
  struct list lists[LISTS];
  memcpy(plain, t, sizeof *plain);
  lists_of(m, plain, lists);
  for (size_t i = 0; i < LISTS; i++) {
    *lists[i].items = NULL;
    if (lists[i].room != NULL) *lists[i].room = 0;
  }
  plain->image = NULL;
}

static size_t size_of(const struct list lists[LISTS]) {
  size_t size = 0;
  for (size_t i = 0; i < LISTS; i++)
    size += lists[i].count * lists[i].element;
  return size;
}

/* Whether a copy is what the thread is now. Bytes between members may differ, which only means that
 * it is copied once more. */
static bool is_same(const struct machine *m, struct thread *t, const struct image *image) {
  struct list lists[LISTS];
  struct thread plain;
  const char *data = (const char *)image->data;
  strip(m, t, &plain);
  lists_of(m, t, lists);
  if (size_of(lists) != image->size || memcmp(&plain, &image->thread, sizeof plain) != 0)
    return false;
  for (size_t i = 0; i < LISTS; i++) {
    const size_t size = lists[i].count * lists[i].element;
    if (size > 0 && memcmp(*lists[i].items, data, size) != 0) return false;
    data += size;
  }
  return true;
}

static void drop_image(struct machine *m, struct image *image) {
  if (image == NULL || --image->holders > 0) return;
  m->pool.bytes -= sizeof *image + image->size;
  free(image);
}

/* A copy of a thread, which it holds, too; NULL: no memory. */
static struct image *image_of(struct machine *m, struct thread *t) {
  struct list lists[LISTS];
  if (t->image == NULL || !is_same(m, t, t->image)) {
    lists_of(m, t, lists);
    const size_t size = size_of(lists);
    struct image *image = malloc(sizeof *image + size);
    if (image == NULL) return NULL;
    char *data = (char *)image->data;
    image->holders = 1;
    image->size = size;
    strip(m, t, &image->thread);
    for (size_t i = 0; i < LISTS; i++) {
      if (lists[i].count > 0) memcpy(data, *lists[i].items, lists[i].count * lists[i].element);
      data += lists[i].count * lists[i].element;
    }
    m->pool.bytes += sizeof *image + size;
    drop_image(m, t->image);
    t->image = image;
  }
  t->image->holders++;
  return t->image;
}

/* Gives a list room for what it is to have. False: no memory. */
static bool reserve(const struct list *list, size_t count) {
  const size_t room = list->room != NULL ? *list->room : 0;
  if (count <= room || count == 0) return true;
  void *items = realloc(*list->items, count * list->element);
  if (items == NULL) return false;
  *list->items = items;
  if (list->room != NULL) *list->room = count;
  return true;
}

static bool restore_thread(struct machine *m, struct thread *t, struct image *image) {
  struct list lists[LISTS], wanted[LISTS];
  if (t->image == image && is_same(m, t, image)) return true;
  lists_of(m, t, lists);
  lists_of(m, &image->thread, wanted);
  const size_t others = size_of(wanted); /* all but the copies, which it has no pointer to */
  wanted[3].count = (image->size - others) / wanted[3].element;
  const char *data = (const char *)image->data;
  struct thread now = image->thread;
  struct list into[LISTS];
  lists_of(m, &now, into);
  for (size_t i = 0; i < LISTS; i++) {
    if (!reserve(&lists[i], wanted[i].count)) return false;
    const size_t size = wanted[i].count * wanted[i].element;
    if (size > 0) memcpy(*lists[i].items, data, size);
    data += size;
    *into[i].items = *lists[i].items;
    if (into[i].room != NULL) *into[i].room = *lists[i].room;
  }
  if (wanted[3].count == 0) {
    free(now.copies);
    now.copies = NULL;
  }
  drop_image(m, t->image);
  image->holders++;
  now.image = image;
  *t = now;
  return true;
}

void machine_drop_image(struct machine *m, struct thread *t) {
  drop_image(m, t->image);
  t->image = NULL;
}

/* ---- all of it ---- */

void machine_drop(struct machine *m, struct kept_moment *kept) {
  if (kept == NULL) return;
  memory_copy_drop(&m->pool, &kept->memory);
  array_drop(&m->pool, &asked_kind, &kept->asked);
  array_drop(&m->pool, &syncs_kind, &kept->now.syncs);
  array_drop(&m->pool, &initialised_kind, &kept->now.initialised);
  free(kept->now.keys);
  for (uint32_t i = 0; kept->threads != NULL && i < kept->thread_count; i++)
    drop_image(m, kept->threads[i]);
  free(kept->threads);
  m->pool.bytes -= sizeof *kept;
  free(kept);
}

static bool keep_keys(struct moment *to, const struct moment *from) {
  to->keys = malloc((from->key_count + 1) * sizeof *to->keys);
  to->key_room = from->key_count;
  if (to->keys != NULL && from->key_count > 0)
    memcpy(to->keys, from->keys, from->key_count * sizeof *to->keys);
  return to->keys != NULL;
}

static bool keep_threads(struct machine *m, struct kept_moment *kept) {
  kept->threads = calloc(m->thread_count + (size_t)1, sizeof(struct image *));
  kept->thread_count = m->thread_count;
  for (uint32_t i = 0; kept->threads != NULL && i < m->thread_count; i++) {
    struct thread *t = m->threads[i];
    if (t == NULL || t->standing == STANDS_NOWHERE) continue;
    kept->threads[i] = image_of(m, t);
    if (kept->threads[i] == NULL) return false;
  }
  return kept->threads != NULL;
}

struct kept_moment *machine_keep(struct machine *m) {
  struct kept_moment *kept = calloc(1, sizeof *kept);
  if (kept == NULL) return NULL;
  m->pool.bytes += sizeof *kept;
  kept->now = m->now;
  kept->now.keys = NULL;
  kept->now.syncs = array_share(&m->now.syncs);
  kept->now.initialised = array_share(&m->now.initialised);
  kept->asked = array_share(&m->asked.items);
  if (memory_keep(&m->memory, &kept->memory) && keep_keys(&kept->now, &m->now) &&
      keep_threads(m, kept))
    return kept;
  machine_drop(m, kept);
  return NULL;
}

static bool restore_threads(struct machine *m, const struct kept_moment *kept) {
  for (uint32_t i = 0; i < m->thread_count; i++) {
    struct image *image = i < kept->thread_count ? kept->threads[i] : NULL;
    if (image == NULL && m->threads[i] != NULL)
      machine_reset_thread(m, m->threads[i]);
    else if (image != NULL && !restore_thread(m, m->threads[i], image))
      return false;
  }
  return true;
}

static bool restore_keys(struct moment *to, const struct moment *from) {
  if (from->key_count > to->key_room) {
    struct key *keys = realloc(to->keys, from->key_count * sizeof *keys);
    if (keys == NULL) return false;
    to->keys = keys;
    to->key_room = from->key_count;
  }
  to->key_count = from->key_count;
  if (from->key_count > 0) memcpy(to->keys, from->keys, from->key_count * sizeof *to->keys);
  return true;
}

bool machine_restore(struct machine *m, const struct kept_moment *kept) {
  struct moment now = kept->now;
  machine_clear(m);
  if (!memory_restore(&m->memory, &kept->memory) || !restore_keys(&m->now, &kept->now) ||
      !restore_threads(m, kept)) {
    machine_stop(m, UNF_MEMORY);
    return false;
  }
  now.keys = m->now.keys;
  now.key_room = m->now.key_room;
  now.syncs = array_share(&kept->now.syncs);
  now.initialised = array_share(&kept->now.initialised);
  m->now = now;
  asked_go_on(&m->asked, &kept->asked);
  return true;
}

/* Plain accesses to memory of several threads, where there is no atomic object, change nothing that
 * others can see of this thread. They are only noted here, and told to the detector of races before
 * the next operation of any thread, since nobody else runs until then; and what is accessed again
 * until then is noted once. So such an access costs a hundredth of an operation. Compiled for
 * general registers alone, as patch_hit.c; nothing here depends on other threads, as it remains on
 * the stack. */
#include "noted.h"

#include <stddef.h>

#include "objects.h"
#include "patch.h"
#include "patch_filter.h"
#include "patch_hit.h"
#include "scheduler.h"
#include "waits_quiet.h"

enum { WORD = 8 };

struct noted *noted;
bool noting, noting_places;

void noted_empty(void) {
  for (uint32_t i = 0; i < noted->used_count; i++)
    noted->words[noted->used[i]].read = noted->words[noted->used[i]].written = 0;
  noted->count = noted->used_count = 0;
}

static struct noted_word *find(uint64_t word, uint64_t place) {
  uint32_t i = (uint32_t)(((word / WORD ^ place << 20) * 0x9e3779b97f4a7c15u) >> 48) % NOTED_WORDS;
  for (;; i = (i + 1) % NOTED_WORDS) {
    struct noted_word *w = &noted->words[i];
    if ((w->read | w->written) == 0) {
      *w = (struct noted_word){word, place, 0, 0};
      noted->used[noted->used_count++] = (uint16_t)i;
      return w;
    }
    if (w->word == word && w->place == place) return w;
  }
}

/* Whether some of its bytes are new, all of which are known from then on. */
static bool is_new(const unf_access *access) {
  const uint64_t place = noting_places ? access->place : 0, end = access->address + access->size;
  bool new = false;
  for (uint64_t word = access->address & ~(uint64_t)(WORD - 1); word < end; word += WORD) {
    const uint8_t bytes = (uint8_t)word_bytes(word, access->address, access->size);
    struct noted_word *w = find(word, place);
    const uint8_t known = access->write ? w->written : w->read | w->written;
    new |= (bytes & ~known) != 0;
    if (access->write)
      w->written |= bytes;
    else
      w->read |= bytes;
  }
  return new;
}

static bool has_room(const struct thread *t, uint64_t size) {
  return (noted->thread == t || noted->count == 0) && noted->count < NOTED_MOST &&
         noted->used_count + size / WORD + 2 <= NOTED_WORDS / 2;
}

static void note(const struct thread *t, const unf_access *access) {
  noted->thread = t;
  if (is_new(access)) noted->accesses[noted->count++] = *access;
}

static bool is_shared(uint64_t address) {
  const uint8_t state = *filter_page(address);
  return state >= PAGE_BEFORE && state <= PAGE_ATOMIC;
}

/* Whether it comes before all that others do, at what is no operation's yet (locations_early()). */
static bool is_early(const unf_access *access) {
  const uint64_t end = access->address + access->size;
  for (uint64_t at = access->address & ~(uint64_t)(WORD - 1); at < end; at += WORD)
    if (locations_near[near_hash(at)]) return false;
  return threads->next == NULL;
}

/* One that only reads again and again is looked at: it may wait for what never comes. */
static bool passes_early(struct thread *t, const unf_access *access) {
  if (!is_early(access)) return false;
  if (access->write) waits_written();
  return access->write || waits_quiet(t);
}

bool note_access(const struct patched *p, const struct patch_frame *frame) {
  struct thread *t = thread_self();
  const struct site *s = &p->site;
  if (t == NULL) return true;
  if (s->kind == SITE_STRING) return false;
  const unf_access access = {t->name, (s->flags & SITE_WRITES) != 0, patch_address(p, frame),
                             s->size, p->address + 1};
  if (!is_shared(access.address) || !is_shared(access.address + s->size - 1)) return false;
  if (words_atomic(access.address, s->size)) return passes_early(t, &access);
  if (threads->next == NULL) return true;
  if (noting && !has_room(t, access.size)) return false;
  if (!access.write) {
    if (!waits_quiet(t)) return false;
  } else {
    waits_wrote(t, access.address, access.size);
  }
  if (noting) note(t, &access);
  return true;
}

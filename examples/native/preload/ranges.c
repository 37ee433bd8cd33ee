/* Atomic objects that have bytes in common: a lock word whose bytes are also stored alone, a
 * union. The library has to know all ranges of a word before it meets an event on one of them,
 * because an access depends on whatever has one of its bytes. When a program turns out to access a
 * word with several sizes, the ranges that were seen are written down for the launcher, which
 * begins again from the start; then they are there whenever the word is met. Whatever of a range
 * is not known to anybody may still be added later. In a replay the ranges follow from the names
 * in the schedule. */
#include "ranges.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unfold/unfold.h>

#include "../control.h"
#include "../control/learned.h"
#include "../control/texts.h"
#include "arena.h"
#include "engine.h"
#include "entry.h"
#include "objects.h"
#include "refuse.h"

enum { WORD = 8, BITS = 8, ACCESSES_MOST = 100000 };

static const char several[] = "an atomic object that is used with several sizes";
static uint32_t accesses; /* since one was; of the current execution */

static uint64_t word_of(uint64_t address) {
  return address & ~(uint64_t)(WORD - 1);
}

static unsigned first_of(const struct object *o) {
  return (unsigned)(o->address % WORD);
}

static uint8_t bytes_of(const struct object *o) {
  return (uint8_t)(((1u << o->bits / BITS) - 1) << first_of(o));
}

/* The bits of a word that stand for bytes. */
static uint64_t mask_of(uint8_t bytes) {
  uint64_t mask = 0;
  for (unsigned i = 0; i < WORD; i++)
    if (bytes >> i & 1) mask |= (uint64_t)UINT8_MAX << i * BITS;
  return mask;
}

/* ---- what is known ---- */

static bool is_word(const struct byte_range *r, const char *creator, uint64_t word) {
  return r->word == word && strcmp(r->creator, creator) == 0;
}

static void note(const char *creator, uint64_t word, uint32_t first, uint32_t size,
                 uint64_t place) {
  for (uint32_t i = 0; i < control->range_count; i++) {
    const struct byte_range *r = &control->ranges[i];
    if (is_word(r, creator, word) && r->first == first && r->size == size) return;
  }
  if (control->range_count == RANGES_MAX)
    refuse("more atomic objects that overlap than there is room for", place);
  struct byte_range *r = &control->ranges[control->range_count++];
  *r = (struct byte_range){.word = word, .first = first, .size = size};
  snprintf(r->creator, sizeof r->creator, "%s", creator);
}

static void name_of_word(const struct object *word, char creator[NAME_SIZE], uint64_t *key) {
  unf_thread thread;
  object_key(word, &thread, key);
  engine_thread(creator, NAME_SIZE, thread);
}

void ranges_learn(const unf_schedule *schedule) {
  for (uint64_t i = 0; i < unf_schedule_size(schedule); i++) {
    unf_action action;
    unf_thread thread;
    char creator[NAME_SIZE];
    uint64_t word;
    uint32_t first, size;
    bool good = unf_schedule_step(schedule, i, &action) == UNF_OK &&
                (action.kind == UNF_DID_READ || action.kind == UNF_DID_WRITE ||
                 action.kind == UNF_DID_ADD) &&
                object_bytes(action.target, &thread, &word, &first, &size);
    if (!good) continue;
    engine_thread(creator, sizeof creator, thread);
    note(creator, word, first, size, 0);
  }
}

/* The objects that were met so far have no bytes in common; that now is there. */
void range_begin_again(uint64_t address, unsigned bits, uint64_t place) {
  struct object *word = object_word(word_of(address)), *o = object_location(address);
  char creator[NAME_SIZE];
  uint64_t key;
  if (word == NULL || control->settings.replay) refuse(several, place);
  name_of_word(word, creator, &key);
  for (unsigned i = 0; i < WORD; i++) {
    const struct object *other = object_location(word->address + i);
    if (other != NULL && other->name != UNF_OBJECT_NONE && other->bits != 0)
      note(creator, key, i, other->bits / BITS, place);
  }
  unf_object space = UNF_OBJECT_NONE;
  uint32_t size;
  if (o != NULL && o->name != UNF_OBJECT_NONE)
    unf_location_describe(engine_unfolding(), o->name, &space, NULL, &size);
  if (space != UNF_OBJECT_NONE) note(creator, key, (uint32_t)(address % WORD), size, place);
  note(creator, key, (uint32_t)(address % WORD), bits / BITS, place);
  if (accesses == 0) accesses = 1;
}

bool ranges_divided(void) {
  if (accesses == 0) return false;
  if (++accesses > ACCESSES_MOST) ranges_check();
  return true;
}

void ranges_check(void) {
  if (accesses > 0) give_up(OUTCOME_AGAIN, "%s", several);
}

/* ---- objects of a word ---- */

static struct object *find(const struct word *word, uint64_t address, unsigned bits) {
  struct object *o = word->ranges;
  while (o != NULL && (o->address != address || o->bits != bits))
    o = o->next_range;
  return o;
}

struct object *range_find(uint64_t address, unsigned bits) {
  const struct object *word = object_location(word_of(address));
  return word == NULL || word->divided == NULL ? NULL : find(word->divided, address, bits);
}

/* Its bytes are numbered from the beginning of the word. NULL: the exploration is to begin again.
 */
static struct object *add(struct object *word, unsigned first, unsigned size) {
  struct object *o = object_part(word, first, size);
  unf_status status = unf_location_place(engine_unfolding(), o->name, word->name, first, size);
  if (status == UNF_STATE && control->settings.replay)
    give_up(OUTCOME_AGAIN, "bytes of an atomic object are used alone");
  if (status == UNF_STATE) {
    if (accesses == 0) accesses = 1;
    return NULL;
  }
  if (status != UNF_OK)
    give_up(status == UNF_MEMORY || status == UNF_LIMIT ? OUTCOME_LIMIT : OUTCOME_BROKEN, "%s",
            unf_status_text(status));
  o->word = word->divided;
  o->next_range = o->word->ranges;
  o->word->ranges = o;
  return o;
}

/* Fills in all ranges that are known of a word, when it is met; false if the word is not known
 * to be divided. */
static bool divide(struct object *word) {
  char creator[NAME_SIZE];
  uint64_t key;
  name_of_word(word, creator, &key);
  for (uint32_t i = 0; i < control->range_count; i++) {
    const struct byte_range *r = &control->ranges[i];
    if (!is_word(r, creator, key)) continue;
    if (word->divided == NULL) word->divided = private_memory(sizeof *word->divided);
    add(word, r->first, r->size);
  }
  return word->divided != NULL;
}

/* Bytes that nobody met before have the value that they have now; in another order it may have been
 * another one. */
static void meet(struct object *o) {
  struct word *word = o->word;
  const uint8_t fresh = (uint8_t)(bytes_of(o) & ~word->known);
  uint64_t memory;
  memcpy(&memory, (const void *)(uintptr_t)word_of(o->address), sizeof memory);
  word->known |= fresh;
  word->start |= memory & mask_of(fresh);
  word->value |= memory & mask_of(fresh);
  const int64_t start = (int64_t)(word->start >> first_of(o) * BITS);
  if (!object_initial(o, start)) word->blank |= fresh;
}

struct object *range_meet(uint64_t address, unsigned bits, uint64_t place) {
  if (control->range_count == 0) return NULL;
  struct object *word = object_word(word_of(address));
  if (word == NULL || (word->divided == NULL && !divide(word))) return NULL;
  struct object *o = find(word->divided, address, bits);
  if (o == NULL) {
    char creator[NAME_SIZE];
    uint64_t key;
    name_of_word(word, creator, &key);
    note(creator, key, (uint32_t)(address % WORD), bits / BITS, place);
    o = add(word, (unsigned)(address % WORD), bits / BITS);
  }
  if (o != NULL) meet(o);
  return o;
}

void range_set(struct object *o, int64_t value) {
  const uint64_t mask = mask_of(bytes_of(o));
  o->word->value = (o->word->value & ~mask) | ((uint64_t)value << first_of(o) * BITS & mask);
  o->word->blank &= (uint8_t)~bytes_of(o);
}

bool range_blank(const struct object *o) {
  return (o->word->blank & bytes_of(o)) != 0;
}

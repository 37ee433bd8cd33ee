/* Races between plain accesses. An execution passes what the callbacks report on to the library's
 * detector, which lies in the memory that the worker and all executions share, as the explorer
 * does; what is found is written down at once, so that it is there when the execution crashes. Each
 * execution reports anew from its beginning: what memory lies where is its own affair. */
#include "accesses.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unfold/unfold.h>

#include "../control.h"
#include "../control/modules.h"
#include "../control/races.h"
#include "../control/texts.h"
#include "engine.h"
#include "entry.h"
#include "findings.h"
#include "heap.h"
#include "locations.h"
#include "modules.h"
#include "noted.h"
#include "numbers.h"
#include "patch_filter.h"
#include "patch_hit.h"
#include "program.h"
#include "refuse.h"
#include "scheduler.h"
#include "turns.h"
#include "words.h"

/* A frame of its own, below which the stack is empty afterwards. */
#define APART __attribute__((noinline))

enum { WORD = 8, PLACE_SHIFT = 5 };

bool unfold_watching, accesses_watched;

static unf_races *races;
static bool detecting;  /* the current execution passes accesses on to it */
static bool found_some; /* what is to become an atomic object was found in it */
static uint64_t early_modules[MODULES_MAX];
static uint32_t early_count;

void accesses_module(uint64_t place) {
  if (early_count < MODULES_MAX) early_modules[early_count++] = place;
}

static void must(unf_status status) {
  if (status == UNF_OK) return;
  give_up(status == UNF_MEMORY || status == UNF_LIMIT ? OUTCOME_LIMIT : OUTCOME_BROKEN, "%s",
          unf_context_detail(unf_unfolding_context(engine_unfolding()))->text);
}

void accesses_modules(void) {
  uint64_t offset;
  uint32_t module;
  control->callbacks_seen = early_count > 0;
  for (uint32_t i = 0; i < early_count; i++)
    if (module_locate(early_modules[i], &module, &offset))
      control->modules[module].callbacks = true;
}

bool accesses_new(void) {
  const bool seen = control->settings.races && early_count > 0;
  if (!seen && !words_watched()) return true;
  unf_races_options options = UNF_RACES_OPTIONS_INIT;
  options.every = control->settings.races_every;
  options.seed = control->settings.seed;
  if (control->settings.go_on[0] != '\0') options.before = control->carried.executions;
  return unf_races_new(engine_unfolding(), &options, &races) == UNF_OK;
}

/* What the C library writes to atomic objects is noticed in every execution. */
static void detect(bool on) {
  detecting = on;
  noting = on && words_watched();
  noting_places = control->settings.races;
  accesses_watched = on || words_watched();
  unfold_watching = accesses_watched || control->callbacks_seen;
}

void accesses_begin(uint64_t shared) {
  uint64_t resumed = 0;
  bool on = false;
  found_some = false;
  if (noted != NULL) noted_empty(); /* an execution may have gone on in another process */
  if (races != NULL) must(unf_races_begin(races, shared, &resumed, &on));
  detect(on);
}

void accesses_skip(void) {
  if (noted != NULL) noted_empty();
  detect(false);
}

/* What comes after a race is ordered, if the object is one that orders; it would become a lot of
 * operations that decide nothing. */
void accesses_step(unf_event event) {
  if (found_some) detect(false);
  if (detecting) must(unf_races_step(races, event));
}

bool accesses_count(uint32_t module) {
  return control->modules[module].callbacks || control->modules[module].sites.moves > 0;
}

static bool counts_there(uint64_t place) {
  uint64_t offset;
  uint32_t module;
  if (!module_locate(place, &module, &offset)) return false;
  return accesses_count(module) || control->modules[module].libc || program_called(place);
}

/* Asked at each call of memcpy and its relatives, so the answers are kept. */
bool unfold_counts(uint64_t place) {
  enum { KEPT = 128 };
  static struct {
    uint64_t place;
    uint32_t modules; /* how many there were */
    bool counts;
  } kept[KEPT];
  const uint32_t i = (uint32_t)((place * 0x9e3779b97f4a7c15u) >> 57);
  if (!running) return false;
  if (kept[i].place != place || kept[i].modules != control->module_count) {
    kept[i].counts = counts_there(place);
    kept[i].place = place;
    kept[i].modules = control->module_count;
  }
  return kept[i].counts;
}

/* A trace that is performed in another order is not watched; but what calls us does the same there,
 * and finds the same on its stack where it has written nothing. */
static void leave_nothing(void) {
  const struct thread *t = thread_self();
  if (control->settings.moves && running && t != NULL) stack_empty(t);
}

APART static void renew(const void *address, size_t size) {
  if (!running || size == 0 || !detecting || pending->reorder.running) return;
  accesses_flush();
  must(unf_races_forget(races, (uint64_t)(uintptr_t)address, size));
}

void unfold_renewed(const void *address, size_t size) {
  renew(address, size);
  leave_nothing();
}

static void describe_access(struct reported_access *out, const unf_access *access) {
  engine_thread(out->thread, sizeof out->thread, access->thread);
  out->place = access->place;
  out->write = access->write;
  out->after = 0;
}

/* Where memory is that has no name of its own. */
static void describe_region(char *text, uint64_t address) {
  char name[NAME_SIZE];
  uint32_t module;
  uint64_t offset;
  text[0] = '\0';
  if (module_locate(address, &module, &offset)) return;
  snprintf(text, NAME_SIZE, "memory on the heap");
  for (const struct thread *t = threads; t != NULL; t = t->next) {
    if (address < t->stack_low || address >= t->stack_high) continue;
    engine_thread(name, sizeof name, t->name);
    snprintf(text, NAME_SIZE, "the stack of %.40s", name);
  }
}

static bool is_patched(uint64_t place) {
  uint64_t offset;
  uint32_t module;
  return module_locate(place, &module, &offset) && !control->modules[module].callbacks;
}

/* The detector keeps one race of two places. What is only to become an atomic object is wanted
 * whole, so where no race is to be told the bytes are the place, and whether patched code accesses
 * them: a block that is copied becomes all of its words at once, and not one in each exploration.
 */
static uint64_t bytes_place(const unf_access *part, bool patched) {
  return part->address << PLACE_SHIFT | (part->size < PAGE ? part->size << 1 : 0) | patched;
}

static bool by_patched(uint64_t place) {
  return control->settings.races ? is_patched(place) : (place & 1) != 0;
}

/* Where patched code races, an atomic object is when the exploration has begun again: callbacks say
 * of theirs what is one. */
static bool learn_new(uint64_t found) {
  bool learned = false;
  for (; words_watched() && control->races_seen < found; control->races_seen++) {
    unf_race race;
    must(unf_races_get(races, control->races_seen, &race));
    if (!by_patched(race.first.place) || !by_patched(race.second.place)) continue;
    words_learn(race.first.address, race.first.size);
    control->raced++;
    learned = true;
  }
  return learned;
}

/* Where it is among the steps of a replay. */
static void describe_event(struct reported_access *out, unf_event event) {
  uint64_t fingerprint[2];
  if (event == UNF_EVENT_BOTTOM || event == UNF_EVENT_NONE) return;
  must(unf_event_fingerprint(engine_unfolding(), event, fingerprint));
  out->after = fingerprint[0];
}

static void describe_events(struct reported_race *out, uint64_t index) {
  unf_event first, second;
  must(unf_races_after(races, index, &first, &second));
  describe_event(&out->access[0], first);
  describe_event(&out->access[1], second);
}

/* Where a race is among those that are known, from processes that this one goes on from, or behind
 * them. */
static uint64_t find_known(const unf_race *race) {
  const uint64_t a = race->first.place, b = race->second.place;
  uint64_t i = 0;
  for (; i < control->races_found && i < RACES_MAX; i++) {
    const struct reported_access *access = control->races[i].access;
    if (access[0].place == a && access[1].place == b) return i;
    if (access[0].place == b && access[1].place == a) return i;
  }
  return control->races_found;
}

/* Races beyond the room that there is are only counted. */
static void note_new(uint64_t found) {
  for (; control->races_met < found; control->races_met++) {
    unf_race race;
    must(unf_races_get(races, control->races_met, &race));
    const uint64_t at = find_known(&race);
    if (control->races_met < RACES_MAX)
      control->race_at[control->races_met] = (uint16_t)(at < RACES_MAX ? at : RACES_MAX);
    if (at < control->races_found) continue;
    control->races_found++;
    if (at >= RACES_MAX) continue;
    struct reported_race *out = &control->races[at];
    describe_access(&out->access[0], &race.first);
    describe_access(&out->access[1], &race.second);
    if (control->settings.replay) describe_events(out, control->races_met);
    describe_region(out->region, race.first.address);
    out->address = race.first.address;
    out->step = engine_performed();
    out->name[0] = out->name[1] = UINT64_MAX;
    out->version = 2;
  }
}

/* Whether one of the bytes is an atomic object; its page is one that this thread has come to. */
static bool is_atomic(const void *memory, size_t size) {
  const uint64_t address = (uint64_t)(uintptr_t)memory;
  return running && thread_self() != NULL && words_watched() && size > 0 &&
         words_pages(address, size) && words_atomic(address, size);
}

/* In words, and pages, which the detector keeps as one. */
static void tell_bytes(const unf_access *access) {
  const uint64_t end = access->address + access->size;
  unf_access part = *access;
  for (; part.address < end; part.address += part.size) {
    const bool page = part.address % PAGE == 0 && end - part.address >= PAGE;
    const uint64_t next = page ? part.address + PAGE : (part.address | (WORD - 1)) + 1;
    part.size = (next < end ? next : end) - part.address;
    part.place = bytes_place(&part, is_patched(access->place));
    must(unf_races_access(races, &part));
  }
}

static void tell(const unf_access *access) {
  unf_races_counts counts;
  if (control->settings.races)
    must(unf_races_access(races, access));
  else
    tell_bytes(access);
  unf_races_counts_get(races, &counts);
  const bool learned = learn_new(counts.races);
  found_some |= learned;
  if (!control->settings.races) return;
  note_new(counts.races);
  if (learned) detect(false);
}

void accesses_flush(void) {
  const uint32_t count = noted == NULL ? 0 : noted->count;
  if (count == 0) return;
  noted_empty();
  for (uint32_t i = 0; i < count && detecting; i++)
    tell(&noted->accesses[i]);
}

static void pass_on(uint64_t address, uint64_t size, bool write, uint64_t place) {
  if (!detecting || pending->reorder.running || size == 0) return;
  accesses_flush();
  const unf_access access = {thread_self()->name, write, address, size, place};
  if (detecting) tell(&access);
}

void accesses_beside(const struct byte_span *m, bool write, uint64_t place) {
  const uint64_t end = m->address + m->size;
  uint64_t from = m->address;
  for (uint64_t at = from, next; at < end; at = next) {
    next = (at | (WORD - 1)) + 1;
    if (!words_atomic(at, (next < end ? next : end) - at)) continue;
    pass_on(from, at - from, write, place);
    from = next;
  }
  if (from < end) pass_on(from, end - from, write, place);
}

APART void accesses_touched(const void *address, size_t size, bool write, uint64_t place) {
  const struct byte_span span = {(uint64_t)(uintptr_t)address, size};
  if (!running || thread_self() == NULL || size == 0) return;
  if (!is_atomic(address, size)) {
    pass_on(span.address, size, write, place);
    return;
  }
  if (locations_early(&span)) return;
  if (write)
    locations_covered(span.address, span.size, place);
  else
    locations_read(&span, place);
  accesses_beside(&span, write, place);
}

/* What a call writes counts for loops that wait, as what the thread's own code does. (What it reads
 * becomes the thread's, or is an atomic object.) */
static void count_call(const void *address, size_t size, bool write) {
  if (write && running && thread_self() != NULL && size > 0 && words_watched())
    turns_wrote((uint64_t)(uintptr_t)address, size);
}

void accesses_told(const void *address, size_t size, bool write, uint64_t place) {
  count_call(address, size, write);
  accesses_touched(address, size, write, place);
  leave_nothing();
}

void unfold_freed(const void *address, size_t size, uint64_t place) {
  accesses_told(address, size, true, place);
}

void unfold_touched(const void *address, size_t size, bool write, uint64_t place) {
  count_call(address, size, write);
  accesses_touched(address, size, write, place);
  if (write && running && control->callbacks_seen && locations_used)
    locations_covered((uint64_t)(uintptr_t)address, size, place);
  leave_nothing();
}

void accesses_by_call(const void *address, size_t size, bool write, uint64_t place) {
  if (!unfold_watching || address == NULL || !unfold_counts(place)) return;
  unfold_touched(address, size, write, place);
}

bool unfold_coming(const void *address, size_t size, uint64_t place) {
  const struct byte_span span = {(uint64_t)(uintptr_t)address, size};
  const bool atomic = is_atomic(address, size);
  if (atomic && !locations_early(&span)) locations_meet(&span, place);
  return atomic;
}

void unfold_unmapped(const void *address, size_t size, uint64_t place) {
  accesses_touched(address, size, true, place);
  if (running && thread_self() != NULL) locations_rewritten(thread_self());
  leave_nothing();
}

void unfold_reads(struct reading *readings, unsigned count, uint64_t place) {
  locations_read_all(readings, count, place);
  for (unsigned i = 0; i < count; i++) {
    const struct byte_span span = {(uint64_t)(uintptr_t)readings[i].address, readings[i].size};
    if (!running || thread_self() == NULL || span.size == 0) continue;
    if (is_atomic(readings[i].address, span.size))
      accesses_beside(&span, false, place);
    else
      pass_on(span.address, span.size, false, place);
  }
  leave_nothing();
}

void unfold_read(const void *a, size_t a_size, const void *b, size_t b_size, uint64_t place) {
  struct reading readings[] = {{a, a_size, false, '\0'}, {b, b_size, false, '\0'}};
  unfold_reads(readings, 2, place);
}

size_t unfold_text(const char *text, size_t most, char last, uint64_t place) {
  struct reading reading = {text, most, true, last};
  unfold_reads(&reading, 1, place);
  return reading.size;
}

bool unfold_mapped(const void *address, size_t size) {
  const uint64_t first = (uint64_t)(uintptr_t)address, end = first + size;
  unsigned char byte;
  bool mapped = end >= first;
  for (uint64_t at = first; mapped && at < end; at = (at / PAGE + 1) * PAGE)
    mapped = numbers_read(&byte, at, 1);
  return mapped;
}

void unfold_path(const char *path, uint64_t place) {
  uint64_t at = (uint64_t)(uintptr_t)path;
  size_t size = 0, part;
  do {
    part = PAGE - at % PAGE;
    if (!unfold_mapped(path + size, 1)) return;
    at += part;
    size += part;
  } while (strnlen(path + size - part, part) == part);
  unfold_text(path, SIZE_MAX, '\0', place);
}

/* The race is told as this execution has it. Whose memory it is in is known while it runs alone. */
static void describe_by(struct reported_race *out, const unf_race *race, bool fresh,
                        const uint64_t name[2]) {
  static const char stack[] = "the stack of ";
  const unsigned schedule = findings_schedule(out->schedule);
  findings_change(&out->version);
  if (!fresh && race->first.address != out->address &&
      strncmp(out->region, stack, sizeof stack - 1) == 0)
    snprintf(out->region, sizeof out->region, "the stack of a thread");
  describe_access(&out->access[0], &race->first);
  describe_access(&out->access[1], &race->second);
  out->address = race->first.address;
  out->schedule = schedule;
  memcpy(out->name, name, sizeof out->name);
  findings_change(&out->version);
}

static void keep_race(uint64_t number, bool schedule_wanted) {
  uint64_t index, name[2];
  unf_race race;
  must(unf_races_here(races, number, &index, &race));
  if (index >= RACES_MAX || index >= control->races_met || control->race_at[index] >= RACES_MAX)
    return;
  struct reported_race *out = &control->races[control->race_at[index]];
  const bool fresh = out->name[0] == UINT64_MAX && out->name[1] == UINT64_MAX;
  out->count = out->before + race.count;
  if (!schedule_wanted) return;
  engine_run_name(name);
  if (fresh || findings_less(name, out->name)) describe_by(out, &race, fresh, name);
}

void accesses_keep(bool schedule_wanted) {
  if (races == NULL) return;
  for (uint64_t i = 0; i < unf_races_here_count(races); i++)
    keep_race(i, schedule_wanted);
}

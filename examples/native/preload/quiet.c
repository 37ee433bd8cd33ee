/* Places that are left out. What a thread does there is performed, and is no operation. The value
 * that the library knows of such a word would then be another than the real one; so whatever uses
 * memory that a quiet place uses is quiet as well. That shows while executions go: they begin again
 * with one more place, of which there are few. */
#include "quiet.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "../control.h"
#include "../control/marks.h"
#include "../control/modules.h"
#include "entry.h"
#include "modules.h"
#include "patch.h"
#include "refuse.h"

enum { WORDS = 1 << 12, WORDS_MOST = WORDS / 2 };

/* Of this execution: words, and who used each last. */
static struct used {
  uint64_t address;
  const struct patched *place;
} words[WORDS];
static uint32_t word_count;

static const char *short_name(uint32_t module) {
  const char *path = control->modules[module].path, *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

static bool is_listed(uint32_t module, uint64_t offset) {
  for (uint32_t i = 0; i < control->quiet_count; i++) {
    struct quiet_place *q = &control->quiet[i];
    if (q->offset != offset || (strcmp(q->module, short_name(module)) != 0 &&
                                strcmp(q->module, control->modules[module].path) != 0))
      continue;
    q->met = true;
    return true;
  }
  return false;
}

bool quiet_module(uint32_t module) {
  return is_listed(module, QUIET_WHOLE);
}

bool quiet_place(uint32_t module, uint64_t offset) {
  return quiet_module(module) || is_listed(module, offset);
}

void quiet_begin(void) {
  if (control->quiet_lines && !control->settings.replay && control->sites_off[0] == '\0') {
    control->level_restarts++;
    give_up(OUTCOME_AGAIN, "places are looked for by their lines");
  }
}

static void learn(const struct patched *p) {
  uint32_t module;
  uint64_t offset;
  if (control->quiet_count == QUIET_MAX || !module_locate(p->address, &module, &offset))
    refuse("a place that uses the same memory as one that is left out (--quiet)", p->address + 1);
  struct quiet_place *q = &control->quiet[control->quiet_count++];
  snprintf(q->module, sizeof q->module, "%s", short_name(module));
  q->offset = offset;
  q->met = q->learned = true;
  control->level_restarts++;
  give_up(OUTCOME_AGAIN, "a place uses the same memory as one that is left out");
}

static struct used *slot_of(uint64_t address) {
  uint32_t i = (uint32_t)(address * 0x9e3779b97f4a7c15u >> 40) % WORDS;
  while (words[i].place != NULL && words[i].address != address)
    i = (i + 1) % WORDS;
  return &words[i];
}

bool quiet_performs(const struct patched *place, uint64_t address) {
  if (control->quiet_count == 0) return false;
  struct used *used = slot_of(address);
  if (used->place == NULL && word_count < WORDS_MOST) {
    *used = (struct used){address, place};
    word_count++;
  }
  if (used->place != NULL && used->place->quiet != place->quiet && !control->settings.replay)
    learn(place->quiet ? used->place : place);
  return place->quiet;
}

void quiet_text(char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (uint32_t i = 0; i < control->quiet_count && used < size; i++) {
    const struct quiet_place *q = &control->quiet[i];
    int length = snprintf(text + used, size - used, "%s%s", i == 0 ? QUIET_MARK : ",", q->module);
    used += (size_t)length;
    if (q->offset == QUIET_WHOLE || used >= size) continue;
    length = snprintf(text + used, size - used, "+0x%llx", (unsigned long long)q->offset);
    used += (size_t)length;
  }
}

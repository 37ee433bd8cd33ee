/* Modules that the program loads while it runs. A module is seen when a thread comes to its next
 * operation, which is before another thread can run; what its constructors did is over then.
 * dlopen() itself cannot be interposed, because the dynamic linker looks for the file where the
 * module of its caller says. */
#include "patch_later.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../control.h"
#include "../control/settings.h"
#include "entry.h"
#include "imports.h"
#include "modules.h"
#include "patch.h"
#include "refuse.h"

enum { MEMORY_MAX = 128 };

static struct { uint64_t low, high; } memory[MEMORY_MAX];
static uint32_t memory_count;
static const struct link_map *last; /* of those in front of main, which stay */
static uint64_t known;              /* what came after it, as a number */

void memory_add(uint64_t low, uint64_t high) {
  if (memory_count == MEMORY_MAX) return;
  memory[memory_count].low = low;
  memory[memory_count++].high = high;
}

bool memory_before(uint64_t address, uint32_t *number, uint64_t *offset) {
  for (uint32_t i = 0; i < memory_count; i++) {
    if (address < memory[i].low || address >= memory[i].high) continue;
    *number = i;
    *offset = address - memory[i].low;
    return true;
  }
  return false;
}

uint64_t memory_low(uint32_t number) {
  return number < memory_count ? memory[number].low : 0;
}

void later_prepare(void) {
  const struct link_map *map = _r_debug.r_map;
  while (map != NULL && map->l_next != NULL)
    map = map->l_next;
  last = map;
}

/* In place, a module lies among mappings that a thread decides on, where nothing else may lie: what
 * replaces its code has no room. */
_Noreturn static void leave_place(void) {
  struct settings *s = &control->settings;
  const char *path = control->modules[control->module_count - 1].path;
  const char *name = strrchr(path, '/');
  s->in_place = false;
  snprintf(s->apart_because, sizeof s->apart_because, "it loads %s while it runs",
           name != NULL ? name + 1 : path);
  control->level_restarts++;
  give_up(OUTCOME_AGAIN, "modules are loaded while it runs");
}

void later_check(void) {
  if (last == NULL || (last->l_next == NULL && known == 0)) return;
  uint64_t now = 0;
  for (const struct link_map *map = last->l_next; map != NULL; map = map->l_next)
    now = (now ^ map->l_addr ^ (uint64_t)(uintptr_t)map->l_ld) * 0x9e3779b97f4a7c15u;
  if (now == known) return;
  known = now;
  control->modules_later = true;
  if (!control->settings.sites || control->sites_off[0] != '\0') return;
  modules_more();
  if (control->settings.in_place && control->fallback[0] == '\0' && !control->settings.replay)
    leave_place();
  patch_modules();
  imports_watch();
}

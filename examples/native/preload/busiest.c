/* Events of atomic objects, by place: where there are many of them, they multiply the traces. An
 * event is counted when it is met first; handles are given in that order. */
#include "busiest.h"

#include <stddef.h>
#include <stdint.h>

#include "../control.h"
#include "../control/modules.h"
#include "engine.h"
#include "entry.h"
#include "findings.h"
#include "objects.h"
#include "scheduler.h"

void busiest_count(const struct thread *t) {
  const struct object *o = t->object;
  if (o == NULL || (o->kind != OBJECT_LOCATION && o->kind != OBJECT_FUTEX)) return;
  const unf_event event = engine_last();
  if (pending->reorder.running || event <= control->last_event) return;
  control->last_event = event;
  uint32_t i = (uint32_t)(t->place * 0x9e3779b97f4a7c15u >> 40) % BUSIEST_SLOTS;
  for (uint32_t n = 0; n < BUSIEST_SLOTS; n++, i = (i + 1) % BUSIEST_SLOTS) {
    struct busy_place *b = &control->busiest[i];
    if (b->events > 0 && b->place != t->place) continue;
    b->place = t->place;
    b->events++;
    return;
  }
}

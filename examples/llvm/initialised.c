/* Objects that threads initialise at run time, with the names that this gives them. */
#include <stdlib.h>

#include "machine.h"

bool machine_initialise(struct machine *m, struct thread *t, uint64_t address) {
  const struct object *o = memory_find(&m->memory, address);
  if (o == NULL || o->kind == OBJECT_GLOBAL) return true;
  if (m->initialised_count == m->initialised_room) {
    const size_t room = 2 * m->initialised_room + 16;
    struct initialised *initialised = realloc(m->initialised, room * sizeof *initialised);
    if (initialised == NULL) {
      machine_stop(m, UNF_MEMORY);
      return false;
    }
    m->initialised = initialised;
    m->initialised_room = room;
  }
  m->initialised[m->initialised_count++] =
      (struct initialised){address, t->handle, t->initialisations++};
  return true;
}

const struct initialised *machine_initialised_at(const struct machine *m, uint64_t address) {
  for (size_t i = m->initialised_count; i > 0; i--)
    if (m->initialised[i - 1].address == address) return &m->initialised[i - 1];
  return NULL;
}

/* Objects that threads initialise at run time, with the names that this gives them. */
#include "initialised.h"

#include "array.h"
#include "machine.h"
#include "memory.h"

enum { BITS = 5 };
const struct array_kind initialised_kind = {.size = sizeof(struct initialised), .bits = BITS};

bool machine_initialise(struct machine *m, struct thread *t, uint64_t address) {
  const struct object *o = memory_find(&m->memory, address);
  if (o == NULL || o->kind == OBJECT_GLOBAL) return true;
  struct initialised *made = array_push(&m->pool, &initialised_kind, &m->now.initialised);
  if (made == NULL) {
    machine_stop(m, UNF_MEMORY);
    return false;
  }
  *made = (struct initialised){address, t->handle, t->initialisations++};
  return true;
}

const struct initialised *machine_initialised_at(const struct machine *m, uint64_t address) {
  for (uint64_t i = m->now.initialised.count; i > 0; i--) {
    const struct initialised *made = array_read(&initialised_kind, &m->now.initialised, i - 1);
    if (made->address == address) return made;
  }
  return NULL;
}

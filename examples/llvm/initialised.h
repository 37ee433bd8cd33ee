/* Objects in no module that calls initialise, and who does. */
#ifndef LLVM_INITIALISED_H
#define LLVM_INITIALISED_H

#include "machine.h"

/* An object in no module that was initialised by a call: by whom, and how many that thread had. */
struct initialised {
  uint64_t address;
  unf_thread thread;
  uint32_t number;
};

extern const struct array_kind initialised_kind;

/* A thread initialises an object there. False: no memory. */
bool machine_initialise(struct machine *m, struct thread *t, uint64_t address);
/* The last one that was initialised there; NULL: none. */
const struct initialised *machine_initialised_at(const struct machine *m, uint64_t address);

#endif

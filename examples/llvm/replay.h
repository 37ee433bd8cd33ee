/* Schedules that are performed again. */
#ifndef LLVM_REPLAY_H
#define LLVM_REPLAY_H

#include "sym.h"

/* --replay; the exit status. */
int sym_replay(struct sym *s);

#endif

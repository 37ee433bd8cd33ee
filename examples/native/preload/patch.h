/* Read-modify-writes of code that is not compiled with callbacks, and other accesses to memory if
 * they are wanted: each is replaced by a jump to a trampoline, where it becomes an operation. */
#ifndef NATIVE_PRELOAD_PATCH_H
#define NATIVE_PRELOAD_PATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "../sites/table.h"

/* A place of the program. */
struct patched {
  uint64_t address;
  uint64_t trampoline, copy; /* 0: left as it is; where its instruction is now */
  uint32_t number;           /* of a read-modify-write */
  bool quiet;                /* what is done there is no operation */
  /* In a replay, where there is no room: what follows is performed behind the copy (an enum
   * site_tail), and then it goes on there. */
  uint8_t tail;
  uint64_t next;
  struct site site;
};

/* The modules that are loaded and were not looked at before. */
void patch_modules(void);
bool patch_any(void);
/* After that signal: goes on in the trampoline if it was because of us. */
bool patch_breakpoint(ucontext_t *machine);
/* The signal that places raise which have no room for a jump: a breakpoint's, or in a replay that
 * of an instruction which does not exist, because a debugger keeps the former to itself. 0: there
 * are none. */
int patch_signal(void);
/* The place whose instruction begins there, or whose trampoline has that address; or NULL. */
const struct patched *patch_at(uint64_t address);
const struct patched *patch_of_copy(uint64_t address);

#endif

/* Room for trampolines. */
#ifndef NATIVE_PRELOAD_PATCH_ROOM_H
#define NATIVE_PRELOAD_PATCH_ROOM_H

#include <stdbool.h>
#include <stdint.h>

struct mapping {
  uint64_t low, high;
  int protection;
};

/* Why no trampolines can be made in this process, or NULL; then room_end() follows. */
const char *room_begin(void);
/* So many bytes that begin in [low, high), near an address if possible; 0: there are none. */
uint64_t room_take(int64_t low, int64_t high, uint64_t size, uint64_t near);
/* The trampolines become executable, and are never written again; false: refused. The list of
 * mappings is gone. */
bool room_end(void);
/* The i-th mapping of the process; NULL: there are no more. */
const struct mapping *room_mapping(uint32_t i);

#endif

/*
 * Words in chunks: records that never move, named by the 32-bit index of their first word, which is
 * never 0. With the build option plain_arenas each record is an allocation of its own, so that
 * valgrind and ASan see where it ends.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/vector.h"

#ifdef UNF_PLAIN_ARENAS
#define ARENA_SHIFT 2
#else
#define ARENA_SHIFT 14
#endif
#define ARENA_CHUNK (1u << ARENA_SHIFT)

struct arena {
  VECTOR(uint32_t *) chunks;
  /* By chunk: words of the allocation that begins there; 0: it continues the one before it. */
  VECTOR(uint32_t) own;
  uint32_t next, end; /* free words of the last allocation */
};

/* Takes an allocation that begins with a record of so many words. */
RARE uint32_t unfi_arena_enlarge(unf_context *context, struct arena *arena, uint32_t words);
/* Takes a record of so many words, and returns its index; returns 0 when refused. */
static inline uint32_t unfi_arena_take(unf_context *context, struct arena *arena, uint32_t words) {
#ifndef UNF_PLAIN_ARENAS
  if (words <= arena->end - arena->next && arena->next != 0) {
    arena->next += words;
    return arena->next - words;
  }
#endif
  return unfi_arena_enlarge(context, arena, words);
}
void unfi_arena_free(unf_context *context, struct arena *arena);

static inline uint32_t *arena_at(const struct arena *arena, uint32_t index) {
  return arena->chunks.data[index >> ARENA_SHIFT] + (index & (ARENA_CHUNK - 1));
}

#endif

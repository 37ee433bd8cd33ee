/* Chunked arena. A record never crosses an allocation; one larger than a chunk spans several
 * entries of the chunk table. */
#include "base/arena.h"

static uint32_t chunks_of(uint32_t words) {
  return words / ARENA_CHUNK + (words % ARENA_CHUNK != 0);
}

uint32_t unfi_arena_enlarge(unf_context *context, struct arena *arena, uint32_t words) {
  /* The first chunk begins with a word that is never used: index 0 stands for none. */
  uint32_t first = arena->chunks.count;
  uint32_t lead = first == 0;
  uint32_t count = chunks_of(words + lead);
  uint32_t size = words + lead;
#ifndef UNF_PLAIN_ARENAS
  size = count * ARENA_CHUNK;
#endif
  if ((uint64_t)first + count > UINT32_MAX / ARENA_CHUNK)
    return unfi_too_many(context, "chunks of records", (uint64_t)first + count);
  if (!vector_reserve(context, &arena->chunks, first + count) ||
      !vector_reserve(context, &arena->own, first + count))
    return 0;
  uint32_t *block = unfi_reallocate(context, NULL, 0, size * sizeof *block);
  if (block == NULL) return 0;
  for (uint32_t i = 0; i < count; i++) {
    vector_push(&arena->chunks, block + (size_t)i * ARENA_CHUNK);
    vector_push(&arena->own, i == 0 ? size : 0);
  }
  arena->next = first * ARENA_CHUNK + lead + words;
  arena->end = first * ARENA_CHUNK + size;
  return first * ARENA_CHUNK + lead;
}

void unfi_arena_free(unf_context *context, struct arena *arena) {
  for (uint32_t i = 0; i < arena->chunks.count; i++)
    if (arena->own.data[i] > 0)
      unfi_reallocate(context, arena->chunks.data[i],
                      arena->own.data[i] * sizeof *arena->chunks.data[i], 0);
  vector_free(context, &arena->chunks);
  vector_free(context, &arena->own);
  arena->next = arena->end = 0;
}

/* Memory of which allocations are refused, and of which every byte must come back. */
#ifndef OOM_MEMORY_H
#define OOM_MEMORY_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct memory {
  uint64_t calls, bytes;    /* allocations asked for; bytes out */
  uint64_t fail_at, refuse; /* the first to refuse (from 1; 0: none), and how many */
  uint64_t refused, wrong;  /* refusals made; failures that were called something else */
};

/* For unf_allocator. */
static inline void *reallocate(void *user, void *block, size_t old_size, size_t new_size) {
  struct memory *m = user;
  if (new_size == 0) {
    m->bytes -= old_size;
    free(block);
    return NULL;
  }
  m->calls++;
  if (m->fail_at > 0 && m->calls >= m->fail_at && m->calls < m->fail_at + m->refuse) {
    m->refused++;
    return NULL;
  }
  /* Always moved, so that whoever keeps an old address is found by the sanitizers. */
  void *moved = malloc(new_size);
  if (moved == NULL) return NULL;
  if (block != NULL) {
    memcpy(moved, block, old_size < new_size ? old_size : new_size);
    memset(block, 0xA5, old_size);
    free(block);
  }
  m->bytes += new_size - old_size;
  return moved;
}

#endif

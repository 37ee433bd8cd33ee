/* What decides what a thread does next, beside what it will read: its registers, its stack, its
 * heap, its thread-local variables, the values of its keys, and how often it has asked for what is
 * another thing each time (the clock, random numbers). Registers do not count that the instruction
 * is about to overwrite, nor do the flags, which no compiler keeps around a loop. Behind a call of
 * ours, from which on there was no access, those do not count either that a call may change, nor
 * what lies below the stack: what we left there is not the thread's. */
#include "local.h"

#include <stddef.h>
#include <string.h>

#include "heap.h"
#include "keys.h"
#include "patch.h"
#include "patch_hit.h"
#include "real.h"
#include "scheduler.h"

enum {
  REGISTERS = 16,
  STACK_POINTER = 4,
  CALLS_CHANGE = 0x0fc7, /* rax, rcx, rdx, rsi, rdi, r8 to r11 */
  RED_ZONE = 128,
  STACK_MOST = 1 << 16,
  HEAP_MOST = 1 << 18
};

static uint64_t joined(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

static uint64_t hash_memory(uint64_t hash, uint64_t low, uint64_t high) {
  for (; low + sizeof hash <= high; low += sizeof hash) {
    uint64_t value;
    memcpy(&value, (const void *)(uintptr_t)low, sizeof value);
    hash = joined(hash, value);
  }
  return hash;
}

/* How much memory of thread-local variables lies in front of a thread's block: of all modules that
 * were there at the start. Others have it on the thread's heap. */
static uint64_t variables_size(void) {
  static uint64_t known;
  size_t size, alignment;
  unsigned behind; /* what belongs to the C library */
  if (known > 0) return known;
  ((void (*)(size_t *, size_t *))real_function("_dl_get_tls_static_info"))(&size, &alignment);
  plain_function *constant = real_function("_thread_db_sizeof_pthread");
  memcpy(&behind, (const void *)(uintptr_t)constant, sizeof behind);
  return known = size - behind;
}

static uint64_t hash_variables(uint64_t hash) {
  uint64_t block;
  __asm__("mov %%fs:0, %0" : "=r"(block));
  return hash_memory(hash, block - variables_size(), block);
}

uint64_t local_state(const struct thread *t, const struct patched *p,
                     const struct patch_frame *frame, bool called) {
  const uint64_t stack = frame->registers[STACK_POINTER];
  uint64_t heap, hash = joined(p->address, t->asked);
  const uint64_t size = heap_part(t, &heap), values = (uint64_t)(uintptr_t)t->values;
  const unsigned count = t->values == NULL ? 0 : keys_count();
  const bool overwrites = p->site.kind == SITE_LOAD && p->site.operand < REGISTERS;
  const unsigned overwritten = overwrites ? 1u << p->site.operand : 0;
  const unsigned without = overwritten | (called ? CALLS_CHANGE : 0);
  if (stack > t->stack_base || t->stack_base - stack > STACK_MOST || size > HEAP_MOST) return 0;
  for (unsigned i = 0; i < REGISTERS; i++)
    if ((without >> i & 1) == 0) hash = joined(hash, frame->registers[i]);
  hash = hash_memory(hash, called ? stack : stack - RED_ZONE, t->stack_base);
  hash = hash_memory(hash, heap, heap + size);
  hash = hash_variables(hash);
  return hash_memory(hash, values, values + count * sizeof *t->values) | 1;
}

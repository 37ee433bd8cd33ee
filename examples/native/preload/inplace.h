/* Executions in place (--mode inprocess): what the parts of that mode know of each other.
 * Everything that they keep from one execution to the next lies outside of what is put back. */
#ifndef NATIVE_INPLACE_H
#define NATIVE_INPLACE_H

#include "preload.h"

#include <ucontext.h>

/* The address space of this mode: our own part, then a zone for each thread that has a name. In a
 * zone lie the thread's heap, its mappings, and at the upper end its stack. */
#define OURS_LOW  0x0f0000000000u
#define OURS_SIZE ((uint64_t)1 << 36)
#define ZONES_LOW 0x100000000000u
#define ZONE_SIZE ((uint64_t)1 << 33)
enum { ZONES = 4096, PAGE = 4096, SMALL_PART = 128 << 10 };

/* inplace.c */
bool inplace_explore(void); /* true in each execution; false when it cannot be done here */
bool inplace_running(void); /* in an execution that is in place, so far */
_Noreturn void inplace_end(void);
bool inplace_fork(const char *call, uint64_t place); /* true: in a process of its own from now on */
void *inplace_memory(uint64_t size);                 /* our own, empty; never put back */
int inplace_file(int file); /* a copy of our own, out of the way of the program's; or -1 */
void inplace_files(int *low, int *end); /* where these are */

/* heap.c */
void heap_prepare(void);
bool heap_used(void);
void heap_restore(void);
void inplace_empty(uint64_t low, uint64_t used); /* from there on, so much may not be empty */
bool zone_stack(struct thread *t, uint64_t size);
uint64_t *zone_mapped(void); /* end of the mappings of the thread that calls; NULL: no zone */
bool zones_contain(uint64_t address, uint64_t size, bool mapping);

/* snapshot.c */
const char *snapshot_take(uint64_t stack); /* why it cannot be, or NULL */
void snapshot_restore(void);
bool snapshot_fault(uint64_t address);  /* whether it was the first change of a page */
void snapshot_expose(uint64_t address); /* the system is going to write there */
void snapshot_release(void);            /* everything may be changed */

/* calls.c */
const char *calls_prepare(void);
void calls_watch(bool on);
bool calls_restore(void); /* whether there were any */

/* entry.c */
void execution_open(void);
void execution_close(void);
_Noreturn void execution_failed(int status);
_Noreturn void exploration_end(void);
void exploration_check(void);
bool execution_shown(uint64_t number);
void execution_process(void); /* in a child of the worker */

/* backend_fibers.c */
struct fiber {
  void *stack; /* where the saved registers are */
  struct block *block;
};
void fiber_make(struct fiber *f, uint64_t top, void (*function)(void *), void *argument);
void fiber_switch(struct fiber *from, const struct fiber *to);

static inline long raw_call6(long number, const long *a) {
  long result;
  register long r10 __asm__("r10") = a[3];
  register long r8 __asm__("r8") = a[4];
  register long r9 __asm__("r9") = a[5];
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

/* Maps memory at that place and nowhere else. */
bool map_at(uint64_t address, uint64_t size, int protection, int flags, int file, uint64_t offset);

#endif

/* The program's heap, and the zones of addresses that belong to its threads. */
#ifndef NATIVE_PRELOAD_HEAP_H
#define NATIVE_PRELOAD_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* The address space of executions in place: our own part; and, above the libraries of a process
 * with the legacy layout, a zone for each thread that has a name. In a zone lie the thread's heap,
 * its mappings, and at the upper end its stack. */
#define OURS_LOW  0x0f0000000000u
#define OURS_SIZE ((uint64_t)1 << 36)
#define ZONES_LOW 0x300000000000u
#define ZONE_SIZE ((uint64_t)1 << 33)
/* The first part of a zone is the thread's heap. */
#define HEAP_SIZE ((uint64_t)1 << 32)
enum { ZONES = 4096, PAGE = 4096, SMALL_PART = 128 << 10 };

/* The thread that allocated the block around an address, or NULL; the place in its heap. */
struct thread *heap_owner(uint64_t address);
/* Whether it is where blocks of a thread are, which stays for as long as the thread has a zone. */
bool heap_holds(uint64_t address);
uint64_t heap_offset(uint64_t address);
/* The place of an offset in the heap of a thread; that heap, with its size. */
uint64_t heap_place(const struct thread *t, uint64_t offset);
uint64_t heap_part(const struct thread *t, uint64_t *low);

void heap_prepare(void);
bool heap_used(void);
/* Whether it is used with every back-end, so that names can be made of places in it. */
bool heap_names(void);
void heap_restore(void);
void inplace_empty(uint64_t low, uint64_t used); /* from there on, so much may not be empty */
bool zone_stack(struct thread *t, uint64_t size);
/* Room for a mapping of the thread that calls: of the program, which follows from its own calls; or
 * of the C library itself, at the other end, which is seen in place alone. 0: there is none. */
uint64_t zone_place(uint64_t size, bool program);
bool zones_contain(uint64_t address, uint64_t size, bool mapping);

#endif

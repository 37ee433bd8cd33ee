/* What the functions of threads, locks and the like share (sync.c, units.c, ends.c), and of files
 * (files.c, environment.c). */
#ifndef LLVM_SYNC_H
#define LLVM_SYNC_H

#include "machine.h"

/* Whether there are so many arguments. False: the thread failed. */
bool sync_has(struct machine *m, struct thread *t, const struct arguments *a, uint32_t count);
/* The address that an argument is, of so many bytes that can be read. False: the thread stands. */
bool sync_pointer(struct machine *m, struct thread *t, const struct arguments *a, uint32_t index,
                  uint64_t size, uint64_t *address);
/* The number that an argument is; false as above. */
bool sync_number(struct machine *m, struct thread *t, const struct arguments *a, uint32_t index,
                 int64_t *number);
/* Writes a number, or bytes of 0, as the program's own accesses do; false as above. */
bool sync_put(struct machine *m, struct thread *t, uint64_t address, unsigned width,
              int64_t number);
bool sync_clear(struct machine *m, struct thread *t, uint64_t address, uint64_t size);
enum flow sync_succeed(struct machine *m, struct thread *t, const struct arguments *a);

/* A number in an object that says that it was destroyed, where the C library has none that is so.
 * It is gone when the program initialises the object again. */
void sync_mark_destroyed(struct machine *m, uint64_t mark);
/* False: it was destroyed, and that was said. */
bool sync_alive(struct machine *m, struct thread *t, uint64_t mark, const char *what);

/* Releases the next robust mutex that a thread holds which is at its end. False: it stands. */
bool sync_abandon(struct machine *m, struct thread *t, enum flow *flow);
/* ends.c: the thread is at its end, or calls a function first that is left to call: with exit() or
 * the end of main those of atexit(), else destructors. */
enum flow sync_leave(struct machine *m, struct thread *t, bool exits);

/* files.c: the text that an argument points to; a text in memory; false as above. */
bool files_text(struct machine *m, struct thread *t, const struct arguments *a, uint32_t index,
                char *text, size_t size);
bool files_write_text(struct machine *m, struct thread *t, int64_t to, const char *text);
/* The file whose number is the first argument; NULL: the thread stands. */
const struct source *files_source(struct machine *m, struct thread *t, const struct arguments *a);
/* The number of a file of that name, which was given or read before; UINT64_MAX: none was. */
uint64_t files_find(const struct machine *m, const char *name);

#endif

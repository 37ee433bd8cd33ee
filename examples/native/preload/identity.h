/* Numbers of processes and threads, and processors. */
#ifndef NATIVE_PRELOAD_IDENTITY_H
#define NATIVE_PRELOAD_IDENTITY_H

#include <stdint.h>

struct thread;

/* The number that the program has in every execution. It is above those of all processes that the
 * system can have (2^22 at most), so that nobody else is meant by it. Those of its threads are
 * above it, and below 2^30, as the system's are. */
enum { PROCESS_NUMBER = 1 << 22 };

/* In the worker, before it is pinned. */
void identity_prepare(void);
/* The number of a thread, which follows from its name: the index-th of its parent. */
int identity_number(const struct thread *parent, uint32_t index);
/* What the system calls the one that the program means; 0: it is not part of the program. */
int identity_real(long number);
/* What the program calls the thread of this process that the system means, or another process. */
int identity_shown(int real);
/* The process that started the program. */
int identity_parent(void);
/* The thread that is meant, or NULL. */
struct thread *identity_thread(long number);

#endif

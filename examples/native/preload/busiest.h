/* Which places have most events. */
#ifndef NATIVE_PRELOAD_BUSIEST_H
#define NATIVE_PRELOAD_BUSIEST_H

struct thread;

/* The thread performs an operation now. */
void busiest_count(const struct thread *t);

#endif

/* Thread-specific data. */
#ifndef NATIVE_PRELOAD_KEYS_H
#define NATIVE_PRELOAD_KEYS_H

struct thread;

/* How many values a thread may have, beginning with the first. */
unsigned keys_count(void);
/* The destructors of a thread that ends. */
void keys_finish(struct thread *t);

#endif

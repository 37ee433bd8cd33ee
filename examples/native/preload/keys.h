/* Thread-specific data. */
#ifndef NATIVE_PRELOAD_KEYS_H
#define NATIVE_PRELOAD_KEYS_H

struct thread;

/* The destructors of a thread that ends. */
void keys_finish(struct thread *t);

#endif

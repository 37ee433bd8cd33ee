/* The back-ends, which switch between threads, behind one interface. */
#ifndef NATIVE_PRELOAD_BACKEND_H
#define NATIVE_PRELOAD_BACKEND_H

#include <stdbool.h>

struct thread;

struct backend {
  void (*begin)(struct thread *main_thread);
  bool (*create)(
      struct thread *t); /* on its stack: made, but does not run before it is switched to */
  void (*switch_to)(struct thread *from, struct thread *to);
};
extern const struct backend backend_threads, backend_fibers;
extern const struct backend *backend;

#endif

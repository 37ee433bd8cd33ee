/* Mutexes and condition variables, and what the functions of threads, locks, files and the like
 * share (sync.c, units.c, ends.c, files.c, environment.c). */
#ifndef LLVM_SYNC_H
#define LLVM_SYNC_H

#include "builtin.h"
#include "machine.h"

/* What is known in an execution of a mutex and the like, by its address; of a barrier, by thread.
 */
struct sync {
  bool used; /* in the execution; the numbers of all are the same in every one */
  uint64_t address;
  unf_object_class kind;
  uint32_t thread; /* UNF_THREAD_NONE: of all */
  uint32_t count;  /* of a barrier: its size, the rounds of a thread */
  uint32_t owner;  /* handle of a thread, or UNF_THREAD_NONE */
  uint32_t depth;  /* holds of a recursive mutex */
  uint64_t place;  /* where it was taken */
  bool begun;      /* an atomic that was used */
  /* A mutex that goes on when its owner ends: whether one did, and nobody can repair it. */
  bool robust, orphaned, lost;
};

extern const struct array_kind syncs_kind;
extern const struct builtin_entry builtins_sync[];

/* Keys of objects are addresses, of so many bits, with the number of one of those at the address
 * above them. (Memory of threads with a handle of 4,095 or more has longer addresses.) */
enum { MACHINE_KEY_BITS = 56 };
/* The object of the library for an address, or another key. */
bool machine_object(struct machine *m, struct thread *t, unf_object_class kind, uint64_t address,
                    unsigned number, unf_object *object);
/* What is known of the one there; NULL: no memory, which is in status. */
struct sync *machine_sync(struct machine *m, struct thread *t, unf_object_class kind,
                          uint64_t address, uint32_t of);

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

/* A lock that is destroyed: it is taken for that, and released. */
struct destroyed {
  unf_object object;
  uint64_t mark;
  unf_operation_kind take, release;
  unf_action_kind refused; /* taking it: it is held */
  const char *name, *held; /* what it is called, and what is said then */
};
enum flow sync_destroy(struct machine *m, struct thread *t, const struct arguments *a,
                       struct destroyed lock);

/* The thread has a lock now. */
void sync_take(struct machine *m, struct thread *t, struct sync *sync);
/* Releases the next robust mutex that a thread holds which is at its end. False: it stands. */
bool sync_abandon(struct machine *m, struct thread *t, enum flow *flow);

#endif

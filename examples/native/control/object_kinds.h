/* Objects of the program, by what its threads do with them. */
#ifndef NATIVE_CONTROL_OBJECT_KINDS_H
#define NATIVE_CONTROL_OBJECT_KINDS_H

/* What an object of the program is: X(NAME, "what it is called"). */
#define OBJECT_KIND_TABLE(X)                                                                       \
  X(MUTEX, "mutex")                                                                                \
  X(SPIN, "spin lock")                                                                             \
  X(ONCE, "once control")                                                                          \
  X(STREAM, "stream")                                                                              \
  X(CONDITION, "condition variable")                                                               \
  X(RWLOCK, "rwlock")                                                                              \
  X(SEMAPHORE, "semaphore")                                                                        \
  X(BARRIER, "barrier")                                                                            \
  X(THREAD, "end of a thread")                                                                     \
  X(SIGNAL, "signal")                                                                              \
  X(LOCATION, "atomic object")                                                                     \
  X(INIT, "initialisation of")                                                                     \
  X(FUTEX, "futex")

enum object_kind {
#define OBJECT_KIND_ENUM(name, text) OBJECT_##name,
  OBJECT_KIND_TABLE(OBJECT_KIND_ENUM)
#undef OBJECT_KIND_ENUM
      OBJECT_KINDS
};

#endif

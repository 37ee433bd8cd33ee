/* The functions that gcc and clang call for plain accesses with -fsanitize=thread. Atomic ones are
 * in atomics.c. */
#ifndef NATIVE_CALLBACKS_H
#define NATIVE_CALLBACKS_H

/* X(name, bytes, write) */
#define CALLBACKS_OF_SIZE(X, prefix, size)                                                         \
  X(__tsan_##prefix##read##size, size, false)                                                      \
  X(__tsan_##prefix##write##size, size, true)
#define CALLBACKS_OF_BOTH(X, prefix, size)                                                         \
  CALLBACKS_OF_SIZE(X, prefix, size)                                                               \
  X(__tsan_##prefix##read_write##size, size, true)
#define CALLBACKS_UNALIGNED(X, size)                                                               \
  CALLBACKS_OF_BOTH(X, unaligned_, size)                                                           \
  CALLBACKS_OF_SIZE(X, unaligned_volatile_, size)
#define CALLBACKS_ALIGNED(X, size)                                                                 \
  CALLBACKS_OF_BOTH(X, , size)                                                                     \
  CALLBACKS_OF_SIZE(X, volatile_, size)

#define CALLBACKS_TABLE(X)                                                                         \
  CALLBACKS_ALIGNED(X, 1)                                                                          \
  CALLBACKS_ALIGNED(X, 2)                                                                          \
  CALLBACKS_ALIGNED(X, 4)                                                                          \
  CALLBACKS_ALIGNED(X, 8)                                                                          \
  CALLBACKS_ALIGNED(X, 16)                                                                         \
  CALLBACKS_UNALIGNED(X, 2)                                                                        \
  CALLBACKS_UNALIGNED(X, 4)                                                                        \
  CALLBACKS_UNALIGNED(X, 8)                                                                        \
  CALLBACKS_UNALIGNED(X, 16)

/* Newer compilers have their own names for these calls of the C library. X(name, function, type of
 * the second argument, whether that is read). */
#define CALLBACKS_MEMORY_TABLE(X)                                                                  \
  X(__tsan_memcpy, memcpy, const void *, true)                                                     \
  X(__tsan_memmove, memmove, const void *, true)                                                   \
  X(__tsan_memset, memset, int, false)

#define CALLBACK_EXPORT __attribute__((visibility("default")))

#endif

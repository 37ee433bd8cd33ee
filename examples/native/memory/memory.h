/* How a call of the C library becomes accesses to memory: by the thread that calls, at the place of
 * the call. What is read is said in front of the call, and what is written when it is known how
 * much that was (and in front of the call, how much that may be); no other thread runs in between.
 * Only calls from code whose own accesses are seen count. What is the C library's own stays its
 * own: its locks keep threads apart. */
#ifndef NATIVE_MEMORY_MEMORY_H
#define NATIVE_MEMORY_MEMORY_H

#include "../preload/accesses.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define WATCHED                      (unfold_watching && unfold_counts(CALLER))
#define READS(p, n)                  unfold_touched((p), (n), false, CALLER)
#define WRITES(p, n)                 unfold_touched((p), (n), true, CALLER)
#define COMPARES(a, n, b, m)         unfold_read((a), (n), (b), (m), CALLER)
#define COMING(p, n)                 unfold_coming((p), (n), CALLER)
#define READS_TEXT(text, most, last) unfold_text((text), (most), (last), CALLER)
#define READS_PATH(path)             unfold_path((path), CALLER)
#define SMALLER(a, b)                ((a) < (b) ? (a) : (b))

/* An exported function that the headers have under no name, or under another one. */
#define FUNCTION(type, name, ...)                                                                  \
  INTERPOSE type name(__VA_ARGS__);                                                                \
  type name(__VA_ARGS__)

/* A part of a stream that is the same as long as the stream is there. Whoever uses one reads it,
 * whoever closes it or uses it without its lock writes it. */
static inline const void *stream_life(const FILE *stream) {
  return &stream->_lock;
}

/* Where no name of another function stands in front: the one behind ours. */
void *memory_behind(const char *name) __attribute__((visibility("hidden")));

#endif

/* What one exploration finds out about the program and the next one, if it is begun again, has to
 * know. */
#ifndef NATIVE_CONTROL_LEARNED_H
#define NATIVE_CONTROL_LEARNED_H

#include <stdbool.h>
#include <stdint.h>

#include "texts.h"

enum { RANGES_MAX = 512, WORDS_MAX = 4096, INITS_MAX = 64, ACQUIRES_MAX = 64 };
/* How often an exploration begins again, at most. */
enum { RESTARTS_MAX = 256 };

/* Bytes of an aligned word of the program that are accessed atomically, beside others of the same
 * word that overlap with them. The word has the name that an atomic object there would have. */
struct byte_range {
  char creator[NAME_SIZE];
  uint64_t word;
  uint32_t first, size;
};

/* An object of the program that some threads may use before another one has initialised it, by the
 * name of its place. */
struct initialised {
  char creator[NAME_SIZE];
  uint64_t key;
};

/* What plain accesses may find in memory, beside what is their thread's own: bytes that are an
 * atomic object, or a page that another thread than its owner uses. */
enum word_where { WORD_IN_MODULE, WORD_ON_STACK, WORD_ON_HEAP, WORD_ANYWHERE };
struct shared_word {
  char owner[NAME_SIZE]; /* the thread whose stack or heap it is on */
  enum word_where where;
  uint64_t at;    /* by `where`: module and offset, distances, or the address */
  uint32_t size;  /* at most eight bytes; 0: pages, of which it is the first byte */
  uint32_t pages; /* how many */
};

/* A place that takes a lock by an exchange of 0, and waits where that fails; refuted: it does more
 * than that. Tested: by the execution that is compared now. */
struct acquire {
  uint32_t module;
  bool refuted, tested;
  uint64_t offset;
};

#endif

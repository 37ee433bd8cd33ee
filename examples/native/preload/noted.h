/* Plain accesses to memory of several threads that are no operations. */
#ifndef NATIVE_PRELOAD_NOTED_H
#define NATIVE_PRELOAD_NOTED_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/unfold.h>

struct patched;
struct patch_frame;
struct thread;

enum { NOTED_MOST = 512, NOTED_WORDS = 2048, NOTED_ROOM = 96 << 10 };

/* Bytes of a word that were accessed, a bit for each; at a place where that matters. */
struct noted_word {
  uint64_t word, place;
  uint8_t read, written;
};

/* What a thread has accessed since the last operation of any of them, in that order, and each part
 * of it once. */
struct noted {
  uint32_t count, used_count;
  const struct thread *thread;
  unf_access accesses[NOTED_MOST];
  uint16_t used[NOTED_WORDS / 2];
  struct noted_word words[NOTED_WORDS];
};
_Static_assert(sizeof(struct noted) <= NOTED_ROOM, "room for what is noted");

extern struct noted *noted; /* outlasts executions, which leave it empty */
/* Whether the detector of races wants them; whether it wants each place. */
extern bool noting, noting_places;

/* Whether nothing more is to be done about a plain access in an execution. */
bool note_access(const struct patched *p, const struct patch_frame *frame);
/* Forgets what was noted. */
void noted_empty(void);

#endif

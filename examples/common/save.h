/* Writing a file so that what goes wrong is known: no space, a limit on its size, no permission.
 * Without the C library's streams, so that it can be called in a process that is not ours. */
#ifndef COMMON_SAVE_H
#define COMMON_SAVE_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/unfold.h>

/* Says through the callback what is to be in the file. */
typedef unf_status (*save_producer)(void *user, unf_write write, void *file);

/*
 * The file appears whole or not at all: it is written beside its place, under a name that nothing
 * had, and put there by rename. A link there is replaced, and not followed. UNF_WRITE: *reason is
 * the number of the error; another status is that of the producer.
 */
unf_status save_whole(const char *path, save_producer produce, void *user, int *reason);

/*
 * As save_whole(), for what must outlast a loss of power: the file is on the disk before it takes
 * the place of the one before, and its name in the folder before this returns. So whatever happens,
 * one of the two is there, whole.
 */
unf_status save_lasting(const char *path, save_producer produce, void *user, int *reason);

/* Writes to what the path leads to, which may be a device, a pipe, or a link. Returns the same. */
unf_status save_through(const char *path, save_producer produce, void *user, int *reason);

/*
 * When to save again, where what is to be saved grows: a save is put off until all saving takes at
 * most a twentieth of the time since the beginning, the save at the end included, which may come
 * directly behind another one. A save is expected to take what the last one took, and more as the
 * time since the beginning is more. Where a single one takes more than a fortieth of the time in
 * which its contents came to be, that would be never; and what a disk takes that is slow need not
 * grow. Therefore it is done, too, whenever the time since the beginning has grown eightfold. All
 * is in seconds of one clock that never goes back.
 */
struct save_times {
  double began, last; /* last: the end of the last save, or `began` */
  double took, spent; /* by the last one, 0: not known; by all */
  double apart;       /* the longest time without a save, where one was put off, else 0 */
  uint64_t count;     /* of the saves, that at the end included */
};

/* `took` is how long the first save is expected to take, or 0. */
void save_times_begin(struct save_times *times, double now, double took);
/* Whether to save, if so many seconds passed since the last time. */
bool save_times_due(struct save_times *times, double every, double now);
/* It was saved. */
void save_times_done(struct save_times *times, double begun, double now);

#endif

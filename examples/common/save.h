/* Writing a file so that what goes wrong is known: no space, a limit on its size, no permission.
 * Without the C library's streams, so that it can be called in a process that is not ours. */
#ifndef COMMON_SAVE_H
#define COMMON_SAVE_H

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
 * The same for what must outlast a loss of power: the file is on the disk before it takes the place
 * of the one before, and its name in the folder before this returns. So whatever happens, one of
 * the two is there, whole.
 */
unf_status save_lasting(const char *path, save_producer produce, void *user, int *reason);

/* Writes to what the path leads to, which may be a device, a pipe, or a link. Returns the same. */
unf_status save_through(const char *path, save_producer produce, void *user, int *reason);

#endif

/* What a worker of --jobs has to itself, so that the executions of several do not disturb each
 * other: files, as far as they can be written, ports, names and processes. */
#ifndef NATIVE_JOBS_VIEW_H
#define NATIVE_JOBS_VIEW_H

#include <jansson.h>
#include <stdbool.h>

enum {
  VIEW_FILES = 1,
  VIEW_NAMES = 2, /* of System V */
  VIEW_NETWORK = 4,
  VIEW_PROCESSES = 8,
  VIEW_USER = 16, /* only in a namespace of users */
  VIEW_UNKNOWN = 32
};

/* What the system allows, VIEW_UNKNOWN for now, where processes that are begun since find it, and
 * say it to this one and to each other. NULL: no memory. */
unsigned *view_new(void);

/* The calling process, or a child in its place, has as much of it as the system allows, from now
 * on: what is written to files is in memory and gone with the process. The first one tries what is
 * allowed, and has what it tried. The folder is for mounts. False: the process has to end. */
bool view_own(unsigned *parts, const char *folder);

/* Finds it where no process of its own is to have it. */
void view_find(unsigned *parts, const char *folder);

/* What is a worker's own, in words; a new reference, or NULL. */
json_t *view_json(unsigned parts);

#endif

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
  VIEW_USER = 16 /* only in a namespace of users */
};

/* As much of it as the system allows here, found by trying; the folder is for mounts. */
unsigned view_possible(const char *folder);

/* The calling process, or a child in its place, has those parts from now on: what is written to
 * files is in memory and gone with the process. False: it is not allowed, and the process has to
 * end. */
bool view_enter(unsigned parts, const char *folder);

/* What is a worker's own, in words; a new reference, or NULL. */
json_t *view_json(unsigned parts);

#endif

/* The launcher of one worker of --jobs. */
#ifndef NATIVE_JOBS_ATTEND_H
#define NATIVE_JOBS_ATTEND_H

#include <options.h>
#include <stdbool.h>
#include <sys/types.h>

#include "../watch.h"

struct control;

/* What all workers of a round have alike. */
struct attended {
  const struct control *known; /* with the settings */
  const struct cli_options *options;
  const char *path; /* of the program */
  off_t input;      /* where its standard input begins; negative: it is empty */
  unsigned count;   /* of workers */
  unsigned first;   /* the number of the first one that this process begins */
  const struct watched *watched;
  char *whole_path;      /* of the program, from the root on */
  const char *folder;    /* for what is written on the way */
  unsigned *view;        /* parts of view.h */
  bool shown[JOBS_MOST]; /* its first execution may have been */
};

/* Starts the program, passes on what the coordinator and it say to each other, and watches it, to
 * the end of either. */
void attend(const struct attended *attended, unsigned number, int socket);

#endif

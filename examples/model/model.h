/* A program under exploration: what the parts of the front-end share. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <stdio.h>

#include "checkpoints.h"
#include "inputs.h"
#include "machine.h"
#include "progress.h"
#include "report.h"
#include "save.h"
#include "session.h"
#include "text.h"

/* Of the file of --executions, with --save and --continue: how long it was when the last execution
 * ended, and the hash of a beginning of it. */
struct listed {
  uint64_t finished, hashed, hash;
};

struct session {
  const char *file;
  char *shown; /* the file name for people, see cli_show() */
  struct cli_options options;
  struct program program;
  struct machine machine;
  struct inputs inputs;
  unf_context *context;
  unf_unfolding *unfolding;
  unf_explorer *explorer;           /* when the exploration is over */
  uint32_t channels;                /* the family of the channels, if there are any */
  unf_object objects[SYMBOL_KINDS]; /* handle of the first element of a kind, see translate.c */
  int64_t *state;                   /* of the current run */
  struct history history;           /* of it */
  unf_races *races;                 /* found in the current run and before */
  bool races_watched;               /* in the current run */
  unf_status race_status;           /* of the calls on it while the machine runs */
  struct raced *raced;              /* with inputs, by race; see races.c */
  size_t raced_room;
  uint64_t steps;   /* performed in the current run */
  bool undisturbed; /* an interrupt does not end what is done */
  bool probing;     /* the current run is a probe */
  bool named;       /* `name` is that of its trace, which is only asked for when it has a defect */
  struct trace_name name;
  struct checkpoints checkpoints;
  struct cli_result result;
  struct cli_progress progress;
  double start;          /* by cli_now() */
  struct worker *worker; /* that this process is; NULL: none */
  uint64_t work;         /* since limits were looked at */
  char message[1024];    /* of the library, for the result */
  FILE *executions;      /* of --executions, or NULL */
  struct listed listed;
  FILE *std_file; /* of --std, or NULL */
  unf_std_writer *std;
  unf_status std_status; /* of its last call */
  bool failed;           /* something could not be written, and that was said */
  bool refused;          /* something could not be allocated, and that was said */
  char **schedules; /* --report, --shorten, --jobs: for each defect its schedule as text, or NULL */
  json_t *identity; /* of --save and --continue */
  struct cli_saved continued; /* the file of --continue, until it is read */
  bool unreadable;            /* it cannot be, and that was said */
  struct save_times saving;
  size_t defects_before; /* found by processes before */
  uint64_t *race_counts; /* of --save: the count of each race when the last execution ended */
  uint64_t race_count, race_room;
  size_t schedule_count;
};

#endif

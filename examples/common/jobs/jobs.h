/*
 * One exploration by several processes, for --jobs: a coordinator with the ledger
 * (unfold/distribute.h), and workers that it begins, which explore what they are given.
 *
 * A worker that dies, or gives no sign, costs what it was at: another one is begun, and its items
 * are given away again. What is said of an execution counts when the report that commits it has
 * come.
 */
#ifndef COMMON_JOBS_JOBS_H
#define COMMON_JOBS_JOBS_H

#include <jansson.h>

#include "defect.h"
#include "journal.h"
#include "options.h"
#include "progress.h"
#include "saved.h"
#include "transport.h"

struct jobs_worker {
  struct wire in, out;
  uint64_t items[32]; /* that it has */
  unsigned item_count;
  double committed; /* by cli_now(): a split was asked for, the last time */
  bool asked;       /* to split, without an answer so far */
  bool waiting;     /* it may not begin one more execution */
  bool missed;      /* one of its reports was not taken: those behind it are not, either */
  bool ending;
  double heard;               /* by cli_now() */
  double idle_since;          /* by cli_now(); 0: it is not */
  double idle;                /* seconds before */
  uint64_t begun, allowed;    /* executions of this process */
  uint64_t begun_before;      /* of those in its place before */
  uint64_t redundant, events; /* so far */
  uint64_t executions, finished, reports, bytes;
  json_t *left; /* what it said at its end */
};

/* What a front-end makes of what was found, in place of defects as JSON. False: no memory, or, of
 * what is read from a journal, that it cannot be. */
struct jobs_front {
  /* Of a report. `kept`: for the journal, in words that mean the same without the worker; NULL:
   * there is none. */
  bool (*found)(void *user, unsigned worker, const char *bytes, size_t size, struct wire *kept);
  bool (*found_before)(void *user, const char *bytes, size_t size);
  /* What else there is to be known: all of it, or what is new since. */
  bool (*save)(void *user, bool whole, struct wire *to);
  bool (*saved)(void *user, const char *bytes, size_t size);
  /* WIRE_STATE. */
  bool (*state)(void *user, unsigned worker, const char *bytes, size_t size);
  /* A worker has ended; decided: because of that, all end. */
  void (*gone)(void *user, unsigned worker, bool decided);
  bool (*interrupted)(void *user);
};

struct jobs {
  const struct cli_options *options;
  unf_unfolding *unfolding; /* with all names, and no events */
  unf_context *context;
  unf_ledger *ledger;
  unsigned count;
  struct transport transport;
  struct jobs_worker workers[JOBS_MOST];
  const struct jobs_front *front; /* or NULL */
  struct jobs_journal journal;    /* --save; without a folder there is none */
  const json_t *identity;         /* of what is explored, for --continue */
  struct cli_before before;
  double seconds; /* of this process, before this began */
  struct wire kept;
  struct cli_progress *progress;
  double begin, looked;          /* by cli_now() */
  unsigned begun;                /* workers that were, the first so many */
  double explored;               /* by cli_now(), when one of them first had; 0: none has */
  double max_seconds;            /* 0: any number */
  unsigned losses, losses_since; /* in all; since an item was finished */
  /* What was found: */
  struct wire_counts counts;
  unf_counts held; /* events and so on, which are no sums, of all workers */
  struct cli_defects *defects;
  bool (*keep_schedule)(void *user, size_t defect, const char *text);
  const char *(*schedule)(void *user, size_t defect); /* what was kept, or NULL */
  /* What each worker knows at its end, and what a journal has of what all know, which is made
   * anew; NULL: nothing. */
  void (*learn)(void *user, const json_t *known);
  json_t *(*knows)(void *user);
  void *user;
  unsigned decided; /* the number of the worker because of which all end, from 1 on; 0: none */
  const char *stopped;
  char uncontrolled[1024];
  bool finished, ending;
  bool stop; /* all are to end */
};

/* As many processes as --jobs asks for; 0: as many as this one may use at a time. */
unsigned jobs_count(const struct cli_options *options);
/* Explores everything, or as far as it may; `transport` says who are the workers. False: no memory,
 * or no process; nothing was done. */
bool jobs_run(struct jobs *jobs);
/* All are to end, for a reason that stays. */
void jobs_stop(struct jobs *jobs, const char *why);
/* What the workers did, an object; NULL: no memory. */
json_t *jobs_json(const struct jobs *jobs);
/* That object for people. */
void jobs_print(const json_t *told);
void jobs_free(struct jobs *jobs);

/* ---- parts of it ---- */

void jobs_add_counts(struct jobs *jobs, const struct wire_counts *counts);
/* Takes what a journal has of it. False: it cannot be read. */
bool jobs_take_found_before(struct jobs *jobs, const char *bytes, size_t size);

#endif

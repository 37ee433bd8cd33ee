/* What the command line asks for. */
#ifndef NATIVE_CONTROL_SETTINGS_H
#define NATIVE_CONTROL_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/explore.h>

#include "texts.h"

enum output_mode { OUTPUT_DISCARD, OUTPUT_KEEP, OUTPUT_FIRST };

/* What of the settings changes from one round to the next one, so that a journal has it. Sites:
 * read-modify-writes of code without callbacks are operations; moves: and its other accesses to
 * memory, where they race. None owned: no page is thought to be one thread's own, because a thread
 * may wait for what another one is to write there; tried once, when a thread does not go on. */
#define SETTINGS_LEVELS(X) X(sites) X(moves) X(none_owned) X(none_owned_tried)

struct settings {
  unf_algorithm algorithm;
  uint32_t k;
  unf_order order;
  uint64_t max_timeouts, bound; /* UINT64_MAX: any number */
  uint64_t seed, probes, max_switches, max_preemptions;
  uint64_t max_executions, max_events, max_memory, collect;
  uint64_t runs, steps; /* runs: 0 where executions are not drawn */
  uint32_t depth;
  double max_seconds;
  bool stop_at_first, kill_at_exit, replay, standard_output_taken, fibers, in_place, races, ifaa;
#define SETTINGS_LEVEL(field) bool field;
  SETTINGS_LEVELS(SETTINGS_LEVEL)
#undef SETTINGS_LEVEL
  bool learn;                    /* places that take a lock become waits for it */
  char lowered[NAME_SIZE * 2];   /* why less of that is seen than could be, or "" */
  char apart_because[NAME_SIZE]; /* why executions are not in place any more, or "" */
  uint64_t races_every, reorder;
  bool reorder_asked; /* else it is the default, for levels that do not see all accesses */
  int expect_exit;
  enum output_mode output;
  /* --jobs, where workers have no files or ports of their own: what is written is put down, but for
   * what is in this folder. */
  bool touches_watched;
  char own_folder[4096];
  int processor;         /* that it is pinned to; -1: the one that it is on */
  int items_socket;      /* --jobs: where items come from and reports go to, or -1 */
  double report_seconds; /* --jobs: most between reports */
  int step_socket;       /* replay: where the steps are printed, or -1 */
  /* Of a replay that nobody sees. What else is possible is sent too, from this step on, from 0;
   * UINT64_MAX: never. It ends after so many steps; UINT64_MAX: with the program. Steps that are
   * not possible are left out. At its end its steps are sent in the order with the fewest switches,
   * looked for in so many elementary steps; 0: not. */
  uint64_t choices_from, most_steps, order_steps;
  bool lenient;
  char program[TEXT_SIZE];
  char trace_folder[4096];
  char schedule[4096]; /* replay */
  char dot[4096];      /* "" writes none */
  char save[4096];     /* where to save the exploration, or "" */
  char go_on[4096];    /* the file to go on from, with the exploration at `image`; or "" */
  uint64_t image;
  double save_every;  /* 0: at the end only */
  bool list_events;   /* for --report */
  char scanner[4096]; /* the program that finds them; "": there is none */
};

#endif

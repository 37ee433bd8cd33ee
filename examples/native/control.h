/* The block of memory that the launcher and the process under test share. The launcher fills the
 * first part before it starts the program and reads the rest when the program is done. Addresses
 * are those of the program; the table of modules says where each was loaded. */
#ifndef NATIVE_CONTROL_H
#define NATIVE_CONTROL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <unfold/explore.h>

#include "../common/save.h"
#include "control/carried.h"
#include "control/findings.h"
#include "control/learned.h"
#include "control/modules.h"
#include "control/races.h"
#include "control/saved.h"
#include "control/settings.h"
#include "control/shared.h"
#include "control/steps.h"
#include "control/stuck.h"
#include "control/texts.h"

#define CONTROL_VARIABLE "UNFOLD_CONTROL"
#define CONTROL_MAGIC    0x756e66636f6e7431u

enum outcome {
  OUTCOME_NONE,     /* the worker has not said anything yet */
  OUTCOME_FINISHED, /* explored to the end, or the replay came to its end */
  OUTCOME_FIRST,    /* stopped at the first finding */
  OUTCOME_LIMIT,    /* a limit of the command line */
  OUTCOME_REFUSED,  /* the program did what cannot be controlled */
  OUTCOME_AGAIN,    /* to be explored once more from the start, with what `ranges` has */
  OUTCOME_INPUT,    /* a schedule that cannot be read, or written */
  OUTCOME_BROKEN    /* the front-end itself failed */
};

struct control {
  uint64_t magic, size;
  struct settings settings;
  /* What the process under test finds out and the next one, if it is begun again, has to know. */
  uint32_t range_count, restarts;
  struct byte_range ranges[RANGES_MAX];
  uint32_t word_count;
  struct shared_word words[WORDS_MAX];
  /* Schedules up to the first number were written before; those up to the second one are of
   * explorations that were begun again. */
  unsigned schedules_kept, schedules_fixed;
  uint32_t quiet_count;
  bool quiet_lines; /* places are still to be found by their lines */
  struct quiet_place quiet[QUIET_MAX];
  uint32_t level_restarts; /* restarts for another level, or for a quiet place */
  uint64_t raced;          /* races of code without callbacks, where an atomic object is now */
  /* Code that is not changed writes to atomic objects: all of them are compared in front of each
   * operation. */
  bool compares;
  bool joins_watched; /* several threads join one: their order is explored */
  /* Objects whose initialisation is an operation. Watched: blocks of the heap have names, so that
   * there can be more of them. Off: the uses of one of them were in an order that was not seen. */
  bool inits_watched, inits_off;
  uint32_t init_count, init_restarts;
  struct initialised inits[INITS_MAX];
  uint32_t acquire_count, learn_restarts;
  struct acquire acquires[ACQUIRES_MAX];
  struct carried carried;
  struct site_cache site_cache;
  /* What stands in front of the exploration in a file that is saved. */
  double began; /* by the clock */
  uint32_t saved_head_size;
  char saved_head[SAVED_HEAD_ROOM];
  int ended_by; /* the signal that ended the process under test, or 0 */
  /* From here on written by the process under test. */
  struct save_times saves; /* of this process alone */
  enum outcome outcome;
  unf_switches switches;   /* of the order that was sent */
  char message[TEXT_SIZE]; /* for every outcome but FINISHED and FIRST */
  char refused_call[NAME_SIZE];
  uint64_t refused_object; /* an atomic object that it is about, or 0; and its name */
  char refused_name[NAME_SIZE];
  uint64_t place;               /* of what was refused */
  volatile uint64_t last_place; /* of the last operation offered */
  uint64_t timeouts_most;       /* of one thread in one execution */
  bool timeouts_bounded;        /* a wait with a time limit lasted because of max_timeouts */
  bool attached, operations_seen, callbacks_seen;
  bool calls_seen;    /* system calls with numbers of processes, wherever they are made */
  bool bound_met;     /* a thread was stopped because of settings.bound */
  bool weaker_orders; /* an atomic operation or fence that was not sequentially consistent */
  /* Why read-modify-writes of code without callbacks are not seen, or "". Those that were reached,
   * and those that were reached in a function that the C library had called. */
  char sites_off[NAME_SIZE * 2];
  uint32_t sites_met, sites_in_callbacks;
  uint64_t callback_place;
  /* Moves: `words` has more than when this exploration began, or should have; an atomic object has
   * a value that no operation gave it; how many accesses to atomic objects were no operations, as
   * they are too wide for one, and where the first was. */
  bool learned, no_room, stored_plainly;
  uint32_t wide_accesses;
  uint64_t wide_place;
  /* Loops in which a thread did nothing but read what another one is to change: how many times they
   * became waits, or ended (`bounded`), with the first place of both. */
  uint64_t waits, waits_bounded, wait_place, bounded_place;
  /* In executions: memory became executable; modules were loaded. */
  bool code_later, modules_later;
  uint32_t modules_unlisted; /* for which there was no room in `modules` */
  bool sites_seen[SITES_SEEN_MAX];
  /* Functions whose accesses are not known; whether calls of them cannot be noticed. */
  uint32_t import_count;
  bool imports_unwatched;
  struct import imports[IMPORTS_MAX];
  unf_event last_event; /* of those that were counted */
  struct busy_place busiest[BUSIEST_SLOTS];
  unf_counts counts;
  unf_estimate estimate;
  unf_sampling sampling;
  /* Executions in place: those that went on in a process of their own, and the first call that made
   * one do so; why none could be in place, or "". */
  uint64_t apart, apart_place;
  char apart_call[NAME_SIZE], fallback[NAME_SIZE];
  uint32_t threads_most;           /* alive at once, the main thread included */
  uint64_t reordered, differences; /* traces performed in another order, and that differed then */
  uint64_t reorder_number;         /* traces of which it was decided whether they are */
  uint64_t unlearned;              /* traces performed without what was learned */
  uint64_t difference_place;       /* of the first where plain loads may decide, or 0 */
  uint64_t left_behind, given_up, livelocks, findings_total, bytes;
  /* Files that could not be written: the number of the first schedule, and how many there are; what
   * went wrong with it, and with the DOT file, or "". */
  unsigned unwritten, unwritten_count;
  char unwritten_because[TEXT_SIZE], dot_because[TEXT_SIZE];
  bool saved;                      /* what is there to be continued from was written */
  char unsaved_because[TEXT_SIZE]; /* why it was not, or "" */
  uint64_t modules_sum;            /* of where they were when the program began */
  bool pictures_tried;
  volatile bool drawing; /* the DOT file and the list of events are being written */
  struct events events;
  uint32_t module_count, finding_count, findings_dropped;
  uint32_t findings_before; /* of them, those of processes that this was continued from */
  struct module modules[MODULES_MAX];
  struct finding findings[FINDINGS_MAX];
  uint64_t races_seen;  /* by the detector, for atomic objects */
  uint64_t races_found; /* there is room for RACES_MAX in `races` */
  struct reported_race races[RACES_MAX];
  /* How many the detector of this process has found, and where each is in `races`. */
  uint64_t races_met;
  uint16_t race_at[RACES_MAX];
  volatile uint64_t steps;  /* grows; the launcher watches it */
  uint64_t execution_steps; /* operations of the last execution */
  bool execution_ended;
  struct repeated repeated[REPEATED_MAX];
  volatile bool in_main;  /* the program came to main */
  volatile bool deciding; /* the execution is not in the program, but between two of its threads */
  volatile int task;      /* the kernel's number of the thread that runs; 0: that of its process */
  struct stuck stuck;
  volatile pid_t execution; /* the process of the current execution, or 0 */
  volatile int stop;        /* set by the launcher: an enum stop */
  volatile uint32_t touched_count;
  struct touched touched[TOUCHED_MAX];
  volatile uint64_t words_told; /* --jobs: how often the launcher passed something on */
};

enum stop { STOP_NONE, STOP_INTERRUPT, STOP_TIME, STOP_BUSY, STOP_BLOCKED };

/* Whether the exploration ended to begin again as it is, with what is known of the program now: the
 * process that stands by does that, or else the launcher. */
static inline bool control_begins_again(const struct control *block) {
  const bool knows_more = block->learned && block->restarts < RESTARTS_MAX;
  return block->stop == STOP_NONE && ((block->outcome == OUTCOME_AGAIN && !block->stored_plainly) ||
                                      (block->outcome == OUTCOME_REFUSED && knows_more));
}

/* A number for a place that does not depend on where its module was loaded. */
static inline uint64_t control_place(const struct control *block, uint64_t place) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint32_t i = 0; i < block->module_count; i++) {
    const struct module *m = &block->modules[i];
    if (place < m->low || place > m->high) continue;
    for (const char *c = m->path; *c != '\0'; c++)
      hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    return (hash ^ (place - m->base)) * 0x9e3779b97f4a7c15u;
  }
  return place;
}

#endif

/* A C program under exploration: what the parts of unfold-sym share. */
#ifndef LLVM_SYM_H
#define LLVM_SYM_H

#include <errno.h>
#include <stdio.h>
#include <unfold/unfold.h>

#include "changes.h"
#include "code.h"
#include "knowledge.h"
#include "machine.h"
#include "options.h"
#include "progress.h"
#include "report.h"
#include "states.h"

struct distance;
struct native;
struct retelling;

struct sym {
  struct cli_options options;
  char **arguments; /* of the program: its name first */
  int argument_count;
  char *shown; /* the first file, see cli_show() */
  char *solver_program;
  uint64_t *symbolic_arguments; /* the sizes of --symbolic-arg */
  struct code code;
  struct machine machine;
  struct knowledge knowledge;
  struct changes changes; /* with cutoffs */
  unf_context *context;
  unf_unfolding *unfolding;
  unf_races *races;
  unf_explorer *explorer;
  struct states states;
  unf_thread performed; /* the thread whose step was committed, and is to go on */
  bool has_performed;
  bool races_remain;         /* with --races-as-atomics: one that cannot be explored so */
  uint64_t steps_since_look; /* at what stops the exploration */
  struct cli_result result;
  struct cli_progress progress;
  double start;     /* by cli_now() */
  FILE *executions; /* of --executions, or NULL */
  /* In a replay: what was performed, in the names of `native` if that is not NULL. */
  unf_action *steps;
  size_t step_count, step_room;
  struct native *native;
  struct distance *distance;   /* of --cover-first, or NULL */
  uint64_t tests;              /* that were written */
  struct retelling *retelling; /* of --report, or NULL */
  uint64_t run;                /* number of the execution at hand */
  bool unanswered;             /* the solver ended at each question */
  bool failed;                 /* something could not be written, and that was said */
  bool refused;                /* something could not be allocated, and that was said */
  char *witness;               /* of --witness: its text, or NULL */
  char no_witness[300];        /* why there is none of something that was found */
};

/* A file was not written, for the reason in errno, and that was said. */
static inline void sym_not_saved(struct sym *s) {
  *(errno == ENOMEM ? &s->refused : &s->failed) = true;
}

#endif

/* A C program under exploration: what the parts of unfold-sym share. */
#ifndef LLVM_SYM_H
#define LLVM_SYM_H

#include "execution.h"
#include "load.h"
#include "machine.h"
#include "progress.h"
#include "report.h"
#include "session.h"
#include "text.h"

struct sym {
  struct cli_options options;
  char **arguments; /* of the program: its name first */
  int argument_count;
  char *shown; /* the first file, see cli_show() */
  char *solver_program;
  struct code code;
  struct machine machine;
  struct knowledge knowledge;
  unf_context *context;
  unf_unfolding *unfolding;
  unf_races *races;
  uint64_t races_listed;
  unf_explorer *explorer;
  unf_thread performed; /* the thread whose step was committed, and is to go on */
  bool has_performed;
  struct cli_result result;
  struct cli_progress progress;
  double start;     /* by cli_now() */
  FILE *executions; /* of --executions, or NULL */
  bool failed;      /* something could not be written, and that was said */
  bool refused;     /* something could not be allocated, and that was said */
};

/* engine.c: explores everything; what was found is in the result. */
void sym_explore(struct sym *s);

/* describe.c */
/* Lists what is wrong with the execution at hand, that ended so. */
void sym_describe_end(struct sym *s, const unf_verdict *verdict);
/* Lists the races that are new. */
void sym_describe_races(struct sym *s);

#endif

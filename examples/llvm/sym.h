/* A C program under exploration: what the parts of unfold-sym share. */
#ifndef LLVM_SYM_H
#define LLVM_SYM_H

#include "execution.h"
#include "load.h"
#include "machine.h"
#include "native.h"
#include "progress.h"
#include "report.h"
#include "session.h"
#include "states.h"
#include "text.h"

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
  unf_context *context;
  unf_unfolding *unfolding;
  unf_races *races;
  uint64_t races_listed;
  unf_explorer *explorer;
  struct states states;
  unf_thread performed; /* the thread whose step was committed, and is to go on */
  bool has_performed;
  struct cli_result result;
  struct cli_progress progress;
  double start;     /* by cli_now() */
  FILE *executions; /* of --executions, or NULL */
  /* In a replay: what was performed, in the names of `native` if that is not NULL. */
  unf_action *steps;
  size_t step_count, step_room;
  struct native *native;
  uint64_t tests;              /* that were written */
  struct retelling *retelling; /* of --report, or NULL */
  uint64_t run;                /* number of the execution at hand */
  bool unanswered;             /* the solver ended at each question */
  bool failed;                 /* something could not be written, and that was said */
  bool refused;                /* something could not be allocated, and that was said */
  char *witness;               /* of --witness: its text, or NULL */
  char no_witness[300];        /* why there is none of something that was found */
};

/* engine.c: explores everything; what was found is in the result. */
void sym_explore(struct sym *s);

unf_status sym_open(struct sym *s);
void sym_close(struct sym *s);
/* What the machine and what is known of the inputs came to. */
unf_status sym_status(const struct sym *s);
/* What a thread is about to do. */
unf_operation sym_operation(const struct thread *t);
/* The threads of an action that was performed run to their next operations. */
unf_status sym_go_on(struct sym *s, const unf_action *action, unf_event event);
/* Enters why an exploration or a replay did not come to an end. */
void sym_stopped(struct sym *s, unf_status status);

/* schedule.c */
/* Whether a schedule of that name is one of the program; its inputs have the values there then. Not
 * either without memory, which was said. */
bool sym_takes_schedule(struct sym *s, const char *program);
/* The execution at hand, with inputs for which a set of facts is true; to be freed. NULL: no
 * memory, which was said. */
unf_schedule *sym_schedule(struct sym *s, uint32_t set);
/* Writes it to --trace-dir, if that is given, for a defect. */
void sym_save_schedule(struct sym *s, uint32_t set, struct cli_defect *defect);

/* main.c: the next number of a text, up to a comma or the end, and the text behind it. */
bool sym_read_size(const char **text, uint64_t *size);
/* peers.c: reads --symbolic-packet and --peer; an exit status. */
int sym_read_peers(struct sym *s);

/* Writes --coverage, and enters the numbers. */
void sym_write_coverage(struct sym *s);

/* tests.c: writes the execution at hand, which ended so, to --tests. */
void sym_write_test(struct sym *s, const unf_verdict *verdict);
/* The exploration begins again: what was written is no test. */
void sym_drop_tests(struct sym *s);

/* witness.c: --witness. Keeps that of the execution at hand, with inputs for which a set of facts
 * is true, if it is the first; writes it; forgets it, because the exploration begins again. */
void sym_witness_assertion(struct sym *s, uint32_t set);
void sym_witness_race(struct sym *s, uint32_t set, const unf_race *race);
void sym_witness_write(struct sym *s);
void sym_witness_drop(struct sym *s);

/* confirm.c: --confirm, for a command line as it was given. It does not return if it can be done;
 * else the exit status. */
int sym_confirm(const struct cli_options *options, int argc, char **argv);

/* replay.c: --replay; the exit status. */
int sym_replay(struct sym *s);

/* retell.c: --report. Without it these do nothing. */
/* Makes room for it. False: no memory, which was said. */
bool sym_retell_open(struct sym *s);
void sym_retell_close(struct sym *s);
/* The exploration begins again: nothing was found. */
void sym_retell_begin(struct sym *s);
/* Keeps the execution at hand for the defect that was listed last; of a race (or NULL), with both
 * accesses: that of this number. */
void sym_retell_keep(struct sym *s, const unf_race *race, uint64_t number);
/* Keeps the unfolding, before it goes. */
void sym_retell_events(struct sym *s);
/* Writes the page. */
void sym_retell(struct sym *s);

/* describe.c */
/* What lies at an address, and what an access does there: "write of x". */
void sym_address_text(struct sym *s, uint64_t address, char *buffer, size_t size);
void sym_access_text(struct sym *s, const unf_access *access, char *buffer, size_t size);
/* Lists what is wrong with the execution at hand, that ended so. */
void sym_describe_end(struct sym *s, const unf_verdict *verdict);
/* Lists the races that are new. */
void sym_describe_races(struct sym *s);
/* The place of a thread, its operation, as texts. */
void sym_place_text(const struct sym *s, uint64_t place, char *buffer, size_t size);
void sym_operation_text(struct sym *s, const unf_operation *operation, char *buffer, size_t size);

#endif

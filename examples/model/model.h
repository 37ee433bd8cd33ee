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
  uint64_t races_listed;            /* how many of the races found are in the result */
  struct raced *raced;              /* with inputs, by race; see races.c */
  size_t raced_room;
  uint64_t steps;   /* performed in the current run */
  bool undisturbed; /* an interrupt does not end what is done */
  bool probing;     /* the current run is a probe */
  struct checkpoints checkpoints;
  struct cli_result result;
  struct cli_progress progress;
  double start;       /* by cli_now() */
  uint64_t work;      /* since limits were looked at */
  char message[1024]; /* of the library, for the result */
  FILE *executions;   /* of --executions, or NULL */
  FILE *std_file;     /* of --std, or NULL */
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

/* Name of the program in schedules: its file as it is shown, without the folder; values of the
 * inputs follow, if there are some, as the command line has them. */
const char *session_name(const struct session *s);
#define INPUTS_BEHIND " --input "
/* Counts some work, in units of about 10 ns. UNF_INTERRUPTED: a signal came or a limit was met, the
 * result says which. */
unf_status session_look(struct session *s, uint64_t work);
enum { WORK_OF_STEP = 128 };
/* Makes room for the state. UNF_MEMORY, or as session_look(). */
unf_status session_open(struct session *s);
/* Makes the first state: threads that run from the start on stand at their first operations. False:
 * a run-time error, or as session_look() if the result says so. */
bool session_begin(struct session *s, struct problem *problem);
/* The next step begins. UNF_MEMORY, or as session_look(). */
unf_status session_step(struct session *s);
/* The result of an action for machine_perform(). */
int64_t session_result(const unf_action *action);
/* Performs an action and lets the threads that can go on run to their next operations. False: a
 * run-time error. */
bool session_perform(struct session *s, const unf_action *action, struct problem *problem);
/* Takes the steps behind so many back; does nothing if they were fewer. */
void session_back(struct session *s, uint64_t steps);

/* translate.c: the program's names, operations and actions as the library's */
/* Names all threads and objects. */
unf_status session_name_all(struct session *s);
/* What a started thread is about to do. */
unf_status session_operation(const struct session *s, const int64_t *state, uint32_t thread,
                             unf_operation *operation);
/* Whether an action can happen in a state. */
bool session_fits(const struct session *s, const int64_t *state, const unf_action *action);
/* The handle of a round of a barrier. */
unf_status session_round(const struct session *s, uint32_t barrier, int64_t round,
                         unf_object *object);

/* barrier.c */
/* UNF_UNSUPPORTED, with a message in the session, if a thread that came to stand at a barrier, by
 * the last event of the explorer's run, contends for it with more others than it is for. */
unf_status session_contended(struct session *s, const int64_t *state, uint32_t thread,
                             const unf_explorer *explorer);
/* The same before the first event of a run, for all threads. */
unf_status session_contended_at_start(struct session *s, const int64_t *state);
/* Goes on to a kept state, which belongs after so many steps, and takes over its journal.
 * UNF_MEMORY, or as session_look(). */
unf_status session_restore(struct session *s, uint64_t steps, const struct checkpoint *kept);

/* fragments.c */
/* Whether this build has the hash for states that the options ask for. */
bool session_can_hash(const struct session *s);
/* Reports to an explorer with cutoffs what its last step changed. */
unf_status session_changed(const struct session *s, unf_explorer *explorer);

/* explore.c */
/* Explores everything; what was found is in the result. */
void session_explore(struct session *s);
/* Makes the explorer. */
unf_status session_explorer(struct session *s, unf_explorer **out);
/* Performs and finishes an execution that was begun; what it has is in the result. */
unf_status session_execute(struct session *s, unf_explorer *x, const unf_run *next);
/* What the program did that cannot be controlled, or NULL; the result then says why it ended. */
const char *session_uncontrolled(struct session *s, unf_status status);

/* jobs.c: --jobs, explores everything with several processes. What is not CLI_CLEAN was said, and
 * nothing was explored. */
int session_jobs(struct session *s);
/* A rank of --mpi that is not the first one. */
void session_serve(struct session *s);

/* open.c */
/* Compiles a text, which is taken, or reads the file if it is NULL. CLI_CLEAN, or another status
 * when what is wrong was said. */
int session_load(struct session *s, char *text, size_t size);
/* Makes the context and the unfolding with all names. */
unf_status session_open_library(struct session *s);
void session_close(struct session *s);

/* Whether an execution that came to a state has ended there. */
bool session_ended(const struct session *s, const int64_t *state);

/* walk.c: an execution whose steps somebody else chooses. */
struct walk {
  struct session *session;
  unf_configuration *events;
  bool wrong; /* a run-time error ended it */
  struct problem problem;
  bool whole;          /* at its end: it came to the end of the execution */
  unf_verdict verdict; /* then, unless it is wrong */
};
/* False: a limit, or no memory. */
bool walk_begin(struct walk *walk);
/* Performs an action that fits. *happened (may be NULL) is its event. False: as above. */
bool walk_step(struct walk *walk, const unf_action *action, unf_event *happened);
/* Lists what is wrong with it; of one that is not whole, what is so whatever follows. False: as
 * above. */
bool walk_end(struct walk *walk);

/* steps.c */
/* A step of a thread in the state before it: an object with `thread`, `operation`, `event`,
 * `place`, perhaps `result` and `notified`; several: its operation has other events too. NULL: no
 * memory. */
json_t *describe_step(const struct session *s, const int64_t *state, const unf_action *action,
                      bool *several);

/* shortening.c: --shorten, for all defects of the result. */
void session_shorten(struct session *s);

/* std.c: --std. UNF_INVALID: the file cannot be written, which was said; or no memory. */
unf_status std_open(struct session *s);
void std_step(struct session *s, const unf_action *action); /* that is about to be performed */
void std_access(struct session *s, const unf_access *access);
void std_close(struct session *s);

/* retell.c: --report */
/* Keeps the schedule of the defect that was listed last. */
void retell_keep(struct session *s, const unf_schedule *schedule);
/* The text of a schedule, to be freed; NULL: no memory. */
char *retell_text(const unf_schedule *schedule);
/* The steps of a schedule's text, to be freed; the inputs decide which way branches on them go.
 * False: no memory. */
bool retell_steps(struct session *s, const char *text, unf_action **actions, size_t *count);
/* Writes the page. */
void retell(struct session *s);

/* events.c */
/* What is known of the events, for --report; NULL: no memory. */
json_t *describe_events(struct session *s);
/* The program's names for threads and objects, as the library asks for them. */
unf_names session_names(struct session *s);

/* replay.c: runs the schedule of --replay. The exit status, CLI_USAGE if the schedule
 * does not fit. */
int session_replay(struct session *s);

/* races.c */
unf_status races_open(struct session *s);
/* A run begins that shares so many steps with the last one. *resumed: those that need not be
 * performed again; may be lowered. */
unf_status races_begin(struct session *s, uint64_t shared, uint64_t *resumed);
void races_step(struct session *s, unf_event event);
/* The steps up to where the run begins, after so many of them, are reported to the detector, with
 * the accesses of the journal. */
unf_status races_catch_up(struct session *s, const unf_explorer *x, uint64_t steps);
/* Lists the races that are new, with the run of the explorer, if there is one. With inputs also
 * those that this run has once more; *here: whether it has any. */
unf_status races_list(struct session *s, const unf_explorer *explorer, bool *here);
/* At the end of an exploration: in how many runs each was. */
void races_count(struct session *s);

/* blocked.c */
enum { NAME_SIZE = 300, TEXT_SIZE = 600 };
/* Name of an object or thread as in the language. */
void describe_name(const struct session *s, enum symbol_kind kind, uint32_t element,
                   char buffer[NAME_SIZE]);
/* What a thread is about to do, such as "lock(q[2])"; always terminated. */
void describe_intent(const struct session *s, const struct intent *intent, char *buffer,
                     size_t size);
/* FILE:LINE:COL; of a long name of a file the end. */
void describe_place(const struct session *s, struct place place, char *buffer, size_t size);
/* A thread in a defect: where it stands in a state, what it holds and waits for.
 * NULL: no memory. */
json_t *describe_thread(const struct session *s, const int64_t *state, uint32_t thread);
/* A cycle of threads that wait for each other, as text; empty if there is none. */
void describe_cycle(const struct session *s, const int64_t *state, char *buffer, size_t size);

/* executions.c. False: the file cannot be written, which was said. */
bool executions_open(struct session *s);
/* Writes the run of an explorer, which ended so. */
void executions_write(struct session *s, const unf_explorer *x, const unf_verdict *verdict);
void executions_close(struct session *s);

/* saving.c */
/* Opens the file of --continue, and takes over what was found. CLI_CLEAN, or another status when
 * what is wrong was said. */
int saving_open(struct session *s);
/* Makes the explorer, or reads it from that file. */
unf_status saving_explorer(struct session *s, const unf_explorer_options *options,
                           unf_explorer **out);
/* An execution is finished, with the races that it has. */
void saving_executed(struct session *s);
/* Between executions: saves, if it is time to. */
void saving_between(struct session *s, unf_explorer *x);
/* What is known of finished executions, a new reference; NULL: no memory. */
json_t *saving_known(struct session *s, const unf_explorer *x);
/* The exploration has ended: saves it, with what was known, which it takes; drops the execution at
 * hand. */
void saving_end(struct session *s, unf_explorer *x, json_t *known);

/* describe.c */
/* How an execution that ended in a state counts. */
void describe_verdict(const struct session *s, const int64_t *state, unf_verdict *verdict);
/* Lists what is wrong with an execution that ended in a state. The explorer, if there is one, has
 * its steps, for --trace-dir. */
void describe_end(struct session *s, const int64_t *state, const unf_verdict *verdict,
                  const unf_explorer *explorer);
/* Whether that would list the defect, or the end of an execution after a problem would; the state
 * need not be the end of one unless it says that it is the whole. Room for a number by thread, and
 * one more. */
bool describe_shows(const struct session *s, const int64_t *state, bool whole,
                    const struct cli_defect *defect, uint64_t *room);
bool describe_problem_is(const struct problem *problem, const struct cli_defect *defect);
/* The name of the program in a schedule, with the values of its inputs; to be freed. NULL: no
 * memory. */
char *describe_program(const struct session *s, const json_t *inputs);
/* Lists a race, or counts it as often as it was seen. */
/* With values of the inputs, or NULL, which it takes. */
void describe_race(struct session *s, const unf_race *race, const unf_explorer *explorer,
                   json_t *inputs);
/* An access of a race, for --report: `thread`, `operation`, `place` and `at`; NULL: no memory. */
json_t *describe_racing(const struct session *s, const unf_access *access);
/* Lists a run-time error. */
void describe_runtime(struct session *s, const struct problem *problem,
                      const unf_explorer *explorer);

#endif

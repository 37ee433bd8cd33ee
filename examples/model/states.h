/* The states of a run: where it begins, and what actions make of it. */
#ifndef MODEL_STATES_H
#define MODEL_STATES_H

#include "model.h"

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
/* Goes on to a kept state, which belongs after so many steps, and takes over its journal.
 * UNF_MEMORY, or as session_look(). */
unf_status session_restore(struct session *s, uint64_t steps, const struct checkpoint *kept);

#endif

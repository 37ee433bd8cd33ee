/* --replay: the execution of a schedule. */
#ifndef MODEL_REPLAY_H
#define MODEL_REPLAY_H

#include "model.h"

/* Performs the schedule of --replay. The exit status, CLI_USAGE if the schedule does not fit. */
int session_replay(struct session *s);

#endif

/* --std: the execution of a replay as a trace in the STD format. */
#ifndef MODEL_STD_H
#define MODEL_STD_H

#include "model.h"

/* UNF_INVALID: the file cannot be written, which was said; or no memory. */
unf_status std_open(struct session *s);
void std_step(struct session *s, const unf_action *action); /* that is about to be performed */
void std_access(struct session *s, const unf_access *access);
void std_close(struct session *s);

#endif

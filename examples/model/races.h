/* The detector of data races, and what it found. */
#ifndef MODEL_RACES_H
#define MODEL_RACES_H

#include "model.h"

unf_status races_open(struct session *s);
/* A run begins that shares so many steps with the last one. *resumed: those that need not be
 * performed again; may be lowered. */
unf_status races_begin(struct session *s, uint64_t shared, uint64_t *resumed);
void races_step(struct session *s, unf_event event);
/* The steps up to where the run begins, after so many of them, are reported to the detector, with
 * the accesses of the journal. */
unf_status races_catch_up(struct session *s, const unf_explorer *x, uint64_t steps);
/* Lists the races that this run has, that of the explorer, if there is one. With inputs *here says
 * whether it has any. */
unf_status races_list(struct session *s, const unf_explorer *explorer, bool *here);

#endif

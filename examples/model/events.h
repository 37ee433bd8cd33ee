/* The unfolding, and names of the program, for --report and --dot. */
#ifndef MODEL_EVENTS_H
#define MODEL_EVENTS_H

#include "model.h"

/* What is known of the events, for --report; NULL: no memory. */
json_t *describe_events(struct session *s);
/* The program's names for threads and objects, as the library asks for them. */
unf_names session_names(struct session *s);

#endif

/* --report: what was found, told once more for the page. */
#ifndef MODEL_RETELL_H
#define MODEL_RETELL_H

#include "model.h"

/* Keeps the text of the schedule of a defect. False: no memory. */
bool retell_keep_text(struct session *s, size_t defect, const char *text);
/* Keeps the schedule of the defect that was listed last. */
void retell_keep(struct session *s, size_t defect, const unf_schedule *schedule);
/* The text of a schedule, to be freed; NULL: no memory. */
char *retell_text(const unf_schedule *schedule);
/* The steps of a schedule's text, to be freed; the inputs decide which way branches on them go.
 * False: no memory. */
bool retell_steps(struct session *s, const char *text, unf_action **actions, size_t *count);
/* Writes the page. */
void retell(struct session *s);

#endif

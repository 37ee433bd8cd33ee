/* What was found before an exploration was begun again. */
#ifndef NATIVE_EARLIER_H
#define NATIVE_EARLIER_H

#include <defect.h>
#include <options.h>
#include <stdbool.h>

struct control;

/* Takes over what the exploration found that is to be begun again, with its schedules. False: there
 * is no memory for it, and the exploration is the result. */
bool earlier_keep(struct control *control, struct cli_defects *earlier);
/* Takes over the numbers of schedules of the exploration that this one is continued from. */
void earlier_continue(struct control *control);
/* Forgets the exploration, but for what the next one has to know. */
void earlier_forget(struct control *control);
/* At the end: takes schedules away that no defect has, and numbers the others from 1 on. */
void earlier_tidy(const struct control *control, struct cli_defects *defects,
                  const struct cli_options *options);

#endif

/* --save and --continue: what of a saved exploration is not the explorer's. */
#ifndef NATIVE_CONTINUED_H
#define NATIVE_CONTINUED_H

#include <defect.h>
#include <options.h>
#include <saved.h>
#include <stdbool.h>

struct control;

struct continued {
  json_t *identity;
  struct cli_before before;
  bool journal;                /* what is gone on with is a journal, see jobs/round.h */
  struct cli_defects *earlier; /* what explorations found that were begun again */
};

/* With --continue: takes over what the exploration knows and has found, for the program at this
 * path. False, with a message: it cannot be continued so. */
bool continued_open(struct continued *continued, struct control *control,
                    const struct cli_options *options, const char *path,
                    struct cli_defects *earlier);
/* With --save: prepares what the exploration writes in front, when it begins, or begins again.
 * False with a message. */
bool continued_head(struct continued *continued, struct control *control,
                    const struct cli_defects *earlier);
void continued_close(struct continued *continued);

/* Whether what was read into two blocks can be looked at: what an exploration has to know, and that
 * with what it found. */
bool continued_check(struct control *known, struct control *found);

#endif

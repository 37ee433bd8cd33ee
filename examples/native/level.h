/* How much of the program's accesses to memory is seen: read-modify-writes, or all. */
#ifndef NATIVE_LEVEL_H
#define NATIVE_LEVEL_H

#include "control.h"

#include <options.h>
#include <stdbool.h>

void level_begin(struct settings *settings, const struct cli_options *options);
/* Whether the program is to be explored again from the start, and then with what; seconds: what the
 * last exploration took; used: all of them. */
bool level_again(struct control *control, const struct cli_options *options, double seconds,
                 double used);

#endif

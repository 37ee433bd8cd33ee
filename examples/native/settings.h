/* What the command line says, as the process under test takes it. */
#ifndef NATIVE_SETTINGS_H
#define NATIVE_SETTINGS_H

#include <options.h>
#include <stdbool.h>

struct control;

/* False: it cannot be taken, which was said. */
bool settings_fill(struct control *control, const struct cli_options *options);

#endif

/* What the command line asks of the library. */
#ifndef COMMON_SETTINGS_H
#define COMMON_SETTINGS_H

#include "options.h"

/* Options of the explorer and limits of the context, as the command line says. */
void cli_options_explorer(const struct cli_options *options, unf_explorer_options *out);
void cli_options_limits(const struct cli_options *options, unf_limits *out);
/* Whether executions are drawn, and nothing is explored to the end. */
bool cli_samples(const struct cli_options *options);
/* Whether the library supports what the command line asks of it together; if not, the text says
 * what cannot be combined. */
bool cli_options_supported(const struct cli_options *options, char *text, size_t size);

#endif

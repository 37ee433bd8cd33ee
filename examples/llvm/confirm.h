/* Findings that are confirmed in native programs. */
#ifndef LLVM_CONFIRM_H
#define LLVM_CONFIRM_H

#include "options.h"

/* --confirm, for a command line as it was given. It does not return if it can be done;
 * else the exit status. */
int sym_confirm(const struct cli_options *options, int argc, char **argv);

#endif

/* Which options of an explorer have a meaning, and which go together. */
#ifndef EXPLORATION_OPTIONS_H
#define EXPLORATION_OPTIONS_H

#include <unfold/explore.h>

/* UNF_INVALID or UNF_UNSUPPORTED; the detail names the options and their values. */
unf_status unfi_explorer_options_check(unf_context *context, const unf_explorer_options *options);

#endif

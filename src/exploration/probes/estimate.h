/* What probes report. */
#ifndef EXPLORATION_PROBES_ESTIMATE_H
#define EXPLORATION_PROBES_ESTIMATE_H

#include <unfold/explore.h>

/* The value of the probe at hand, which is at its end. */
unf_status unfi_probe_value(unf_explorer *x, double *out);
void unfi_estimate_add(unf_explorer *x, double value);

#endif

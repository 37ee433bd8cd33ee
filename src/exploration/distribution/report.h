/* Reports of workers. */
#ifndef EXPLORATION_DISTRIBUTION_REPORT_H
#define EXPLORATION_DISTRIBUTION_REPORT_H

#include "exploration/distribution/ledger.h"

/* Reads a report for an item whose root is at a depth: nothing is changed yet but `report`. */
unf_status unfi_report_read(unf_ledger *ledger, uint32_t depth, unf_read read, void *user);

#endif

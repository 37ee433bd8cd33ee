/* --shorten (doc/shorten.md). */
#ifndef NATIVE_SHORTENING_H
#define NATIVE_SHORTENING_H

#include "again.h"

#include <report.h>

/* For all defects of the result, of an exploration that is over: their schedules become those of
 * shorter executions. */
void shorten_defects(const struct again *again, struct cli_result *result);

#endif

/* --report: the page of an exploration. */
#ifndef NATIVE_RETELL_H
#define NATIVE_RETELL_H

#include "again.h"

#include <report.h>

/* Writes the page. CLI_CLEAN, or a status when what went wrong was said. */
enum cli_status retell(const struct again *again, const struct cli_result *result);

#endif

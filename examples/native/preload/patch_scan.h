/* The tables of modules. */
#ifndef NATIVE_PRELOAD_PATCH_SCAN_H
#define NATIVE_PRELOAD_PATCH_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "../sites/table.h"

/* Starts the scanner: in front of everything that would restrict it as it does the program. */
void scan_begin(void);
/* Makes sure that all modules have tables, as far as they can be made. */
void scan_modules(void);
/* The table of a module and its rows, which were checked; NULL: there is none. */
const struct site_table *scan_table(uint32_t module, const struct site **sites);
/* Whether the module is one whose code is never changed; kept in the table of modules. */
bool scan_excluded(uint32_t module);

#endif

/* Calls of functions whose accesses are not known, as they are made. */
#ifndef NATIVE_PRELOAD_IMPORTS_HIT_H
#define NATIVE_PRELOAD_IMPORTS_HIT_H

#include "imports.h"

void import_called(const struct imported *imported, uint64_t place);

#endif

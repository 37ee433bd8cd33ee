/* Names in the STD format. */
#ifndef IO_STD_NAMES_H
#define IO_STD_NAMES_H

#include "io/std.h"

/* The number of a name; UINT32_MAX when refused. */
uint32_t unfi_std_intern(unf_context *context, struct std_names *names, const char *name,
                         size_t size);
void unfi_std_names_free(unf_context *context, struct std_names *names);

#endif

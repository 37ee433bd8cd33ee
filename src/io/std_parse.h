/* Lines of the STD format. */
#ifndef IO_STD_PARSE_H
#define IO_STD_PARSE_H

#include "io/std.h"

/* The lines of a text, and their names. */
unf_status unfi_std_parse(unf_std *std, const char *text, size_t size);
/* Fails because of a line, at a column; the parts are as for unfi_fail_with(). */
unf_status unfi_std_fail(unf_context *context, unf_status status, uint64_t line, uint64_t column,
                         const char *const *parts);

#endif

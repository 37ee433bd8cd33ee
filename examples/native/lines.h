/* Source lines and symbols for addresses of the program under test. */
#ifndef NATIVE_LINES_H
#define NATIVE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "control/modules.h"
#include "control/object_kinds.h"

struct control;

/* Where the call that returns to this address stands: "file:line", or "module+offset" where the
 * program has no line information. NULL for 0. Valid for ever. */
const char *line_of(const struct control *control, uint64_t address);

/* Where it stands, with the path of the source as the compiler was given it. NULL: it is not known.
 */
const char *source_of(const struct control *control, uint64_t address);

/* The function that it is in. NULL: that is not known. Valid for ever. */
const char *function_of(const struct control *control, uint64_t address);

/* The variable of a module that lies at an address, or the module and the offset in it. False: it
 * is in no module. */
bool symbol_of(const struct control *control, uint64_t address, char *text, size_t size);

/* An object: what it is and the name of the variable that it lies in, or the canonical name given
 * ("": nothing). */
void variable_text(const struct control *control, enum object_kind kind, uint64_t address,
                   const char *name, char *text, size_t size);

/* The name of its file, without folders. */
const char *module_short_name(const struct module *module);

/* Starts a command whose output is read from the stream; its errors are dropped. NULL: it could not
 * be started. */
FILE *command_start(char *const *command, pid_t *child);
void command_stop(FILE *stream, pid_t child);

#endif

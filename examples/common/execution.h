/* --executions: each execution as a line of JSON, with values of the inputs and what they must
 * satisfy. */
#ifndef COMMON_EXECUTION_H
#define COMMON_EXECUTION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include <unfold/unfold.h>

#include "options.h"

/* The file; NULL: it cannot be written, which was said. */
FILE *cli_executions_open(enum cli_program program, const char *path);
/* Writes the run of an explorer, which ended so, with values of its inputs and its constraint,
 * whose references are taken; either may be NULL. False: no memory for all of it. */
bool cli_execution_write(FILE *to, const unf_unfolding *unfolding, const unf_explorer *explorer,
                         const unf_verdict *verdict, json_t *inputs, json_t *constraint);
/* False: it could not be written, which was said. */
bool cli_executions_close(enum cli_program program, const char *path, FILE *file);

#endif

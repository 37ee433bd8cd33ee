/* --jobs: the program explored once by several workers. */
#ifndef NATIVE_JOBS_ROUND_H
#define NATIVE_JOBS_ROUND_H

#include <jansson.h>
#include <options.h>
#include <sys/types.h>

#include "../continued.h"
#include "../watch.h"

struct control;

/* As run_program() does, or goes on from a journal; *told: what each worker did. CLI_CLEAN, or an
 * exit status; why was said. */
int round_run(struct control *control, const struct cli_options *options, const char *path,
              off_t input, struct watched *watched, struct continued *continued, json_t **told);
/* A rank of --mpi that is not the first one. */
void round_serve(struct control *control, const struct cli_options *options, const char *path,
                 off_t input, struct watched *watched);

#endif

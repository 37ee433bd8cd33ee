/*
 * Files of explorations that were stopped, for --save and --continue: what the program knows, as
 * JSON, and behind it what the library writes (unfold/continue.h). doc/formats.md has the format.
 */
#ifndef COMMON_SAVED_H
#define COMMON_SAVED_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <unfold/unfold.h>

#include "defect.h"
#include "options.h"

/* Of processes before this one, which was continued from a file. */
struct cli_before {
  const char *file; /* NULL: none */
  uint64_t times;   /* how often it was continued, this time included */
  uint64_t executions;
  double seconds;
};

/* A hash of bytes: of those before it, and more; of none it is CLI_HASH_NONE. */
#define CLI_HASH_NONE UINT64_C(0xcbf29ce484222325)
uint64_t cli_hash_more(uint64_t hash, const void *bytes, size_t size);
/* In 16 hexadecimal digits. */
void cli_hash_text(const void *bytes, size_t size, char text[17]);

/*
 * What must be the same where it is gone on with, a new reference: the tool with the version of the
 * library, the hash of the program, the options that decide what is explored, and the
 * arguments from one on. NULL: no memory.
 */
json_t *cli_saved_identity(enum cli_program program, const struct cli_options *options,
                           const char *hash, int first_argument);

/* Whether what was saved is the same; else `line` says where it differs. */
bool cli_saved_same(const json_t *identity, const json_t *saved, char *line, size_t size);

/* Defects with all that is known of them, and back into an empty list. NULL, false: no memory, or,
 * of what was read, no list of defects. */
json_t *cli_saved_defects(const struct cli_defects *defects);
/* One of them, a new reference; and into a list: one that is there is counted more. *described: the
 * index of the one of which the execution is described now; SIZE_MAX: it is that from before. */
json_t *cli_saved_defect(const struct cli_defect *defect);
bool cli_saved_defect_merge(struct cli_defects *defects, const json_t *entry, size_t *described);
bool cli_saved_defects_read(struct cli_defects *defects, const json_t *list);

/* What stands in front of the exploration, in memory that the caller frees; NULL: no memory. The
 * JSON is only looked at. */
char *cli_saved_head(json_t *identity, json_t *known, size_t *size);

/*
 * Writes a file by save_lasting(): the identity, what else the program knows, of which both are
 * only looked at, and the exploration. The limits of the context are lifted meanwhile, and `limits`
 * set afterwards. False: it was not written, which was said; a file that
 * was there stays.
 */
bool cli_saved_write(enum cli_program program, const char *path, json_t *identity, json_t *known,
                     const unf_explorer *explorer, unf_context *context, const unf_limits *limits);

/* A file that is being read. */
struct cli_saved {
  FILE *file;
  const char *path;
  enum cli_program program;
  json_t *known;   /* what else the program knew */
  uint64_t behind; /* where the exploration begins */
};

/* Opens a file, and compares its identity. Otherwise says FILE: what is wrong, puts the exit status
 * into *status, and returns false. To be closed then too. */
bool cli_saved_open(struct cli_saved *saved, enum cli_program program, const char *path,
                    const json_t *identity, int *status);
/* Reads the explorer. A status that is no limit or interrupt was said. */
unf_status cli_saved_explorer(struct cli_saved *saved, unf_unfolding *unfolding,
                              const unf_explorer_options *options, unf_explorer **out);
void cli_saved_close(struct cli_saved *saved);

#endif

/* What both programs do around the library: interrupts, schedule and DOT files, what a status of
 * the library means. */
#ifndef COMMON_SESSION_H
#define COMMON_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"
#include "save.h"

/*
 * From now on the first of SIGINT, SIGTERM, SIGHUP (unless it is ignored, as by nohup) and SIGQUIT
 * interrupts the context; the others come to nothing, as do all with NULL in its place.
 */
void cli_interrupt_watch(unf_context *context);
/* Whether a signal came since. */
bool cli_interrupt_came(void);

/* Why an exploration stopped, for a status that is a limit, an interrupt or no memory: a word for
 * cli_result.stopped; NULL for another status. */
const char *cli_stop_word(const unf_context *context, unf_status status);

/* Which bounds of the schedule cut executions short: words for cli_result.bound; NULL: none. */
const char *cli_bound_word(const unf_counts *counts);

/* Where a standard stream is closed, lets what is done to it fail, instead of the next file that is
 * opened taking its place; a file that becomes too large, or a pipe that nobody reads, is an error
 * of writing, not a signal. */
void cli_streams_begin(void);
/* Gives the signals back, for a program that this process becomes. */
void cli_streams_restore(void);
/* The exit status if something asked for could not be written: what was found keeps its own. */
int cli_failed_status(int status, enum cli_status failure);
/* The exit status when everything is printed: with a message, and CLI_STOPPED in place of success,
 * if standard output could not be written. */
int cli_output_status(enum cli_program program, int status);

/* Writes a file that the user named, by save_through(). Says what went wrong on standard error and
 * returns false, with ENOMEM in errno when there was no memory for it. */
bool cli_save(enum cli_program program, const char *path, save_producer produce, void *user);

/* The folder of --trace-dir (NULL: none) is made if it is not there, with those that it is in.
 * False: it cannot be written to, and that was said. */
bool cli_folder_prepare(enum cli_program program, const char *folder);

/*
 * Writes a schedule as trace-N.unfs into the folder (NULL: the present one), by save_whole(); the
 * name without the folder is put into name. Says what went wrong on standard error and returns
 * false, as cli_save() does.
 */
bool cli_schedule_save(enum cli_program program, const unf_schedule *schedule, const char *folder,
                       size_t number, char *name, size_t size);
/* Writes a schedule under another name; else as above. */
bool cli_schedule_write(enum cli_program program, const unf_schedule *schedule, const char *folder,
                        const char *name);

/* Reads a schedule; on failure says FILE:LINE:COL: what is wrong on standard error, puts the exit
 * status (CLI_STOPPED when memory was refused) into status, and returns NULL. */
unf_schedule *cli_schedule_load(enum cli_program program, unf_unfolding *unfolding,
                                const char *path, int *status);

/* The whole of a file, of 256 MB at most, with a 0 behind it, to be freed; NULL with a message on
 * standard error, and the exit status as above. */
char *cli_read_file(enum cli_program program, const char *path, size_t *size, int *status);

#endif

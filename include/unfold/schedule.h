/**
 * @file
 * Schedules: executions written down so that another process can repeat them. The text has a
 * version line, a program line, one line for each step, which contains only canonical names (thread
 * path, action, object), and a checksum; doc/formats.md specifies it to the byte.
 */
#ifndef UNFOLD_SCHEDULE_H
#define UNFOLD_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>
#include <unfold/configuration.h>
#include <unfold/explore.h>
#include <unfold/export.h>
#include <unfold/output.h>

UNF_BEGIN_DECLS

/** A sequence of actions, with the name of a program. */
typedef struct unf_schedule unf_schedule;

/** Makes an empty schedule for a program. The name is copied; it must be one line and not empty.
 * *out is owned by the caller. Errors: UNF_INVALID, UNF_MEMORY, UNF_LIMIT. O(length). */
UNF_API unf_status unf_schedule_new(unf_unfolding *unfolding, const char *program,
                                    unf_schedule **out);

/** Frees a schedule; NULL does nothing. O(1). */
UNF_API void unf_schedule_free(unf_schedule *schedule);

/** Appends a step. Errors: UNF_INVALID, UNF_UNKNOWN, UNF_MEMORY, UNF_LIMIT. O(1) amortised. */
UNF_API unf_status unf_schedule_append(unf_schedule *schedule, const unf_action *action);

/** Appends the steps of the current run of an explorer, or of the last one if no run is active, of
 * a probe too; after an error none is appended. Errors: UNF_INVALID (an explorer of another
 * unfolding), UNF_MEMORY, UNF_LIMIT. O(steps). */
UNF_API unf_status unf_schedule_append_run(unf_schedule *schedule, const unf_explorer *explorer);

/** Number of steps. O(1). */
UNF_API uint64_t unf_schedule_size(const unf_schedule *schedule);

/** Name of the program; valid as long as the schedule. O(1). */
UNF_API const char *unf_schedule_program(const unf_schedule *schedule);

/** Step number index, from 0. Error: UNF_INVALID. O(1). */
UNF_API unf_status unf_schedule_step(const unf_schedule *schedule, uint64_t index, unf_action *out);

/** Writes a schedule as text; equal schedules give equal bytes. Errors: UNF_WRITE,
 * UNF_MEMORY, UNF_LIMIT. O(size). */
UNF_API unf_status unf_schedule_write(const unf_schedule *schedule, unf_write write, void *user);

/**
 * Reads a schedule from text, and names the threads and objects that occur in it in the unfolding.
 * *out is owned by the caller. Errors: UNF_FORMAT (also for text that is not a schedule; detail:
 * step = line, place = column), UNF_UNSUPPORTED (another version), UNF_CHECKSUM (damaged or
 * truncated), UNF_MEMORY, UNF_LIMIT. O(size).
 */
UNF_API unf_status unf_schedule_read(unf_unfolding *unfolding, const char *text, size_t size,
                                     unf_schedule **out);

UNF_END_DECLS

#endif

/**
 * @file
 * Stopping and going on: an exploration is written down as bytes, from which another process goes
 * on with it, and comes to the same end.
 *
 *     unf_explorer_write(explorer, write, file);           // here
 *     unf_explorer_read(unfolding, &options, read, file, &explorer); // there
 *
 * What is written is all that the unfolding and the explorer hold: names, operations and events,
 * the position in the tree, what is left there, and the counts. What comes of it in the end is what
 * would have come without: the same executions in the same order with the same numbers, verdicts
 * and counts. Only unf_counts.resumed, .reversals, .turns_tested and .alternatives, and the
 * estimate, may be others: caches are not written, so that some work is done again.
 *
 * This has nothing to do with unf_explorer_save(), by which a front-end names states of its own.
 * These are not written.
 */
#ifndef UNFOLD_CONTINUE_H
#define UNFOLD_CONTINUE_H

#include <stdbool.h>
#include <stddef.h>
#include <unfold/explore.h>
#include <unfold/export.h>
#include <unfold/output.h>

UNF_BEGIN_DECLS

/** Gives up to `size` bytes, which is not 0, and sets *got to how many; 0: there are no more.
 * Returns false if it could not read. */
typedef bool (*unf_read)(void *user, void *bytes, size_t size, size_t *got);

/**
 * IDLE. Writes down the exploration; the format is in doc/formats.md. An execution that was begun
 * is dropped first, with unf_explorer_abandon(). The explorer is not changed, so that it can go on,
 * also after an error. What comes from the front-end is not written: the program, the functions of
 * its effect families, the limits of the context, race detectors.
 *
 * Errors: UNF_STATE (an execution was begun), UNF_UNSUPPORTED (an order other than depth-first, an
 * unfolding with a predicate of consistency, or items (distribute.h), for which the ledger is
 * written down; the detail names it), UNF_WRITE, UNF_MEMORY, UNF_LIMIT. O(what is held), in time
 * and in bytes.
 */
UNF_API unf_status unf_explorer_write(const unf_explorer *explorer, unf_write write, void *user);

/**
 * Makes an explorer that goes on with an exploration that was written down. The unfolding is new,
 * without events; the effect families of the first one are registered in it, in the same order. The
 * front-end may have named threads and objects as it did then, or not at all. The options must be
 * those of the first explorer, as far as they decide what is explored: algorithm, alternative,
 * order, cutoffs, max_switches, max_preemptions, and where executions are drawn seed, steps and
 * depth; NULL: the defaults. *out is owned by the caller, and IDLE; its next execution shares no
 * steps with one before, and unf_explorer_path() has no steps until then.
 *
 * Reads no byte behind the end of what was written, and believes none of it: whatever the bytes
 * are, they are refused or make an exploration. Errors: UNF_FORMAT, UNF_CHECKSUM (damaged or
 * truncated), UNF_UNSUPPORTED (another version; a combination of options), each with the byte as
 * detail.place, if there is one; UNF_INVALID (options that are not those; the detail names one),
 * UNF_STATE (the unfolding has events or other names), UNF_READ, UNF_MEMORY, UNF_LIMIT,
 * UNF_INTERRUPTED. After an error the unfolding may have some of the names and events, and is good
 * for nothing but unf_unfolding_free(). O(bytes · (threads + objects)).
 */
UNF_API unf_status unf_explorer_read(unf_unfolding *unfolding, const unf_explorer_options *options,
                                     unf_read read, void *user, unf_explorer **out);

UNF_END_DECLS

#endif

/**
 * @file
 * For callers in other languages, which load the library and do not read C headers: the numbers of
 * constants by name, and the initialisers of structs as functions. The functions that are inline in
 * C (such as unf_operation_make(), which the macros UNF_OP_… stand for) are in the library too.
 *
 * Enumerations are passed as a C int. Their numbers do not change: new ones are added at the end.
 */
#ifndef UNFOLD_FOREIGN_H
#define UNFOLD_FOREIGN_H

#include <stddef.h>
#include <stdint.h>
#include <unfold/action.h>
#include <unfold/alternative.h>
#include <unfold/consistency.h>
#include <unfold/context.h>
#include <unfold/distribute.h>
#include <unfold/drive.h>
#include <unfold/explore.h>
#include <unfold/export.h>
#include <unfold/fingerprint.h>
#include <unfold/purity.h>
#include <unfold/race.h>
#include <unfold/std.h>
#include <unfold/thread.h>

UNF_BEGIN_DECLS

/** The number of an enumerator or a macro by its name in the headers, such as "UNF_LOCK" or
 * "UNF_EVENT_NONE"; of UNF_UNBOUNDED, whose 64 bits are all set, -1. Errors: UNF_INVALID,
 * UNF_UNKNOWN (no such name). O(names). */
UNF_API unf_status unf_constant(const char *name, int64_t *out);

/** UNF_CONTEXT_OPTIONS_INIT; size is that of the caller's struct. Error: UNF_INVALID (another size
 * than the library's). O(1). */
UNF_API unf_status unf_context_options_init(unf_context_options *options, size_t size);

/** UNF_UNFOLDING_OPTIONS_INIT. Error: UNF_INVALID (size). O(1). */
UNF_API unf_status unf_unfolding_options_init(unf_unfolding_options *options, size_t size);

/** UNF_EXPLORER_OPTIONS_INIT. Error: UNF_INVALID (size). O(1). */
UNF_API unf_status unf_explorer_options_init(unf_explorer_options *options, size_t size);

/** UNF_ENGINE_INIT. Error: UNF_INVALID (size). O(1). */
UNF_API unf_status unf_engine_init(unf_engine *engine, size_t size);

/** UNF_ALTERNATIVE_OPTIONS_INIT. Error: UNF_INVALID (size). O(1). */
UNF_API unf_status unf_alternative_options_init(unf_alternative_options *options, size_t size);

/** UNF_CONSISTENCY_INIT. Error: UNF_INVALID (size). O(1). */
UNF_API unf_status unf_consistency_init(unf_consistency *consistency, size_t size);

/** UNF_RACES_OPTIONS_INIT. Error: UNF_INVALID (size). O(1). */
UNF_API unf_status unf_races_options_init(unf_races_options *options, size_t size);

/** UNF_NAMES_INIT. Error: UNF_INVALID (size). O(1). */
UNF_API unf_status unf_names_init(unf_names *names, size_t size);

/** UNF_STD_OPTIONS_INIT. Error: UNF_INVALID (size). O(1). */
UNF_API unf_status unf_std_options_init(unf_std_options *options, size_t size);

/** UNF_PURITY_OPTIONS_INIT. Error: UNF_INVALID (size). O(1). */
UNF_API unf_status unf_purity_options_init(unf_purity_options *options, size_t size);

/** UNF_STATEMENT_INIT() of a kind. Errors: UNF_INVALID (size, kind). O(1). */
UNF_API unf_status unf_statement_init(unf_statement *statement, size_t size,
                                      unf_statement_kind kind);

/** UNF_FINGERPRINT_INIT. Error: UNF_INVALID (size). O(1). */
UNF_API unf_status unf_fingerprint_init(unf_fingerprint *fingerprint, size_t size);

/** UNF_REPORT_INIT. Error: UNF_INVALID (size). O(1). */
UNF_API unf_status unf_report_init(unf_report *report, size_t size);

/** UNF_LEDGER_STATE_INIT. Error: UNF_INVALID (size). O(1). */
UNF_API unf_status unf_ledger_state_init(unf_ledger_state *state, size_t size);

UNF_END_DECLS

#endif

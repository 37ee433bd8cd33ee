/* Reports, as the ledger reads them: all of one before anything is changed. */
#include "exploration/distribution/report.h"

#include "exploration/distribution/ledger.h"
#include "extension/adds.h"

/* Appends something to what a report says. */
#define APPEND(letter, list, value)                                                                \
  (vector_reserve((letter)->u->context, (list), (uint64_t)(list)->count + 1)                       \
       ? (void)vector_push((list), (value))                                                        \
       : (void)unfi_bytes_note(&(letter)->in, unfi_refused((letter)->u->context)))

/* Sequences for nodes above the root of an item, which is so deep. */
static void read_sequences(struct letter_in *letter, struct report_in *report, uint32_t depth) {
  for (;;) {
    uint32_t node = unfi_bytes_get_below(&letter->in, (uint64_t)depth + 1, "depth of a sequence");
    if (letter->in.status != UNF_OK || node == 0) return;
    struct sequence sequence = {node - 1, report->steps.count, 0};
    for (struct named_step step; letter_step(letter, &step); sequence.count++)
      APPEND(letter, &report->steps, step);
    if (sequence.count == 0) unfi_bytes_malformed(&letter->in, "an empty sequence");
    if (letter->in.status == UNF_OK) APPEND(letter, &report->sequences, sequence);
  }
}

/* Branches that are done, each behind those below it, of which so many are right below it. */
static uint32_t read_done(struct letter_in *letter, unf_ledger *ledger) {
  struct branches *done = &ledger->report.done;
  const uint32_t first = branches_count(done);
  uint64_t roots = 0;
  for (struct named_step step; letter->in.status == UNF_OK && letter_step(letter, &step);) {
    uint32_t children = unfi_bytes_get_below(&letter->in, roots + 1, "branches below one");
    const uint32_t end = branches_count(done), number = step_number(&ledger->tree.numbers, step);
    uint32_t at = end;
    for (uint32_t i = 0; i < children; i++)
      at -= branches_at(done, at - 1).below + 1;
    roots = roots - children + 1;
    const struct explored_branch branch = {number, end - at};
    if (number == 0 || !branches_push(letter->u->context, done, branch))
      unfi_bytes_note(&letter->in, unfi_refused(letter->u->context));
  }
  return branches_count(done) - first;
}

/* Branches that are left, as a tree. */
static void read_left(struct letter_in *letter, unf_ledger *ledger) {
  uint64_t below = 0;
  while (letter->in.status == UNF_OK) {
    struct named_step step;
    const bool any = letter_step(letter, &step);
    const uint32_t number = any ? step_number(&ledger->tree.numbers, step) : 0;
    if (any && number == 0) unfi_bytes_note(&letter->in, unfi_refused(letter->u->context));
    APPEND(letter, &ledger->report.left, number);
    if (!any && below == 0) return;
    below = any ? below + 1 : below - 1;
  }
}

static void read_levels(struct letter_in *letter, unf_ledger *ledger) {
  struct report_in *report = &ledger->report;
  report->shared = 0;
  report->whole = unfi_bytes_get_below(&letter->in, 2, "whether a report is whole");
  if (!report->whole) return;
  uint32_t count = unfi_bytes_get_below(&letter->in, UINT32_MAX, "depth of a report");
  report->shared = unfi_bytes_get_below(&letter->in, count + 1ull, "depth of a split");
  while (letter->in.status == UNF_OK && report->levels.count < count) {
    struct level level = {.done = branches_count(&report->done), .left = report->left.count};
    level.done_count = read_done(letter, ledger);
    if (!letter_step(letter, &level.way)) {
      unfi_bytes_malformed(&letter->in, "a report without its way");
      return;
    }
    level.free = unfi_bytes_get_below(&letter->in, 2, "whether a node is free");
    if (report->levels.count + 1 == count && !level.free)
      unfi_bytes_malformed(&letter->in, "a way whose end is not free");
    read_left(letter, ledger);
    APPEND(letter, &report->levels, level);
  }
}

unf_status unfi_report_read(unf_ledger *ledger, uint32_t depth, unf_read read, void *user) {
  struct report_in *report = &ledger->report;
  struct letter_in *letter = &ledger->read;
  report->sequences.count = report->steps.count = 0;
  report->levels.count = report->left.count = 0;
  branches_empty(&report->done);
  unf_status status = unfi_letter_open(letter, ledger->u, LETTER_REPORT, read, user);
  if (status == UNF_OK) {
    read_sequences(letter, report, depth);
    read_levels(letter, ledger);
    report->finished = unfi_bytes_get_below(&letter->in, 2, "whether an item is finished");
    if (report->finished && report->whole)
      unfi_bytes_malformed(&letter->in, "an item that goes on and is finished");
    if (report->finished) read_done(letter, ledger);
    status = unfi_letter_finish(letter);
  }
  return status;
}

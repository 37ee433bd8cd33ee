/**
 * @file
 * One exploration by many workers, in one process or on many machines: items and the ledger.
 *
 *     worker                                              coordinator
 *       |                          unf_ledger_give() ------ item ------>  the ledger: the part of
 *     unf_explorer_begin_item()                                           the tree that workers
 *     execution by execution, as always                                   share, without programs
 *     unf_explorer_report() ------ report ------> unf_ledger_report()     and without executions
 *
 * An *item* is a node of the exploration tree with all that is to be explored below it: its path,
 * what sleeps there, and its wakeup tree (wakeup.h). Whoever is given it explores it as any
 * explorer does. What has to be explored elsewhere because of that, since a race was reversed above
 * the item, goes into a *report* to the ledger, which makes items of it unless it is covered by
 * what was there. A worker can be asked to split: its report then gives away what is left of its
 * item where that is the most, and it goes on below.
 *
 * Items and reports are bytes that mean the same in every process: threads and objects are in them
 * by their names, not by their handles. How they travel is the caller's. The reports of a worker
 * have to arrive in the order in which they were made, each once; those of different workers can
 * come in any order. Which workers there are, when they come, and whether they die makes no
 * difference for what is explored: every trace once, and no execution is redundant.
 *
 * The tree is that of optimal DPOR. A worker never learns what others find: what belongs below an
 * item that somebody has waits in the ledger for its end. doc/distribution.md has the rules, why
 * they are right, and what is combined with what.
 */
#ifndef UNFOLD_DISTRIBUTE_H
#define UNFOLD_DISTRIBUTE_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/continue.h>
#include <unfold/explore.h>
#include <unfold/export.h>
#include <unfold/output.h>

UNF_BEGIN_DECLS

/* ---- workers ---- */

/**
 * IDLE, before the first execution or after the end of an item was reported. Begins with an item,
 * as unf_ledger_give() wrote it: the next execution goes along its path, and unf_run.finished says
 * that all below it is explored. Counts go on. Names that the front-end has not given yet are given
 * here; the front-end gives the same ones later, in any order. Threads that run from the start must
 * be named and started before the first event of the unfolding, as always.
 *
 * Whether the path is one of the program is seen when it is performed: UNF_NONDETERMINISM or
 * UNF_DIVERGENCE then.
 *
 * Errors: UNF_STATE (an item is not finished, or its end not reported; the exploration began
 * without one; a name means something else here), UNF_UNSUPPORTED (an algorithm other than
 * UNF_ODPOR, or probes; the detail names it), UNF_FORMAT, UNF_CHECKSUM, UNF_READ, UNF_INVALID (a
 * path that is not possible in any program), UNF_MEMORY, UNF_LIMIT, UNF_INTERRUPTED. After an error
 * there is no item, and the call can be made again. O(steps of the path · threads), without those
 * that it shares with the last execution.
 */
UNF_API unf_status unf_explorer_begin_item(unf_explorer *explorer, unf_read read, void *user);

/** What a report says to the caller, who makes sums of it. Initialise with UNF_REPORT_INIT. */
typedef struct unf_report {
  uint32_t size; /**< sizeof(unf_report) */
  bool finished; /**< the item is; the explorer can begin with another one */
  bool split;    /**< something was given away */
  /** Executions up to this number (unf_run.number) count now: all, if the item is finished or a
   * split was asked for. Those after it are part of what is still explored: if the worker is lost,
   * they are made again. */
  uint64_t committed;
  /** What these came to, without those of earlier reports: traces, complete, blocked, deadlocks,
   * errors, redundant, executions, undecided, infeasible and steps; the others are no sums, and
   * are 0. */
  unf_counts counts;
  uint64_t reversals; /**< sequences that it has for the ledger */
} unf_report;

/** As unf_report should be before a call. */
#define UNF_REPORT_INIT                                                                            \
  { .size = sizeof(unf_report) }

/**
 * IDLE, with an item. Writes for the ledger what it needs to know of the executions since the last
 * report. If `split` is set, the next execution is decided first, if there is one, so that the item
 * may turn out to be finished; all executions so far count; and where something is left that nobody
 * began with, it is given away.
 *
 * If the call fails the explorer is as it was, but for what is decided, and what was written is to
 * be dropped. Errors: UNF_STATE (no item, or an execution was begun), UNF_INVALID (the size of
 * *out), UNF_WRITE, UNF_MEMORY, UNF_LIMIT, UNF_INTERRUPTED. O(bytes that are written).
 */
UNF_API unf_status unf_explorer_report(unf_explorer *explorer, bool split, unf_write write,
                                       void *user, unf_report *out);

/* ---- the ledger ---- */

/** The shared part of an exploration tree. */
typedef struct unf_ledger unf_ledger;

/**
 * A ledger with one open item: all executions. The unfolding is for names and dependence alone, and
 * has no events; the effect families of the program are registered in it, in the same order as at
 * the workers. If theirs have a predicate of consistency it has one too, which is never asked, and
 * the terms of branches have the same numbers everywhere. It must outlive the ledger. *out is owned
 * by the caller. Errors: UNF_STATE (the unfolding has events), UNF_MEMORY, UNF_LIMIT. O(1).
 */
UNF_API unf_status unf_ledger_new(unf_unfolding *unfolding, unf_ledger **out);

/** Frees a ledger. NULL is allowed. O(nodes). */
UNF_API void unf_ledger_free(unf_ledger *ledger);

/**
 * Gives the leftmost open item away, and writes it. *item: its number, which was never used before,
 * from 1 on; 0 if none is open, and nothing is written. If the call fails the item stays open.
 * Errors: UNF_WRITE, UNF_MEMORY, UNF_LIMIT. O(steps of its path, what is left of them, and its
 * wakeup tree).
 */
UNF_API unf_status unf_ledger_give(unf_ledger *ledger, unf_write write, void *user, uint64_t *item);

/**
 * Takes a report for the item with a number. If it says that the item is finished, the number has
 * no meaning any more.
 *
 * If the call fails, and not with UNF_UNKNOWN, the report can be given again. Errors: UNF_UNKNOWN
 * (nobody has such an item: it was taken back, or is finished), UNF_FORMAT, UNF_CHECKSUM,
 * UNF_UNSUPPORTED, UNF_READ, UNF_STATE (a name means something else here), UNF_MEMORY, UNF_LIMIT,
 * UNF_INTERRUPTED. O(bytes), and O(children of a node · length) for each sequence.
 */
UNF_API unf_status unf_ledger_report(unf_ledger *ledger, uint64_t item, unf_read read, void *user);

/**
 * A worker is lost: what was left of its item by the last report with a split is open again, and
 * reports with the old number are refused from now on. The worker, should it be alive, must not go
 * on: what it believes to have reported may not be known. Errors: UNF_UNKNOWN, UNF_MEMORY,
 * UNF_LIMIT. O(nodes of what is left, and of what waited for its end).
 */
UNF_API unf_status unf_ledger_take_back(unf_ledger *ledger, uint64_t item);

/** How far an exploration is. Initialise with UNF_LEDGER_STATE_INIT. */
typedef struct unf_ledger_state {
  uint32_t size;      /**< sizeof(unf_ledger_state) */
  uint64_t open;      /**< items that nobody has; with `given` 0: everything is explored */
  uint64_t given;     /**< items that workers have */
  uint64_t finished;  /**< items that are finished */
  uint64_t lost;      /**< items that were taken back */
  uint64_t nodes;     /**< held: nodes of the tree, and branches that were only reported */
  uint64_t most;      /**< the most that were */
  uint64_t bytes;     /**< held for them */
  uint64_t sequences; /**< that came with reports */
  uint64_t inserted;  /**< those of them that were new, and do not wait at an item */
  uint64_t splits;    /**< reports that gave something away */
} unf_ledger_state;

/** As unf_ledger_state should be before a call. */
#define UNF_LEDGER_STATE_INIT                                                                      \
  { .size = sizeof(unf_ledger_state) }

/** Errors: UNF_INVALID (the size of *out). O(1). */
UNF_API unf_status unf_ledger_look(const unf_ledger *ledger, unf_ledger_state *out);

/** Writes the ledger down, and leaves it as it is. Errors: UNF_WRITE, UNF_MEMORY, UNF_LIMIT.
 * O(nodes). */
UNF_API unf_status unf_ledger_write(unf_ledger *ledger, unf_write write, void *user);

/**
 * Makes a ledger of what was written; the unfolding is as for unf_ledger_new(), and *out is owned
 * by the caller. What was left of items of workers, by their last split, is open. Any bytes are
 * refused or make a ledger. Errors: those of unf_ledger_new(), unf_ledger_report(). O(bytes).
 */
UNF_API unf_status unf_ledger_read(unf_unfolding *unfolding, unf_read read, void *user,
                                   unf_ledger **out);

/**
 * As unf_ledger_read(), for workers that are still there: they have their items, with the numbers
 * from before. A journal is made of what unf_ledger_write() wrote and the calls after that; when
 * these are made again, the ledger is as it was. Errors: those of unf_ledger_read(). O(bytes).
 */
UNF_API unf_status unf_ledger_resume(unf_unfolding *unfolding, unf_read read, void *user,
                                     unf_ledger **out);

UNF_END_DECLS

#endif

/**
 * @file
 * libunfold: unfolding and event-structure algorithms for exploring the executions of concurrent
 * programs. One header per concept; this one includes them all.
 *
 * A pointer given to a function must not be NULL, unless the comment of the function says what NULL
 * means there. If it is, a function that returns a status returns UNF_INVALID, and the detail of
 * the context names the parameter (unless that is the handle by which the context is reached). A
 * function without a status does nothing then, and returns 0, NULL or the handle that means none.
 * Freeing NULL does nothing. An array of no elements may be NULL, and so may the buffer of a text
 * that is only measured; `user` is handed through to callbacks and never looked at.
 */
#ifndef UNFOLD_UNFOLD_H
#define UNFOLD_UNFOLD_H

#include <unfold/action.h>
#include <unfold/alternative.h>
#include <unfold/check.h>
#include <unfold/configuration.h>
#include <unfold/consistency.h>
#include <unfold/context.h>
#include <unfold/continue.h>
#include <unfold/cutoff.h>
#include <unfold/distribute.h>
#include <unfold/drive.h>
#include <unfold/effect.h>
#include <unfold/event.h>
#include <unfold/explore.h>
#include <unfold/export.h>
#include <unfold/extension.h>
#include <unfold/families.h>
#include <unfold/fingerprint.h>
#include <unfold/foreign.h>
#include <unfold/output.h>
#include <unfold/purity.h>
#include <unfold/race.h>
#include <unfold/schedule.h>
#include <unfold/status.h>
#include <unfold/std.h>
#include <unfold/thread.h>
#include <unfold/version.h>
#include <unfold/wakeup.h>

#endif

/**
 * @file
 * libunfold: unfolding and event-structure algorithms for exploring the executions of concurrent
 * programs. One header per concept; this one includes them all.
 */
#ifndef UNFOLD_UNFOLD_H
#define UNFOLD_UNFOLD_H

#include <unfold/action.h>
#include <unfold/alternative.h>
#include <unfold/check.h>
#include <unfold/configuration.h>
#include <unfold/context.h>
#include <unfold/cutoff.h>
#include <unfold/effect.h>
#include <unfold/event.h>
#include <unfold/explore.h>
#include <unfold/export.h>
#include <unfold/extension.h>
#include <unfold/fingerprint.h>
#include <unfold/output.h>
#include <unfold/purity.h>
#include <unfold/race.h>
#include <unfold/schedule.h>
#include <unfold/status.h>
#include <unfold/thread.h>
#include <unfold/version.h>
#include <unfold/wakeup.h>

#endif

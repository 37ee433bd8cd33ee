/*
 * An order by distance: the leaf comes next from which the way to code that no execution performed
 * is shortest, in instructions over the control flow of functions, into calls and out of them. What
 * a leaf decides says where its threads stand. Distances grow as code is covered, and are computed
 * again then.
 */
#ifndef LLVM_DISTANCE_H
#define LLVM_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/unfold.h>

#include "builtin.h"
#include "coverage.h"

struct knowledge;
struct distance;
struct thread;

/* NULL: no memory. Functions that are built in are not entered. */
struct distance *distance_new(const struct code *code, const builtin *builtins,
                              struct coverage *coverage);
void distance_free(struct distance *distance);
/* An exploration begins; nothing is known of its events. */
void distance_begin(struct distance *distance, const unf_explorer *explorer,
                    unf_unfolding *unfolding, const struct knowledge *knowledge);
/* Where a thread stands after an event of it; UNF_EVENT_BOTTOM: before its first one. False: no
 * memory. */
bool distance_stands(struct distance *distance, const struct thread *t, unf_event event);
/* A unf_leaf_chooser. Of leaves that are as near, and where no way is known, that comes first which
 * branches off an execution that was the first to take much. */
uint64_t distance_choose(void *distance, const unf_leaf *leaves, uint64_t count);

#endif

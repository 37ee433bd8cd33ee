/* Actions as calls. */
#ifndef REPORT_ACTION_H
#define REPORT_ACTION_H

#include "story.h"

/* A step as a call: an object with `thread`, `operation`, `event`, perhaps `several`, `result` and
 * `notified`. The names have a function for objects. NULL: no memory. */
json_t *story_action(const unf_unfolding *unfolding, const unf_names *names,
                     const unf_action *action);
/* Of a step or an event that is a branch: what it decided, in words of the program ("3 < x"; around
 * it may stand parentheses). */
void story_branch(json_t *entry, const char *fact);
/* The text of that, of an event or a step. */
void story_branch_text(bool event, const char *fact, char *text, size_t size);
/* Whether the target of such actions is an object. */
bool story_has_object(unf_action_kind kind);

#endif

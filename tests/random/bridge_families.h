/*
 * Channels, mailboxes and futures as the library's ready families: their operations and actions.
 */
#ifndef RANDOM_BRIDGE_FAMILIES_H
#define RANDOM_BRIDGE_FAMILIES_H

#include "bridge.h"

/* Registers the families; before anything is named. */
unf_status bridge_families_open(bridge *b);
bool bridge_families_has(operation_kind kind);
unf_operation bridge_families_operation(const bridge *b, const operation *o);
bool bridge_families_did(action_kind kind);
unf_action bridge_families_action(const bridge *b, const action *a);
/* Reads an action of one of the families; the thread is known. */
bool bridge_families_read(const bridge *b, const unf_action *a, action *out);

#endif

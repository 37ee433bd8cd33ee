/* What explorations before this one saw, which is reported with it. */
#ifndef NATIVE_CONTROL_CARRIED_H
#define NATIVE_CONTROL_CARRIED_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/explore.h>

#include "findings.h"
#include "modules.h"
#include "races.h"
#include "texts.h"

/* Fields of struct control of the process under test that go on from processes before: what was
 * counted, and all that the report says was not seen. */
#define CARRIED(X)                                                                                 \
  X(bool, operations_seen)                                                                         \
  X(bool, bound_met)                                                                               \
  X(bool, weaker_orders)                                                                           \
  X(bool, timeouts_bounded)                                                                        \
  X(bool, code_later)                                                                              \
  X(bool, modules_later)                                                                           \
  X(bool, no_room)                                                                                 \
  X(uint32_t, modules_unlisted)                                                                    \
  X(uint32_t, wide_accesses)                                                                       \
  X(uint32_t, threads_most)                                                                        \
  X(uint32_t, sites_met)                                                                           \
  X(uint32_t, sites_in_callbacks)                                                                  \
  X(uint32_t, findings_dropped)                                                                    \
  X(uint64_t, timeouts_most)                                                                       \
  X(uint64_t, waits)                                                                               \
  X(uint64_t, waits_bounded)                                                                       \
  X(uint64_t, wait_place)                                                                          \
  X(uint64_t, bounded_place)                                                                       \
  X(uint64_t, wide_place)                                                                          \
  X(uint64_t, callback_place)                                                                      \
  X(uint64_t, reordered)                                                                           \
  X(uint64_t, reorder_number)                                                                      \
  X(uint64_t, differences)                                                                         \
  X(uint64_t, unlearned)                                                                           \
  X(uint64_t, difference_place)                                                                    \
  X(uint64_t, left_behind)                                                                         \
  X(uint64_t, given_up)                                                                            \
  X(uint64_t, livelocks)                                                                           \
  X(uint64_t, findings_total)                                                                      \
  X(uint64_t, races_seen)                                                                          \
  X(uint64_t, apart)                                                                               \
  X(uint64_t, apart_place)                                                                         \
  X(unf_event, last_event)

/* What was seen by the processes that an exploration is continued from. */
struct carried {
  bool any;         /* there were such processes, */
  uint64_t modules; /* in which modules were at addresses that have this sum */
  double seconds;   /* that they had */
  uint64_t executions;
#define CARRY(type, field) type field;
  CARRIED(CARRY)
#undef CARRY
  char apart_call[NAME_SIZE];
  bool sites_seen[SITES_SEEN_MAX];
  struct busy_place busiest[BUSIEST_SLOTS];
  uint32_t import_count;
  struct import imports[IMPORTS_MAX];
  uint32_t finding_count;
  struct finding findings[FINDINGS_MAX];
  uint64_t races_found;
  struct reported_race races[RACES_MAX];
};

#endif

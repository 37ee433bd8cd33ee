/* Steps of a replay, as they are sent, and events as text. */
#ifndef NATIVE_CONTROL_STEPS_H
#define NATIVE_CONTROL_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "object_kinds.h"
#include "texts.h"

enum { CAUSES_MAX = 64 };

/* One step of a replay, sent over the socket and answered with one byte; or an action that is
 * possible before the step of that number, or a step in another order, which are not answered. */
struct reported_step {
  bool choice, ordered;
  uint64_t number, place, address;
  uint64_t start;    /* of the creation of a thread: the function that it begins with, or 0 */
  uint64_t event[2]; /* the fingerprint of its event */
  uint32_t cause_count;
  bool causes_left;            /* it follows more */
  uint64_t causes[CAUSES_MAX]; /* first halves of those of what it directly follows */
  enum object_kind kind;
  char action[8 * NAME_SIZE];
};

/* The last answer to a replay whose steps could not be printed. */
enum { REPLAY_UNWRITTEN = 3 };

enum { EVENTS_LISTED = 1000, EVENTS_ROOM = 4 << 20 };
/* The first events of the unfolding, as lines of text (preload/pictures.c). */
struct events {
  bool listed;
  uint32_t total, count; /* how many there are; how many lines */
  char text[EVENTS_ROOM];
};

#endif

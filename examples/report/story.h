/* One execution, told step by step: the description that every front-end makes and the page shows.
 * Steps are JSON from the start, as the threads of a defect are. */
#ifndef REPORT_STORY_H
#define REPORT_STORY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <unfold/unfold.h>

struct story {
  json_t *steps;
  uint64_t *keys; /* of the events of the steps */
  size_t count, room;
  bool failed; /* there was no memory for all of it */
};

void story_begin(struct story *story);
void story_free(struct story *story);
/* Appends a step, an object (see doc/report.md), whose reference is taken; NULL: no memory. Its
 * event has a key, as have those of the steps that it directly follows. */
void story_add(struct story *story, uint64_t key, const uint64_t *causes, size_t count,
               json_t *step);
/* Appends an event of an unfolding as a step. */
void story_step(struct story *story, const unf_unfolding *unfolding, unf_event event, json_t *step);
/* Appends an access of a data race to a list (whose elements stand between the steps, see
 * doc/report.md), an object whose reference is taken: it was made behind the event with this key,
 * before the next one of its thread; 0: before all steps. False: no memory. */
bool story_access(const struct story *story, json_t *list, uint64_t key, json_t *access);
/* Appends to a list a thread that is blocked at the end, and the steps behind which it is, which
 * have these keys. False: no memory. */
bool story_blocked(const struct story *story, json_t *list, const char *thread,
                   const uint64_t *keys, size_t count);
/* Appends a thread of a configuration, if it is blocked there, with what it is behind. */
bool story_blocked_in(const struct story *story, json_t *list, unf_configuration *configuration,
                      unf_thread thread, const char *name);
/* The steps, a new reference; NULL: there was no memory for all of them. */
json_t *story_steps(const struct story *story);

/* Adds to an event (an object, whose reference is taken) the numbers from 0 of the events that it
 * directly follows, and of those before it that it is in immediate conflict with. NULL: no memory.
 * O(events · cost of conflict). */
json_t *story_event(const unf_unfolding *unfolding, unf_event event, json_t *entry);

/* Says where a step or an event is in the sources of a report. */
void story_place(json_t *step, size_t source, uint32_t line);

#endif

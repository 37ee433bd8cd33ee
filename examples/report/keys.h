/* The events that an event directly follows, or behind which a thread is blocked: any number. */
#ifndef REPORT_KEYS_H
#define REPORT_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <unfold/unfold.h>

struct keys {
  uint64_t *data;
  size_t count, room;
  bool failed; /* there was no memory for all of them */
};

/* An unf_event_visitor on them: appends an event, but not the bottom one. */
bool keys_add(void *keys, unf_event event);
void keys_free(struct keys *keys);

#endif

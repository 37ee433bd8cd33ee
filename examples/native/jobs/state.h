/* What a worker of --jobs found out, as bytes: parts of its block, in pieces that are not empty. */
#ifndef NATIVE_JOBS_STATE_H
#define NATIVE_JOBS_STATE_H

#include <jobs/wire.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../control/shared.h"

struct control;

/* The parts: what the next exploration has to know, and what the program wrote. */
enum { STATE_PARTS = 2 };
struct state_part {
  char *from, *to;
};
void state_parts(struct control *control, struct state_part parts[STATE_PARTS]);
/* Whether bytes of a block are behind the last entry of a long list, so that nobody has written, or
 * reads them. */
bool state_is_unused(struct control *control, const char *from, size_t size);

/* A block in private memory, empty; NULL: no memory. */
struct control *state_new(void);
void state_free(struct control *state);
/* False: no memory. */
bool state_put(struct wire *wire, struct control *control);
/* False: these are no such bytes. */
bool state_get(struct control *control, const char *bytes, size_t size);
/* All that a worker can find out. */
void state_copy(struct control *to, struct control *from);
/* What an exploration has to know before it begins. */
void state_know(struct control *to, const struct control *from);
/* An address of the program that one block is about as one of the program of another one. */
uint64_t state_address(const struct control *to, const struct control *from, uint64_t address);

/* In the frames of a report, as the launcher of a worker passes it on: what was counted; behind it
 * the finding or race, of that size, unless it was reported before; then the text of its schedule,
 * and that of the other order, of those sizes. */
struct told_found {
  struct shared_found found;
  uint32_t size, texts[2];
};

#endif

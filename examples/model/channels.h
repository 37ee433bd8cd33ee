/* Channels: what can be done with one in a state, what comes of it, and what it changes. */
#ifndef MODEL_CHANNELS_H
#define MODEL_CHANNELS_H

#include <unfold/families.h>

#include "machine.h"
#include "messages.h"

/* Words of a channel: how many messages were sent, how many of them were received, whether it is
 * closed, and the messages. */
enum { CHANNEL_SENT, CHANNEL_RECEIVED, CHANNEL_CLOSED, CHANNEL_NODE, CHANNEL_WORDS };

/* What a receive gives where there is no message; nobody can send these. */
#define MESSAGE_CLOSED INT64_MIN
#define MESSAGE_EMPTY  (INT64_MIN + 1)

struct channel_state {
  int64_t sent, received;
  int64_t places; /* 0: as many as wanted */
  bool closed;
};

void channels_see(const struct machine *machine, const int64_t *state, uint32_t channel,
                  struct channel_state *out);
/* What comes of an operation on a channel, with the number of its message; FULL and EMPTY also of
 * those that wait then. */
unf_channel_outcome channels_outcome(const struct machine *machine, const int64_t *state,
                                     const struct intent *intent, uint64_t *number);
bool channels_ready(const struct machine *machine, const int64_t *state,
                    const struct intent *intent);
/* Whether an operation that can happen is an error of the program. */
bool channels_fail(const struct machine *machine, const int64_t *state, const struct intent *intent,
                   struct problem *problem);
/* The result that its event gives. */
int64_t channels_result(const struct machine *machine, const int64_t *state,
                        const struct intent *intent);
/* Performs it; returns the result. There is room for a message (messages_reserve()). */
int64_t channels_perform(const struct machine *machine, int64_t *state, uint32_t thread);
/* The place of a message by its number: its number where there are as many as wanted. */
int64_t channels_turn(const struct machine *machine, uint32_t channel, int64_t number);
/* A message that was sent, by the words of its channel. */
int64_t channels_message(const struct machine *machine, const int64_t *words, uint64_t number);

#endif

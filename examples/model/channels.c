/* Channels, in the states of the machine. */
#include "channels.h"

#include <inttypes.h>
#include <stdio.h>

static const int64_t *seen(const struct machine *m, const int64_t *state, uint32_t channel) {
  return state + m->first[SYMBOL_CHANNEL] + (size_t)channel * CHANNEL_WORDS;
}

static int64_t places_of(const struct machine *m, uint32_t channel) {
  return program_symbol(m->program, SYMBOL_CHANNEL, channel)->initial;
}

void channels_see(const struct machine *m, const int64_t *state, uint32_t channel,
                  struct channel_state *out) {
  const int64_t *words = seen(m, state, channel);
  *out = (struct channel_state){words[CHANNEL_SENT], words[CHANNEL_RECEIVED], places_of(m, channel),
                                words[CHANNEL_CLOSED] != 0};
}

static bool sends(enum opcode opcode) {
  return opcode == DO_SEND || opcode == DO_TRYSEND;
}

unf_channel_outcome channels_outcome(const struct machine *m, const int64_t *state,
                                     const struct intent *in, uint64_t *number) {
  struct channel_state c;
  channels_see(m, state, in->element, &c);
  *number = 0;
  if (in->opcode == DO_CLOSE && !c.closed) *number = (uint64_t)c.sent;
  if (in->opcode == DO_CLOSE) return c.closed ? UNF_CHANNEL_CLOSE_CLOSED : UNF_CHANNEL_CLOSED;
  if (sends(in->opcode) && c.closed) return UNF_CHANNEL_SEND_CLOSED;
  if (!sends(in->opcode) && c.received == c.sent && c.closed) return UNF_CHANNEL_ENDED;
  *number = (uint64_t)(sends(in->opcode) ? c.sent : c.received);
  if (sends(in->opcode))
    return c.places > 0 && c.sent - c.received >= c.places ? UNF_CHANNEL_FULL : UNF_CHANNEL_SENT;
  return c.received == c.sent ? UNF_CHANNEL_EMPTY : UNF_CHANNEL_RECEIVED;
}

bool channels_ready(const struct machine *m, const int64_t *state, const struct intent *in) {
  uint64_t number;
  const unf_channel_outcome outcome = channels_outcome(m, state, in, &number);
  return !(in->opcode == DO_SEND && outcome == UNF_CHANNEL_FULL) &&
         !(in->opcode == DO_RECEIVE && outcome == UNF_CHANNEL_EMPTY);
}

bool channels_fail(const struct machine *m, const int64_t *state, const struct intent *in,
                   struct problem *problem) {
  uint64_t number;
  const unf_channel_outcome outcome = channels_outcome(m, state, in, &number);
  const bool send = outcome == UNF_CHANNEL_SEND_CLOSED;
  if (!send && outcome != UNF_CHANNEL_CLOSE_CLOSED) return false;
  char name[100];
  program_name(m->program, SYMBOL_CHANNEL, in->element, name, sizeof name);
  problem->place = in->place;
  snprintf(problem->text, sizeof problem->text, "a %s '%s', which is closed",
           send ? "send to" : "close of", name);
  return true;
}

int64_t channels_result(const struct machine *m, const int64_t *state, const struct intent *in) {
  uint64_t number;
  switch (channels_outcome(m, state, in, &number)) {
  case UNF_CHANNEL_RECEIVED:
    return messages_get(m->messages, (uint32_t)seen(m, state, in->element)[CHANNEL_NODE], number);
  case UNF_CHANNEL_EMPTY:
    return MESSAGE_EMPTY;
  case UNF_CHANNEL_ENDED:
    return MESSAGE_CLOSED;
  case UNF_CHANNEL_FULL:
    return 0;
  default:
    return 1;
  }
}

int64_t channels_perform(const struct machine *m, int64_t *state, uint32_t thread) {
  struct intent in;
  uint64_t number;
  machine_intent(m, state, thread, &in);
  const unf_channel_outcome outcome = channels_outcome(m, state, &in, &number);
  const int64_t result = channels_result(m, state, &in);
  const size_t first = m->first[SYMBOL_CHANNEL] + (size_t)in.element * CHANNEL_WORDS;
  int64_t *words = state + first;
  if (outcome > UNF_CHANNEL_CLOSED) return result; /* it only looked */
  machine_enter(m, state, first, CHANNEL_WORDS);
  if (outcome == UNF_CHANNEL_SENT) {
    words[CHANNEL_NODE] = messages_add(m->messages, (uint32_t)words[CHANNEL_NODE], in.value);
    words[CHANNEL_SENT]++;
  } else if (outcome == UNF_CHANNEL_RECEIVED) {
    words[CHANNEL_RECEIVED]++;
  } else {
    words[CHANNEL_CLOSED] = 1;
  }
  return result;
}

int64_t channels_turn(const struct machine *m, uint32_t channel, int64_t number) {
  const int64_t places = places_of(m, channel);
  return places > 0 ? number % places : number;
}

int64_t channels_message(const struct machine *m, const int64_t *words, uint64_t number) {
  return messages_get(m->messages, (uint32_t)words[CHANNEL_NODE], number);
}

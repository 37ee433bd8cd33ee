/*
 * FIFO channels, as a family of effects: written with the public interface alone.
 *
 * A channel is an object with parts. The object itself stands for the end at which messages are
 * sent, part HEAD for the one at which they are received. Message i has a part of its own, which
 * its send and its receive use; and in a channel with a capacity of n so has the room that its
 * receive makes, for message i + n:
 *
 *                       | object | head  | message | room
 *     sent i            | WRITE  |       | WRITE i | WRITE i - n
 *     received i        |        | WRITE | WRITE i | WRITE i
 *     closed            | WRITE  | WRITE |         |
 *     full, i is next   | READ   |       |         | READ i - n
 *     empty, i is next  |        | READ  | READ i  |
 *     ended             |        | READ  |         |
 *     found closed      | READ   |       |         |
 *
 * So a receive follows the send of its message, and a send to a channel of n the receive of the
 * message n before, and otherwise the two ends are independent. The value of an action says which
 * message it is about, and of a closing also how many were received; so the last writes at the two
 * ends are the state of the channel, whatever came before.
 */
#include <unfold/families.h>
#include <unfold/unfold.h>

#include "family/label.h"

enum { SEND, TRY_SEND, RECEIVE, TRY_RECEIVE, CLOSE, OPERATIONS };
enum { HEAD, MESSAGE, ROOM };
#define NOT UNF_MODE_COUNT

/* A value is an outcome and two numbers. The second one of a closing is how many messages were
 * received, and else the capacity, 0 if there is none. */
enum { OUTCOMES = 8 };
#define NUMBERS ((int64_t)UNF_CHANNEL_MOST + 1)

static int64_t make_value(unf_channel_outcome outcome, int64_t number, int64_t other) {
  return outcome + OUTCOMES * (number + NUMBERS * other);
}

static unf_channel_outcome outcome_of(const unf_action *action) {
  return (unf_channel_outcome)(action->value % OUTCOMES);
}

static int64_t number_of(const unf_action *action) {
  return action->value / OUTCOMES % NUMBERS;
}

static int64_t other_of(const unf_action *action) {
  return action->value / OUTCOMES / NUMBERS;
}

/* ---- uses ---- */

/* What an outcome does to the two ends, the message, and the room of the message that is so many
 * before it: 0, or the capacity. */
struct channel_uses {
  unf_mode object, head, message, room; /* NOT: nothing */
  bool before;
};

static unf_status use_message(const unf_action *action, const struct channel_uses *row,
                              void *visitor) {
  const uint64_t number = (uint64_t)number_of(action), capacity = (uint64_t)other_of(action);
  const uint64_t before = row->before ? capacity : 0;
  unf_status status = UNF_OK;
  if (row->message != NOT)
    status = unf_use_part(visitor, action->target, MESSAGE + 2 * number, row->message);
  if (status == UNF_OK && row->room != NOT && capacity > 0 && number >= before)
    status = unf_use_part(visitor, action->target, ROOM + 2 * (number - before), row->room);
  return status;
}

static unf_status uses(void *user, const unf_action *action, unf_use_visitor visit, void *visitor) {
  static const struct channel_uses rows[OUTCOMES] = {
      [UNF_CHANNEL_SENT] = {UNF_MODE_WRITE, NOT, UNF_MODE_WRITE, UNF_MODE_WRITE, true},
      [UNF_CHANNEL_RECEIVED] = {NOT, UNF_MODE_WRITE, UNF_MODE_WRITE, UNF_MODE_WRITE, false},
      [UNF_CHANNEL_CLOSED] = {UNF_MODE_WRITE, UNF_MODE_WRITE, NOT, NOT, false},
      [UNF_CHANNEL_FULL] = {UNF_MODE_READ, NOT, NOT, UNF_MODE_READ, true},
      [UNF_CHANNEL_EMPTY] = {NOT, UNF_MODE_READ, UNF_MODE_READ, NOT, false},
      [UNF_CHANNEL_ENDED] = {NOT, UNF_MODE_READ, NOT, NOT, false},
      [UNF_CHANNEL_SEND_CLOSED] = {UNF_MODE_READ, NOT, NOT, NOT, false},
      [UNF_CHANNEL_CLOSE_CLOSED] = {UNF_MODE_READ, NOT, NOT, NOT, false},
  };
  unf_status status = UNF_OK;
  (void)user;
  if (action->value < 0) return UNF_INVALID;
  const struct channel_uses *row = &rows[outcome_of(action)];
  if (row->object != NOT) status = visit(visitor, action->target, row->object);
  if (status == UNF_OK && row->head != NOT)
    status = unf_use_part(visitor, action->target, HEAD, row->head);
  return status == UNF_OK ? use_message(action, row, visitor) : status;
}

/* The other parts are used together with one of the ends. */
static unf_status concerns(void *user, const unf_operation *operation, unf_use_visitor visit,
                           void *visitor) {
  unf_status status = visit(visitor, operation->target, UNF_MODE_WRITE);
  (void)user;
  return status == UNF_OK ? unf_use_part(visitor, operation->target, HEAD, UNF_MODE_WRITE) : status;
}

/* ---- outcomes ---- */

struct channel {
  int64_t sent, received;
  bool closed;
};

/* What a channel is like after a history. */
static unf_status look(const unf_view *view, unf_object object, struct channel *channel) {
  const unf_unfolding *unfolding = unf_view_unfolding(view);
  unf_event sending = UNF_EVENT_BOTTOM, receiving = UNF_EVENT_BOTTOM;
  unf_action action;
  *channel = (struct channel){0};
  unf_status status = unf_view_last_write(view, object, &sending);
  if (status == UNF_OK) status = unf_view_part_last_write(view, object, HEAD, &receiving);
  if (status == UNF_OK && sending != UNF_EVENT_BOTTOM) {
    status = unf_event_action(unfolding, sending, &action);
    if (status != UNF_OK) return status;
    channel->closed = outcome_of(&action) == UNF_CHANNEL_CLOSED;
    channel->sent = number_of(&action) + !channel->closed;
  }
  if (status == UNF_OK && receiving != UNF_EVENT_BOTTOM) {
    status = unf_event_action(unfolding, receiving, &action);
    if (status != UNF_OK) return status;
    const bool closing = outcome_of(&action) == UNF_CHANNEL_CLOSED;
    channel->received = closing ? other_of(&action) : number_of(&action) + 1;
  }
  return status;
}

static bool is_full(const struct channel *channel, int64_t capacity) {
  return capacity > 0 && channel->sent - channel->received >= capacity;
}

/* What comes of an operation; false: it is blocked. */
static bool find_outcome(const struct channel *channel, int64_t what, int64_t capacity,
                         int64_t *value) {
  const int64_t sent = channel->sent, received = channel->received;
  switch (what) {
  case SEND:
  case TRY_SEND:
    if (channel->closed)
      *value = make_value(UNF_CHANNEL_SEND_CLOSED, 0, 0);
    else if (!is_full(channel, capacity))
      *value = make_value(UNF_CHANNEL_SENT, sent, capacity);
    else if (what == TRY_SEND)
      *value = make_value(UNF_CHANNEL_FULL, sent, capacity);
    else
      return false;
    return true;
  case RECEIVE:
  case TRY_RECEIVE:
    if (received < sent)
      *value = make_value(UNF_CHANNEL_RECEIVED, received, capacity);
    else if (channel->closed)
      *value = make_value(UNF_CHANNEL_ENDED, 0, 0);
    else if (what == TRY_RECEIVE)
      *value = make_value(UNF_CHANNEL_EMPTY, received, capacity);
    else
      return false;
    return true;
  default:
    *value = channel->closed ? make_value(UNF_CHANNEL_CLOSE_CLOSED, 0, 0)
                             : make_value(UNF_CHANNEL_CLOSED, sent, received);
    return true;
  }
}

/* The lower argument of an operation is what it does, and the capacity, 0 if there is none. */
static unf_status outcomes(void *user, const unf_view *view, unf_thread thread,
                           const unf_operation *operation, unf_action_visitor visit,
                           void *visitor) {
  const int64_t what = operation->low % OPERATIONS, capacity = operation->low / OPERATIONS;
  unf_action action = {UNF_DID_CUSTOM, thread, operation->target, operation->second, 0};
  struct channel channel;
  (void)user;
  if (operation->low < 0 || capacity > (int64_t)UNF_CHANNEL_MOST)
    return unf_effect_refuse(unf_view_unfolding(view), operation->second,
                             "an operation with a capacity that a channel cannot have");
  unf_status status = look(view, operation->target, &channel);
  if (status != UNF_OK) return status;
  if (channel.sent >= (int64_t)UNF_CHANNEL_MOST)
    return unf_effect_refuse(unf_view_unfolding(view), operation->second,
                             "more than UNF_CHANNEL_MOST messages");
  if (find_outcome(&channel, what, capacity, &action.value)) visit(visitor, &action);
  return UNF_OK;
}

/* ---- for people ---- */

/* The outcome, and the number of its message where it has one. */
static void label(void *user, const unf_action *action, char *buffer, size_t size) {
  static const char *const words[OUTCOMES] = {[UNF_CHANNEL_SENT] = "sent",
                                              [UNF_CHANNEL_RECEIVED] = "received",
                                              [UNF_CHANNEL_CLOSED] = "closed",
                                              [UNF_CHANNEL_FULL] = "full",
                                              [UNF_CHANNEL_EMPTY] = "empty",
                                              [UNF_CHANNEL_ENDED] = "ended",
                                              [UNF_CHANNEL_SEND_CLOSED] = "send closed",
                                              [UNF_CHANNEL_CLOSE_CLOSED] = "close closed"};
  const unf_channel_outcome outcome = outcome_of(action);
  const bool numbered = outcome == UNF_CHANNEL_SENT || outcome == UNF_CHANNEL_RECEIVED;
  (void)user;
  family_label(words[outcome], numbered, (uint64_t)number_of(action), buffer, size);
}

/* ---- the interface ---- */

unf_status unf_channel_register(unf_unfolding *unfolding, uint32_t *out) {
  const unf_effect effect = {sizeof effect, "channel", NULL, uses, outcomes, concerns, NULL, label};
  return unf_effect_register(unfolding, &effect, out);
}

unf_status unf_channel_name(unf_unfolding *unfolding, uint32_t family, uint64_t key,
                            uint32_t capacity, unf_channel *out) {
  const bool bounded = capacity != UNF_CHANNEL_UNBOUNDED;
  if (capacity == 0)
    return unf_effect_refuse(unfolding, family, "a rendezvous channel, of capacity 0");
  if (bounded && capacity > UNF_CHANNEL_MOST)
    return unf_effect_refuse(unfolding, family, "a capacity above UNF_CHANNEL_MOST");
  if (out != NULL) {
    out->family = family;
    out->capacity = capacity;
  }
  return unf_object_name(unfolding, UNF_CUSTOM, UNF_THREAD_NONE, key,
                         out == NULL ? NULL : &out->object);
}

/* A capacity that cannot be makes an operation that is refused when its outcomes are asked for. */
static unf_operation make(unf_channel channel, int64_t what, int64_t message) {
  const bool bounded = channel.capacity != UNF_CHANNEL_UNBOUNDED;
  const int64_t low = bounded && channel.capacity == 0
                          ? -1
                          : what + OPERATIONS * (int64_t)(bounded ? channel.capacity : 0);
  return unf_operation_custom(channel.family, channel.object, low, message);
}

unf_operation unf_channel_send(unf_channel channel, int64_t message) {
  return make(channel, SEND, message);
}

unf_operation unf_channel_try_send(unf_channel channel, int64_t message) {
  return make(channel, TRY_SEND, message);
}

unf_operation unf_channel_receive(unf_channel channel) {
  return make(channel, RECEIVE, 0);
}

unf_operation unf_channel_try_receive(unf_channel channel) {
  return make(channel, TRY_RECEIVE, 0);
}

unf_operation unf_channel_close(unf_channel channel) {
  return make(channel, CLOSE, 0);
}

unf_channel_outcome unf_channel_did(const unf_action *action, uint64_t *number) {
  if (action == NULL) return UNF_CHANNEL_OUTCOMES;
  if (number != NULL) *number = (uint64_t)number_of(action);
  return outcome_of(action);
}

/*
 * The oracle's channels, mailboxes and futures in the library. The value of an action is the
 * families' own affair: actions that are wanted are found by asking what an action is, and made by
 * writing down the numbers that doc/families.md gives for them.
 */
#include "bridge_families.h"

#include <string.h>

#include "effects.h"

/* Of a family: the kind of its objects. The lower half of a key says which, since all of them are
 * of one class. */
static const symbol_kind kinds[BRIDGE_FAMILIES] = {SYMBOL_CHANNEL, SYMBOL_MAILBOX, SYMBOL_FUTURE};

unf_status bridge_families_open(bridge *b) {
  unf_status status = unf_channel_register(b->unfolding, &b->families[0]);
  if (status == UNF_OK) status = unf_mailbox_register(b->unfolding, &b->families[1]);
  return status == UNF_OK ? unf_future_register(b->unfolding, &b->families[2]) : status;
}

static uint64_t key_of(uint32_t number, symbol_kind kind) {
  return (uint64_t)number << 32 | (uint64_t)kind;
}

static unf_channel channel_of(const bridge *b, uint32_t number) {
  unf_channel channel = {0, UNF_OBJECT_NONE, 0};
  uint32_t capacity = channel_capacity(b->program, number);
  if (capacity == 0) capacity = UNF_CHANNEL_UNBOUNDED;
  unf_channel_name(b->unfolding, b->families[0], key_of(number, SYMBOL_CHANNEL), capacity,
                   &channel);
  return channel;
}

static unf_mailbox mailbox_of(const bridge *b, uint32_t number) {
  unf_mailbox mailbox = {0, UNF_OBJECT_NONE};
  unf_thread owner = b->threads[mailbox_owner(b->program, number)];
  unf_mailbox_name(b->unfolding, b->families[1], owner, key_of(number, SYMBOL_MAILBOX), &mailbox);
  return mailbox;
}

static unf_future future_of(const bridge *b, uint32_t number) {
  unf_future future = {0, UNF_OBJECT_NONE};
  unf_future_name(b->unfolding, b->families[2], key_of(number, SYMBOL_FUTURE), &future);
  return future;
}

bool bridge_families_has(operation_kind kind) {
  return kind >= OPERATION_SEND && kind <= OPERATION_POLL;
}

/* A sender's number is that of its thread in the program. */
unf_operation bridge_families_operation(const bridge *b, const operation *o) {
  switch (o->kind) {
  case OPERATION_SEND:
    return unf_channel_send(channel_of(b, o->target), o->low);
  case OPERATION_TRY_SEND:
    return unf_channel_try_send(channel_of(b, o->target), o->low);
  case OPERATION_RECEIVE:
    return unf_channel_receive(channel_of(b, o->target));
  case OPERATION_TRY_RECEIVE:
    return unf_channel_try_receive(channel_of(b, o->target));
  case OPERATION_CLOSE:
    return unf_channel_close(channel_of(b, o->target));
  case OPERATION_MAIL:
    return unf_mailbox_send(mailbox_of(b, o->target), o->second, (uint32_t)o->low);
  case OPERATION_ACCEPT:
    return unf_mailbox_receive(mailbox_of(b, o->target), (uint32_t)o->low);
  case OPERATION_TRY_ACCEPT:
    return unf_mailbox_try_receive(mailbox_of(b, o->target), (uint32_t)o->low);
  case OPERATION_SET:
    return unf_future_set(future_of(b, o->target), o->low);
  case OPERATION_GET:
    return unf_future_get(future_of(b, o->target));
  default:
    return unf_future_poll(future_of(b, o->target));
  }
}

/* What an action is called in the family. */
static const struct {
  uint32_t family;
  int outcome;
} outcomes[ACTION_COUNT] = {
    [ACTION_SEND] = {0, UNF_CHANNEL_SENT},
    [ACTION_RECEIVE] = {0, UNF_CHANNEL_RECEIVED},
    [ACTION_CLOSE] = {0, UNF_CHANNEL_CLOSED},
    [ACTION_FULL] = {0, UNF_CHANNEL_FULL},
    [ACTION_EMPTY] = {0, UNF_CHANNEL_EMPTY},
    [ACTION_ENDED] = {0, UNF_CHANNEL_ENDED},
    [ACTION_SEND_CLOSED] = {0, UNF_CHANNEL_SEND_CLOSED},
    [ACTION_CLOSE_CLOSED] = {0, UNF_CHANNEL_CLOSE_CLOSED},
    [ACTION_MAIL] = {1, UNF_MAILBOX_SENT},
    [ACTION_ACCEPT] = {1, UNF_MAILBOX_RECEIVED},
    [ACTION_NO_MAIL] = {1, UNF_MAILBOX_EMPTY},
    [ACTION_SET] = {2, UNF_FUTURE_SET},
    [ACTION_GET] = {2, UNF_FUTURE_GOT},
    [ACTION_UNSET] = {2, UNF_FUTURE_UNSET},
    [ACTION_SET_AGAIN] = {2, UNF_FUTURE_AGAIN},
};

bool bridge_families_did(action_kind kind) {
  return kind >= ACTION_SEND && kind <= ACTION_SET_AGAIN;
}

/* The numbers of doc/families.md. */
static int64_t value_of(const action *a) {
  const int64_t which = outcomes[a->kind].outcome, channels = INT64_C(1) << 28;
  const int64_t low = (int64_t)(uint32_t)a->value, high = a->value >> 32;
  switch (a->kind) {
  case ACTION_SEND:
  case ACTION_RECEIVE:
  case ACTION_FULL:
  case ACTION_EMPTY:
    return which + 8 * (a->value + channels * a->second);
  case ACTION_CLOSE:
    return which + 8 * (low + channels * high);
  case ACTION_MAIL:
    return which + 4 * (a->second + 32 * (a->value + (INT64_C(1) << 24) * a->thread));
  case ACTION_ACCEPT:
    return which + 4 * (a->second + 32 * (low + (INT64_C(1) << 24) * high));
  case ACTION_NO_MAIL:
    return which + 4 * a->value;
  default:
    return which;
  }
}

unf_action bridge_families_action(const bridge *b, const action *a) {
  const uint32_t family = outcomes[a->kind].family;
  unf_action out = {UNF_DID_CUSTOM, b->threads[a->thread], 0, b->families[family], value_of(a)};
  out.target = family == 0   ? channel_of(b, a->target).object
               : family == 1 ? mailbox_of(b, a->target).object
                             : future_of(b, a->target).object;
  return out;
}

static bool read_channel(const bridge *b, const unf_action *a, action *out) {
  uint64_t number;
  int which = (int)unf_channel_did(a, &number);
  while (bridge_families_did(out->kind) && outcomes[out->kind].outcome != which)
    out->kind = (action_kind)(out->kind + 1);
  out->second = channel_capacity(b->program, out->target);
  if (out->kind <= ACTION_RECEIVE || out->kind == ACTION_FULL || out->kind == ACTION_EMPTY)
    out->value = (int64_t)number;
  if (out->kind == ACTION_CLOSE)
    out->value = (int64_t)number | (a->value / 8 / (INT64_C(1) << 28)) << 32;
  return true;
}

static bool read_mailbox(const unf_action *a, action *out) {
  unf_mailbox_message message;
  unf_mailbox_outcome which = unf_mailbox_did(a, &message);
  out->kind = which == UNF_MAILBOX_SENT       ? ACTION_MAIL
              : which == UNF_MAILBOX_RECEIVED ? ACTION_ACCEPT
                                              : ACTION_NO_MAIL;
  if (which == UNF_MAILBOX_EMPTY) {
    out->value = a->value / 4;
    return true;
  }
  out->second = message.tag;
  out->value = message.number;
  if (which == UNF_MAILBOX_RECEIVED) out->value |= (int64_t)message.sender << 32;
  return which == UNF_MAILBOX_RECEIVED || message.sender == out->thread;
}

/* What is read must be what would be written: nothing of the value is left over. */
bool bridge_families_read(const bridge *b, const unf_action *a, action *out) {
  unf_object_class object_class;
  uint64_t key;
  uint32_t family = 0;
  while (family < BRIDGE_FAMILIES && b->families[family] != a->second)
    family++;
  if (family == BRIDGE_FAMILIES ||
      unf_object_describe(b->unfolding, a->target, &object_class, NULL, &key) != UNF_OK ||
      object_class != UNF_CUSTOM || (uint32_t)key != (uint32_t)kinds[family])
    return false;
  out->target = (uint32_t)(key >> 32);
  if (out->target >= b->program->counts[kinds[family]]) return false;
  out->kind = ACTION_SEND;
  bool good = true;
  if (family == 0)
    good = read_channel(b, a, out);
  else if (family == 1)
    good = read_mailbox(a, out);
  else
    out->kind = (action_kind)(ACTION_SET + (int)unf_future_did(a));
  return good && bridge_families_did(out->kind) && value_of(out) == a->value;
}

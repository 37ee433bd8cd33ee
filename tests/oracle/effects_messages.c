/*
 * Channels, mailboxes and futures: what they mean, from doc/families.md alone.
 *
 * Of a channel the state is the row of all messages that were ever sent, how many of them were
 * received, and whether it is closed. A message is known by its number in that row. Of a mailbox
 * it is, for each sending thread, the row of its messages with their tags, and which of them were
 * received. Of a future, whether it is set, and to what.
 *
 * Dependence on one channel, of different threads:
 *
 *   SEND i          every SEND, FULL and SEND_CLOSED; CLOSE; RECEIVE i, which gets its message;
 *                   RECEIVE i - n, n being the capacity, which makes its room; EMPTY at i
 *   RECEIVE i       every RECEIVE, EMPTY and ENDED; CLOSE; FULL at i + n
 *   CLOSE           everything
 *   the others      change nothing, and so are independent of each other
 *
 * FULL at s found that s messages were sent and s - n received; EMPTY at r that r were sent and r
 * received. On one mailbox a receive depends on the send of its message, which is known by its sender,
 * its number among the sender's, and its tag; and a try that fails on every send with a tag that it
 * asked for. On a future, whatever reads depends on setting.
 */
#include "effects.h"

/* ---- channels ---- */

enum { SENT, RECEIVED, CLOSED, MESSAGES };

static const symbol *symbol_of(const program *p, symbol_kind kind, uint32_t number) {
  const symbol *s = p->symbols;
  while (s->kind != kind || number - s->base >= s->count) {
    s++;
  }
  return s;
}

uint32_t channel_capacity(const program *p, uint32_t channel) {
  return (uint32_t)symbol_of(p, SYMBOL_CHANNEL, channel)->initial;
}

uint32_t mailbox_owner(const program *p, uint32_t mailbox) {
  return (uint32_t)symbol_of(p, SYMBOL_MAILBOX, mailbox)->initial;
}

bool channel_possible(const machine *m, const int64_t *state, const operation *o, uint64_t index,
                      action *a) {
  const int64_t *c = machine_object_const(m, state, SYMBOL_CHANNEL, o->target);
  const int64_t capacity = channel_capacity(m->program, o->target);
  bool sends = o->kind == OPERATION_SEND || o->kind == OPERATION_TRY_SEND;
  bool tries = o->kind == OPERATION_TRY_SEND || o->kind == OPERATION_TRY_RECEIVE;
  a->second = (uint32_t)capacity;
  if (index > 0) return false;
  if (o->kind == OPERATION_CLOSE) {
    a->kind = c[CLOSED] != 0 ? ACTION_CLOSE_CLOSED : ACTION_CLOSE;
    if (c[CLOSED] == 0) a->value = c[SENT] | c[RECEIVED] << 32;
    return true;
  }
  if (sends && c[CLOSED] != 0) {
    a->kind = ACTION_SEND_CLOSED;
    return true;
  }
  bool room = capacity == 0 || c[SENT] - c[RECEIVED] < capacity;
  bool message = c[RECEIVED] < c[SENT];
  if (!sends && !message && c[CLOSED] != 0) {
    a->kind = ACTION_ENDED;
    return true;
  }
  a->value = sends ? c[SENT] : c[RECEIVED];
  if (sends ? room : message) {
    a->kind = sends ? ACTION_SEND : ACTION_RECEIVE;
    return true;
  }
  a->kind = sends ? ACTION_FULL : ACTION_EMPTY;
  return tries;
}

/* An error of the program, but where executions go on behind such errors. */
static int64_t on_closed(machine *m, const int64_t *state, const action *a) {
  const int64_t at = machine_thread_const(m, state, a->thread)[THREAD_PC];
  const char *what =
      a->kind == ACTION_SEND_CLOSED ? "a send to a closed channel" : "a close of a closed channel";
  if (!m->program->options.saturating) machine_fail(m, m->program->code[at].line, what);
  return 0;
}

int64_t channel_change(machine *m, int64_t *state, const action *a) {
  int64_t *c = machine_object(m, state, SYMBOL_CHANNEL, a->target);
  const int64_t message = machine_thread(m, state, a->thread)[THREAD_LOW];
  switch (a->kind) {
  case ACTION_SEND:
    if (c[SENT] == CHANNEL_MESSAGES) {
      machine_fail(m, 0, "more messages than the oracle has room for");
      return 0;
    }
    c[MESSAGES + c[SENT]++] = message;
    return 1;
  case ACTION_RECEIVE:
    return c[MESSAGES + c[RECEIVED]++];
  case ACTION_CLOSE:
    c[CLOSED] = 1;
    return 0;
  case ACTION_EMPTY:
    return MESSAGE_EMPTY;
  case ACTION_ENDED:
    return MESSAGE_CLOSED;
  case ACTION_SEND_CLOSED:
  case ACTION_CLOSE_CLOSED:
    return on_closed(m, state, a);
  default:
    return 0;
  }
}

static bool at_sending_end(action_kind kind) {
  return kind == ACTION_SEND || kind == ACTION_FULL || kind == ACTION_SEND_CLOSED ||
         kind == ACTION_CLOSE_CLOSED;
}

static bool at_receiving_end(action_kind kind) {
  return kind == ACTION_RECEIVE || kind == ACTION_EMPTY || kind == ACTION_ENDED;
}

bool channel_dependent(const action *a, const action *b) {
  const int64_t capacity = a->second;
  switch (a->kind) {
  case ACTION_CLOSE:
    return true;
  case ACTION_SEND:
    if (b->kind == ACTION_EMPTY) return a->value == b->value;
    if (b->kind == ACTION_RECEIVE)
      return a->value == b->value || (capacity > 0 && a->value == b->value + capacity);
    return at_sending_end(b->kind);
  case ACTION_RECEIVE:
    if (b->kind == ACTION_FULL) return b->value == a->value + capacity;
    return at_receiving_end(b->kind);
  default:
    return false;
  }
}

/* ---- mailboxes ---- */

/* Of each thread in turn: how many messages it sent; their tags, contents, and whether they were
 * received. */
enum { COUNT, TAGS, CONTENTS = TAGS + MAILBOX_MESSAGES, TAKEN = CONTENTS + MAILBOX_MESSAGES };

static const int64_t *messages_of(const machine *m, const int64_t *state, uint32_t mailbox,
                                  uint32_t sender) {
  return machine_object_const(m, state, SYMBOL_MAILBOX, mailbox) + sender * MAILBOX_WORDS;
}

/* The first message of a sender that a receive would get; or ORACLE_NONE. */
static uint32_t first_message(const int64_t *w, int64_t tags) {
  for (uint32_t i = 0; i < w[COUNT]; i++) {
    if (w[TAKEN + i] == 0 && (tags >> w[TAGS + i] & 1) != 0) return i;
  }
  return ORACLE_NONE;
}

bool mailbox_possible(const machine *m, const int64_t *state, const operation *o, uint64_t index,
                      action *a) {
  uint64_t found = 0;
  if (o->kind == OPERATION_MAIL) {
    a->kind = ACTION_MAIL;
    a->second = (uint32_t)o->low;
    a->value = messages_of(m, state, o->target, a->thread)[COUNT];
    return index == 0;
  }
  if (a->thread != mailbox_owner(m->program, o->target)) return false;
  for (uint32_t t = 0; t < m->program->thread_count; t++) {
    const int64_t *w = messages_of(m, state, o->target, t);
    uint32_t first = first_message(w, o->low);
    if (first == ORACLE_NONE || found++ != index) continue;
    a->kind = ACTION_ACCEPT;
    a->second = (uint32_t)w[TAGS + first];
    a->value = (int64_t)t << 32 | first;
    return true;
  }
  a->kind = ACTION_NO_MAIL;
  a->value = o->low;
  return found == 0 && index == 0 && o->kind == OPERATION_TRY_ACCEPT;
}

int64_t mailbox_change(machine *m, int64_t *state, const action *a) {
  int64_t *all = machine_object(m, state, SYMBOL_MAILBOX, a->target);
  if (a->kind == ACTION_NO_MAIL) return MESSAGE_EMPTY;
  if (a->kind == ACTION_ACCEPT) {
    int64_t *w = all + (a->value >> 32) * MAILBOX_WORDS;
    w[TAKEN + (uint32_t)a->value] = 1;
    return w[CONTENTS + (uint32_t)a->value];
  }
  int64_t *w = all + (size_t)a->thread * MAILBOX_WORDS;
  if (w[COUNT] == MAILBOX_MESSAGES) {
    machine_fail(m, 0, "more messages than the oracle has room for");
    return 0;
  }
  w[TAGS + w[COUNT]] = a->second;
  w[CONTENTS + w[COUNT]] = machine_thread(m, state, a->thread)[THREAD_HIGH];
  w[COUNT]++;
  return 0;
}

bool mailbox_dependent(const action *a, const action *b) {
  if (a->kind != ACTION_MAIL) return false;
  if (b->kind == ACTION_NO_MAIL) return (b->value >> a->second & 1) != 0;
  return b->kind == ACTION_ACCEPT && b->value == ((int64_t)a->thread << 32 | a->value) &&
         b->second == a->second;
}

/* ---- futures ---- */

enum { IS_SET, VALUE };

bool future_possible(const machine *m, const int64_t *state, const operation *o, uint64_t index,
                     action *a) {
  bool set = machine_object_const(m, state, SYMBOL_FUTURE, o->target)[IS_SET] != 0;
  a->kind = set ? ACTION_GET : ACTION_UNSET;
  if (o->kind == OPERATION_SET) a->kind = set ? ACTION_SET_AGAIN : ACTION_SET;
  return index == 0 && (set || o->kind != OPERATION_GET);
}

int64_t future_change(machine *m, int64_t *state, const action *a) {
  int64_t *f = machine_object(m, state, SYMBOL_FUTURE, a->target);
  if (a->kind == ACTION_GET) return f[VALUE];
  if (a->kind == ACTION_UNSET) return MESSAGE_EMPTY;
  if (a->kind != ACTION_SET) return 0;
  f[IS_SET] = 1;
  f[VALUE] = machine_thread(m, state, a->thread)[THREAD_LOW];
  return 1;
}

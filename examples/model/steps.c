/* A step as people and programs read it, in replays and reports. */
#include "steps.h"

#include <inttypes.h>

#include "atomics.h"
#include "blocked.h"
#include "channels.h"
#include "futexes.h"
#include "states.h"

/* The result of the step's operation, if it has one and this is its last event; `notified` are
 * those that it wakes, if it is a wake. */
static void result_text(const struct session *s, const int64_t *state, const struct intent *in,
                        const unf_action *action, const json_t *notified, char *buffer,
                        size_t size) {
  buffer[0] = '\0';
  if (!opcode_has_result(in->opcode)) return;
  if (in->opcode == DO_FUTEX_WAKE) {
    snprintf(buffer, size, "%zu", json_array_size(notified));
  } else if (futexes_waits(in->opcode)) {
    int64_t result = futexes_result(&s->machine, state, in);
    if (result >= 0) snprintf(buffer, size, "%" PRId64, result);
  } else if (opcode_on_atomic(in->opcode)) {
    snprintf(buffer, size, "%" PRId64, atomics_result(&s->machine, state, in));
  } else if (opcode_on_channel(in->opcode)) {
    const int64_t message = channels_result(&s->machine, state, in);
    if (message <= MESSAGE_EMPTY)
      snprintf(buffer, size, "%s", message == MESSAGE_CLOSED ? "closed" : "empty");
    else
      snprintf(buffer, size, "%" PRId64, message);
  } else if (action->kind == UNF_DID_LOCAL) {
    snprintf(buffer, size, "%" PRId64, action->value);
  } else if (in->opcode != DO_TIMEDWAIT) {
    snprintf(buffer, size, "%d", session_result(action) != 0);
  } else if (action->kind == UNF_DID_WAKE || action->kind == UNF_DID_ACQUIRE) {
    snprintf(buffer, size, "%d", action->kind == UNF_DID_WAKE);
  }
}

struct naming {
  const struct session *session;
  json_t *names;
};

static bool add_name(void *user, unf_thread thread) {
  struct naming *naming = user;
  char name[NAME_SIZE];
  describe_name(naming->session, SYMBOL_THREAD, thread, name);
  return json_array_append_new(naming->names, json_string(name)) == 0;
}

/* The threads that a notification notified. */
static json_t *notified(const struct session *s, const unf_action *action) {
  struct naming naming = {s, json_array()};
  if (action->kind == UNF_DID_SIGNAL) {
    if (action->value != UNF_LOST) add_name(&naming, (unf_thread)action->value);
  } else {
    unf_thread_set_members(s->unfolding, action->value, add_name, &naming);
  }
  return naming.names;
}

/* An action on a channel in one word. */
static const char *channel_word(const unf_action *action) {
  static const char *const words[UNF_CHANNEL_OUTCOMES] = {[UNF_CHANNEL_SENT] = "sent",
                                                          [UNF_CHANNEL_RECEIVED] = "received",
                                                          [UNF_CHANNEL_CLOSED] = "closed",
                                                          [UNF_CHANNEL_FULL] = "full",
                                                          [UNF_CHANNEL_EMPTY] = "empty",
                                                          [UNF_CHANNEL_ENDED] = "ended",
                                                          [UNF_CHANNEL_SEND_CLOSED] = "sendclosed",
                                                          [UNF_CHANNEL_CLOSE_CLOSED] =
                                                              "closeclosed"};
  return words[unf_channel_did(action, NULL)];
}

json_t *describe_step(const struct session *s, const int64_t *state, const unf_action *action,
                      bool *several) {
  struct intent in;
  char thread[NAME_SIZE], operation[TEXT_SIZE], place[TEXT_SIZE], result[32];
  machine_intent(&s->machine, state, action->thread, &in);
  describe_name(s, SYMBOL_THREAD, action->thread, thread);
  describe_intent(s, &in, operation, sizeof operation);
  describe_place(s, in.place, place, sizeof place);
  *several = in.opcode == DO_WAIT || in.opcode == DO_TIMEDWAIT || in.opcode == DO_ARRIVE ||
             futexes_waits(in.opcode);
  bool notifies = in.opcode == DO_SIGNAL || in.opcode == DO_BROADCAST || in.opcode == DO_FUTEX_WAKE;
  json_t *names = notifies ? notified(s, action) : NULL;
  result_text(s, state, &in, action, names, result, sizeof result);
  json_t *step = json_pack(
      "{s:s, s:s, s:s, s:s}", "thread", thread, "operation", operation, "event",
      opcode_on_channel(in.opcode) ? channel_word(action) : unf_action_kind_text(action->kind),
      "place", place);
  bool whole = step != NULL;
  if (result[0] != '\0') whole &= json_object_set_new(step, "result", json_string(result)) == 0;
  if (notifies) whole &= json_object_set_new(step, "notified", names) == 0;
  if (whole) return step;
  json_decref(step);
  return NULL;
}

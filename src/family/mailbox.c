/*
 * Mailboxes with selective receive, as a family of effects: written with the public interface
 * alone.
 *
 * Each message is a part of the mailbox's object of its own, and so is each tag:
 *
 *                       | object | its tag | its message
 *     sent              | ADD    | ADD     | WRITE
 *     received          |        |         | WRITE
 *     empty             |        | READ: each tag that was asked for
 *
 * So sends are independent of each other, a receive follows the send of its message alone, and a
 * try that found nothing depends on sends with a tag that it would have taken. The owner's receives
 * follow each other without being said, being of one thread. The uses of the object are there for
 * its history, which lists what was sent.
 *
 * Cost: outcomes of a receive take O(senders · messages sent to the mailbox).
 */
#include <unfold/families.h>
#include <unfold/unfold.h>

#include "family/label.h"

enum { SEND, RECEIVE, TRY_RECEIVE };

/* A value is an outcome and either a message or the tags that were asked for. */
enum { OUTCOMES = 4, MESSAGE = UNF_MAILBOX_TAGS };

static int64_t make_value(unf_mailbox_outcome outcome, int64_t what) {
  return outcome + OUTCOMES * what;
}

static int64_t pack(unf_mailbox_message message) {
  return message.tag + (int64_t)UNF_MAILBOX_TAGS *
                           (message.number + (int64_t)UNF_MAILBOX_MESSAGES * message.sender);
}

static unf_mailbox_message unpack(int64_t what) {
  unf_mailbox_message message;
  message.tag = (uint32_t)(what % UNF_MAILBOX_TAGS);
  message.number = (uint32_t)(what / UNF_MAILBOX_TAGS % UNF_MAILBOX_MESSAGES);
  message.sender = (uint32_t)(what / UNF_MAILBOX_TAGS / UNF_MAILBOX_MESSAGES);
  return message;
}

/* The part that a message is: the same for its send and its receive. */
static uint64_t part_of(unf_mailbox_message message) {
  return MESSAGE + (uint64_t)pack(message);
}

/* ---- uses ---- */

static unf_status uses(void *user, const unf_action *action, unf_use_visitor visit, void *visitor) {
  const unf_object object = action->target;
  unf_status status = UNF_OK;
  (void)user;
  if (action->value < 0 || action->value % OUTCOMES >= UNF_MAILBOX_OUTCOMES) return UNF_INVALID;
  const int64_t what = action->value / OUTCOMES;
  if (action->value % OUTCOMES == UNF_MAILBOX_EMPTY) {
    for (uint32_t tag = 0; status == UNF_OK && tag < UNF_MAILBOX_TAGS; tag++)
      if ((what >> tag & 1) != 0) status = unf_use_part(visitor, object, tag, UNF_MODE_READ);
    return status;
  }
  const unf_mailbox_message message = unpack(what);
  if (action->value % OUTCOMES == UNF_MAILBOX_SENT) {
    status = visit(visitor, object, UNF_MODE_ADD);
    if (status == UNF_OK) status = unf_use_part(visitor, object, message.tag, UNF_MODE_ADD);
  }
  return status == UNF_OK ? unf_use_part(visitor, object, part_of(message), UNF_MODE_WRITE)
                          : status;
}

/* Only messages with its tags decide whether a receive is blocked, and only a try with its tag
 * looks at a send. Whatever uses a message comes after its send. */
static unf_status concerns(void *user, const unf_operation *operation, unf_use_visitor visit,
                           void *visitor) {
  const bool sends = operation->low == SEND;
  unf_status status = UNF_OK;
  (void)user;
  (void)visit;
  if (operation->high < 0) return UNF_INVALID; /* outcomes() says why */
  const uint32_t tags =
      sends ? UINT32_C(1) << unpack(operation->high).tag : (uint32_t)operation->high;
  for (uint32_t tag = 0; status == UNF_OK && tag < UNF_MAILBOX_TAGS; tag++)
    if ((tags >> tag & 1) != 0)
      status = unf_use_part(visitor, operation->target, tag, UNF_MODE_WRITE);
  return status;
}

/* ---- outcomes ---- */

struct mailbox_search {
  const unf_view *view;
  unf_object object;
  uint32_t tags; /* that are accepted */
  int64_t after; /* senders up to this number were found before, -1: none */
  bool found;    /* a sender behind it, and the first message of the first one */
  unf_mailbox_message message;
  /* Of a send: by whom, and how many messages the sender sent before. */
  unf_thread thread;
  uint32_t sender, count;
  unf_status status;
};

static bool count_sent(void *user, unf_event event) {
  struct mailbox_search *s = user;
  unf_action action;
  s->status = unf_event_action(unf_view_unfolding(s->view), event, &action);
  if (s->status != UNF_OK) return false;
  const bool same = unpack(action.value / OUTCOMES).sender == s->sender;
  if (same != (action.thread == s->thread))
    s->status = unf_effect_refuse(unf_view_unfolding(s->view), action.second,
                                  "two senders with one number, or one with two");
  s->count += same;
  return s->status == UNF_OK;
}

/* Whether the last that happened to a message is that it was sent. */
static bool is_left(struct mailbox_search *s, unf_mailbox_message message) {
  unf_event last;
  unf_action action;
  s->status = unf_view_part_last_write(s->view, s->object, part_of(message), &last);
  if (s->status != UNF_OK) return false;
  s->status = unf_event_action(unf_view_unfolding(s->view), last, &action);
  if (s->status != UNF_OK) return false;
  return action.value % OUTCOMES == UNF_MAILBOX_SENT;
}

static bool look_at_sent(void *user, unf_event event) {
  struct mailbox_search *s = user;
  unf_action action;
  s->status = unf_event_action(unf_view_unfolding(s->view), event, &action);
  if (s->status != UNF_OK) return false;
  const unf_mailbox_message message = unpack(action.value / OUTCOMES), best = s->message;
  const bool accepted = (s->tags >> message.tag & 1) != 0 && (int64_t)message.sender > s->after;
  const bool earlier = !s->found || message.sender < best.sender ||
                       (message.sender == best.sender && message.number < best.number);
  if (!accepted || !earlier || !is_left(s, message)) return s->status == UNF_OK;
  s->found = true;
  s->message = message;
  return true;
}

static unf_status send(struct mailbox_search *s, const unf_operation *operation,
                       unf_action *action) {
  unf_mailbox_message message = unpack(operation->high);
  s->sender = message.sender;
  s->thread = action->thread;
  unf_status status = unf_view_history(s->view, s->object, count_sent, s);
  if (status == UNF_OK) status = s->status;
  if (status != UNF_OK) return status;
  if (s->count >= UNF_MAILBOX_MESSAGES)
    return unf_effect_refuse(unf_view_unfolding(s->view), operation->second,
                             "more than UNF_MAILBOX_MESSAGES messages of one sender");
  message.number = s->count;
  action->value = make_value(UNF_MAILBOX_SENT, pack(message));
  return UNF_OK;
}

/* Visits the first message of each sender. */
static unf_status receive(struct mailbox_search *s, const unf_operation *operation,
                          unf_action *action, unf_action_visitor visit, void *visitor) {
  s->tags = (uint32_t)operation->high;
  s->after = -1;
  for (;; s->after = s->message.sender) {
    s->found = false;
    unf_status status = unf_view_history(s->view, s->object, look_at_sent, s);
    if (status == UNF_OK) status = s->status;
    if (status != UNF_OK) return status;
    if (!s->found) break;
    action->value = make_value(UNF_MAILBOX_RECEIVED, pack(s->message));
    if (!visit(visitor, action)) return UNF_OK;
  }
  if (s->after >= 0 || operation->low == RECEIVE) return UNF_OK;
  action->value = make_value(UNF_MAILBOX_EMPTY, s->tags);
  visit(visitor, action);
  return UNF_OK;
}

static unf_status outcomes(void *user, const unf_view *view, unf_thread thread,
                           const unf_operation *operation, unf_action_visitor visit,
                           void *visitor) {
  unf_action action = {UNF_DID_CUSTOM, thread, operation->target, operation->second, 0};
  struct mailbox_search search = {.view = view, .object = operation->target, .status = UNF_OK};
  unf_thread owner;
  (void)user;
  const unf_unfolding *unfolding = unf_view_unfolding(view);
  if (operation->low < SEND || operation->low > TRY_RECEIVE || operation->high < 0)
    return unf_effect_refuse(unfolding, operation->second,
                             "a sender or a tag that is too large, or no such operation");
  unf_status status = unf_object_describe(unfolding, operation->target, NULL, &owner, NULL);
  if (status != UNF_OK) return status;
  if (operation->low != SEND && owner != thread)
    return unf_effect_refuse(unfolding, operation->second, "a receive by another than the owner");
  if (operation->low != SEND) return receive(&search, operation, &action, visit, visitor);
  status = send(&search, operation, &action);
  if (status == UNF_OK) visit(visitor, &action);
  return status;
}

struct hindering_sends {
  struct mailbox_search *search;
  unf_event_visitor visit;
  void *visitor;
};

static bool look_at_hindering(void *user, unf_event event) {
  struct hindering_sends *h = user;
  struct mailbox_search *s = h->search;
  unf_action action;
  s->status = unf_event_action(unf_view_unfolding(s->view), event, &action);
  if (s->status != UNF_OK) return false;
  const unf_mailbox_message message = unpack(action.value / OUTCOMES);
  if ((s->tags >> message.tag & 1) == 0 || !is_left(s, message)) return s->status == UNF_OK;
  return h->visit(h->visitor, event);
}

/* A try finds nothing only without all messages that it would take. */
static unf_status hinders(void *user, const unf_view *view, unf_thread thread,
                          const unf_operation *operation, unf_event_visitor visit, void *visitor) {
  struct mailbox_search search = {.view = view,
                                  .object = operation->target,
                                  .tags = (uint32_t)operation->high,
                                  .status = UNF_OK};
  struct hindering_sends hindering = {&search, visit, visitor};
  (void)user;
  (void)thread;
  if (operation->low != TRY_RECEIVE) return UNF_OK;
  unf_status status = unf_view_history(view, operation->target, look_at_hindering, &hindering);
  return status == UNF_OK ? search.status : status;
}

/* ---- for people ---- */

/* The outcome, and the message as its sender and its number. */
static void label(void *user, const unf_action *action, char *buffer, size_t size) {
  static const char *const words[OUTCOMES] = {[UNF_MAILBOX_SENT] = "sent",
                                              [UNF_MAILBOX_RECEIVED] = "received",
                                              [UNF_MAILBOX_EMPTY] = "empty"};
  const int64_t outcome = action->value % OUTCOMES;
  const unf_mailbox_message message = unpack(action->value / OUTCOMES);
  (void)user;
  if (outcome < 0 || outcome >= UNF_MAILBOX_OUTCOMES) return;
  size_t length =
      family_label(words[outcome], outcome != UNF_MAILBOX_EMPTY, message.sender, buffer, size);
  if (outcome != UNF_MAILBOX_EMPTY)
    family_label(" number", true, message.number, buffer + length, size - length);
}

/* ---- the interface ---- */

unf_status unf_mailbox_register(unf_unfolding *unfolding, uint32_t *out) {
  const unf_effect effect = {sizeof effect, "mailbox", NULL,    uses,
                             outcomes,      concerns,  hinders, label};
  return unf_effect_register(unfolding, &effect, out);
}

unf_status unf_mailbox_name(unf_unfolding *unfolding, uint32_t family, unf_thread owner,
                            uint64_t key, unf_mailbox *out) {
  if (owner == UNF_THREAD_NONE)
    return unf_effect_refuse(unfolding, family, "a mailbox belongs to a thread");
  if (out != NULL) out->family = family;
  return unf_object_name(unfolding, UNF_CUSTOM, owner, key, out == NULL ? NULL : &out->object);
}

/* A number or tag that cannot be makes an operation that is refused when its outcomes are asked
 * for. */
unf_operation unf_mailbox_send(unf_mailbox mailbox, uint32_t sender, uint32_t tag) {
  const unf_mailbox_message message = {sender, 0, tag};
  const bool right = sender < UNF_MAILBOX_SENDERS && tag < UNF_MAILBOX_TAGS;
  return unf_operation_custom(mailbox.family, mailbox.object, SEND, right ? pack(message) : -1);
}

unf_operation unf_mailbox_receive(unf_mailbox mailbox, uint32_t tags) {
  return unf_operation_custom(mailbox.family, mailbox.object, RECEIVE, tags);
}

unf_operation unf_mailbox_try_receive(unf_mailbox mailbox, uint32_t tags) {
  return unf_operation_custom(mailbox.family, mailbox.object, TRY_RECEIVE, tags);
}

unf_mailbox_outcome unf_mailbox_did(const unf_action *action, unf_mailbox_message *message) {
  if (action == NULL) return UNF_MAILBOX_OUTCOMES;
  if (message != NULL) *message = unpack(action->value / OUTCOMES);
  return (unf_mailbox_outcome)(action->value % OUTCOMES);
}

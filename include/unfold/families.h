/**
 * @file
 * Ready effect families: FIFO channels, mailboxes with selective receive, and futures. They are
 * registered and work through effect.h alone, as a family of yours would, so src/family/ can be
 * read as examples (doc/families.md says what they mean).
 *
 * The library says which message a thread gets; the messages themselves are the engine's. A family
 * is registered in every process in the same order, and its `user` is NULL: it has no state.
 */
#ifndef UNFOLD_FAMILIES_H
#define UNFOLD_FAMILIES_H

#include <stdint.h>
#include <unfold/action.h>
#include <unfold/effect.h>
#include <unfold/export.h>

UNF_BEGIN_DECLS

/* ---- channels ---- */

/** The capacity of a channel that is never full. */
#define UNF_CHANNEL_UNBOUNDED UINT32_MAX
/** The most that a bounded channel can hold, and the most messages of one execution. */
#define UNF_CHANNEL_MOST ((UINT32_C(1) << 28) - 1)

/**
 * A channel: messages are received in the order in which they were sent. Sends of one channel
 * depend on each other, and receives too; a send and a receive only if the receive gets its
 * message, or makes the room that it needs; closing depends on everything. A try that fails, and
 * what finds the channel closed, only looks.
 */
typedef struct unf_channel {
  uint32_t family;   /**< as registered */
  unf_object object; /**< of class UNF_CUSTOM, and of nothing else */
  uint32_t capacity; /**< from 1 on, the same in all operations; or UNF_CHANNEL_UNBOUNDED */
} unf_channel;

/** What came of an operation on a channel. */
typedef enum unf_channel_outcome {
  UNF_CHANNEL_SENT = 0,         /**< the message has the number that unf_channel_did() says */
  UNF_CHANNEL_RECEIVED = 1,     /**< the message that has this number, from 0 on */
  UNF_CHANNEL_CLOSED = 2,       /**< closed it; this number of messages had been sent */
  UNF_CHANNEL_FULL = 3,         /**< a try to send: there is no room */
  UNF_CHANNEL_EMPTY = 4,        /**< a try to receive: there is no message */
  UNF_CHANNEL_ENDED = 5,        /**< a receive: it is closed, and there is no message any more */
  UNF_CHANNEL_SEND_CLOSED = 6,  /**< a send to a closed channel, which changed nothing */
  UNF_CHANNEL_CLOSE_CLOSED = 7, /**< it had been closed before; nothing changed */
  UNF_CHANNEL_OUTCOMES
} unf_channel_outcome;

/** Registers the family of channels, as "channel". Errors: those of unf_effect_register(). O(1). */
UNF_API unf_status unf_channel_register(unf_unfolding *unfolding, uint32_t *out);

/** Makes the channel with a key, the same in every process; an object of the key, without a
 * creator, is named for it. Errors: UNF_INVALID (a capacity of 0: rendezvous channels are not
 * supported; or one above UNF_CHANNEL_MOST), those of unf_object_name(). Expected O(1). */
UNF_API unf_status unf_channel_name(unf_unfolding *unfolding, uint32_t family, uint64_t key,
                                    uint32_t capacity, unf_channel *out);

/** Operation: waits for room, and sends; UNF_CHANNEL_SEND_CLOSED if it is closed, full or not. The
 * message is what the engine sends, or a number that stands for it. O(1). */
UNF_API unf_operation unf_channel_send(unf_channel channel, int64_t message);
/** Operation: sends, or finds the channel full, or closed. O(1). */
UNF_API unf_operation unf_channel_try_send(unf_channel channel, int64_t message);
/** Operation: waits for a message, or for the channel to be closed and empty. O(1). */
UNF_API unf_operation unf_channel_receive(unf_channel channel);
/** Operation: receives, or finds the channel empty, or closed and empty. O(1). */
UNF_API unf_operation unf_channel_try_receive(unf_channel channel);
/** Operation: closes the channel. O(1). */
UNF_API unf_operation unf_channel_close(unf_channel channel);

/** What an action of the family is, with the number of the message (may be NULL). O(1). */
UNF_API unf_channel_outcome unf_channel_did(const unf_action *action, uint64_t *number);

/* ---- mailboxes ---- */

/** Tags are below this number. */
#define UNF_MAILBOX_TAGS 32u
/** The tags that every message has one of. */
#define UNF_MAILBOX_ANY UINT32_MAX
/** Numbers of senders are below this one. */
#define UNF_MAILBOX_SENDERS (UINT32_C(1) << 16)
/** Numbers of the messages of a sender to a mailbox are below this one. */
#define UNF_MAILBOX_MESSAGES (UINT32_C(1) << 24)

/**
 * A mailbox: belongs to one thread, which alone receives. Each message has a tag, and a receive
 * says which tags it accepts: it gets, of some sender, the first message with such a tag that was
 * not received yet; of which sender is open, and each choice is explored. So messages of one sender
 * overtake each other only by their tags, and those of different senders in any way, as actors
 * promise it. Sends do not depend on each other; a receive depends on the send of its message, and
 * a try that fails on the sends with tags that it accepts.
 */
typedef struct unf_mailbox {
  uint32_t family;   /**< as registered */
  unf_object object; /**< of class UNF_CUSTOM, made by the thread that receives */
} unf_mailbox;

/** What came of an operation on a mailbox. */
typedef enum unf_mailbox_outcome {
  UNF_MAILBOX_SENT = 0,     /**< a message, described by unf_mailbox_did() */
  UNF_MAILBOX_RECEIVED = 1, /**< that message */
  UNF_MAILBOX_EMPTY = 2,    /**< a try: there is no message with such a tag */
  UNF_MAILBOX_OUTCOMES
} unf_mailbox_outcome;

/** A message of a mailbox. */
typedef struct unf_mailbox_message {
  uint32_t sender; /**< its number */
  uint32_t number; /**< among the messages of the sender to the mailbox, from 0 on */
  uint32_t tag;    /**< one of 32 */
} unf_mailbox_message;

/** Registers the family of mailboxes, as "mailbox". Errors: as unf_channel_register(). O(1). */
UNF_API unf_status unf_mailbox_register(unf_unfolding *unfolding, uint32_t *out);

/** Makes the mailbox of a thread that has a key among the thread's custom objects. Errors:
 * UNF_INVALID (no owner), those of unf_object_name(). Expected O(1). */
UNF_API unf_status unf_mailbox_name(unf_unfolding *unfolding, uint32_t family, unf_thread owner,
                                    uint64_t key, unf_mailbox *out);

/** Operation: sends a message with a tag. `sender` is a number of the sending thread that no other
 * one has, the same in every process. O(1). */
UNF_API unf_operation unf_mailbox_send(unf_mailbox mailbox, uint32_t sender, uint32_t tag);
/** Operation of the owner: waits for a message with one of these tags, a bit 1 << tag for each, and
 * takes it. O(1). */
UNF_API unf_operation unf_mailbox_receive(unf_mailbox mailbox, uint32_t tags);
/** Operation of the owner: takes such a message, or finds that there is none. O(1). */
UNF_API unf_operation unf_mailbox_try_receive(unf_mailbox mailbox, uint32_t tags);

/** What an action of the family is; *message (may be NULL) is what was sent or received. O(1). */
UNF_API unf_mailbox_outcome unf_mailbox_did(const unf_action *action, unf_mailbox_message *message);

/* ---- futures ---- */

/** A future: is set once, and read by all who wait for it. Reading depends on setting only. */
typedef struct unf_future {
  uint32_t family;   /**< as registered */
  unf_object object; /**< of class UNF_CUSTOM */
} unf_future;

/** What came of an operation on a future. */
typedef enum unf_future_outcome {
  UNF_FUTURE_SET = 0,   /**< has a value now */
  UNF_FUTURE_GOT = 1,   /**< its value was read */
  UNF_FUTURE_UNSET = 2, /**< a poll: it has no value yet */
  UNF_FUTURE_AGAIN = 3, /**< had a value before, which stays */
  UNF_FUTURE_OUTCOMES
} unf_future_outcome;

/** Registers the family of futures, as "future". Errors: as unf_channel_register(). O(1). */
UNF_API unf_status unf_future_register(unf_unfolding *unfolding, uint32_t *out);

/** Makes the future with a key, an object without a creator. Errors: those of unf_object_name().
 * Expected O(1). */
UNF_API unf_status unf_future_name(unf_unfolding *unfolding, uint32_t family, uint64_t key,
                                   unf_future *out);

/** Operation: sets the future to a value, which the engine keeps. O(1). */
UNF_API unf_operation unf_future_set(unf_future future, int64_t value);
/** Operation: waits until it is set, and reads it. O(1). */
UNF_API unf_operation unf_future_get(unf_future future);
/** Operation: reads it, or finds that it is not set. O(1). */
UNF_API unf_operation unf_future_poll(unf_future future);

/** What an action of the family is. O(1). */
UNF_API unf_future_outcome unf_future_did(const unf_action *action);

UNF_END_DECLS

#endif

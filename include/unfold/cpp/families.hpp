/**
 * @file
 * The ready effect families (families.h) as classes: channels, mailboxes, futures. Each is the
 * struct of C, so it is copied like one, with its operations as functions.
 */
#ifndef UNFOLD_CPP_FAMILIES_HPP
#define UNFOLD_CPP_FAMILIES_HPP

#include <unfold/cpp/base.hpp>
#include <unfold/cpp/types.hpp>
#include <unfold/cpp/unfolding.hpp>

namespace unfold {

/** @cond */
namespace inner {

/* A number that a function registers, and a value that one names. */
template <class P>
typename P::template result<uint32_t> registered(basic_unfolding<P> &in,
                                                 unf_status (*by)(unf_unfolding *, uint32_t *)) {
  uint32_t number = 0;
  const unf_status said = by(in.get(), &number);
  return P::give(said, in.home(), std::move(number));
}

} // namespace inner
/** @endcond */

/** What came of an operation on a channel; see unf_channel_did(). */
struct channel_event {
  unf_channel_outcome outcome; /**< what */
  uint64_t number;             /**< of the message */
};

/** A channel (unf_channel). */
struct channel : unf_channel {
  /** unf_channel_register(): the number of the family. */
  template <form P>
  [[nodiscard]] static typename P::template result<uint32_t>
  register_family(basic_unfolding<P> &in) {
    return inner::registered(in, unf_channel_register);
  }
  /** unf_channel_name(). */
  template <form P>
  [[nodiscard]] static typename P::template result<channel>
  make(basic_unfolding<P> &in, uint32_t family, uint64_t key, uint32_t capacity) {
    channel one{};
    const unf_status said = unf_channel_name(in.get(), family, key, capacity, &one);
    return P::give(said, in.home(), std::move(one));
  }
  /** unf_channel_did(). */
  [[nodiscard]] static channel_event did(const action &what) noexcept {
    channel_event one{};
    one.outcome = unf_channel_did(&what, &one.number);
    return one;
  }
  /** unf_channel_send(). */
  [[nodiscard]] operation send(int64_t message) const noexcept {
    return unf_channel_send(*this, message);
  }
  /** unf_channel_try_send(). */
  [[nodiscard]] operation try_send(int64_t message) const noexcept {
    return unf_channel_try_send(*this, message);
  }
  /** unf_channel_receive(). */
  [[nodiscard]] operation receive() const noexcept {
    return unf_channel_receive(*this);
  }
  /** unf_channel_try_receive(). */
  [[nodiscard]] operation try_receive() const noexcept {
    return unf_channel_try_receive(*this);
  }
  /** unf_channel_close(). */
  [[nodiscard]] operation close() const noexcept {
    return unf_channel_close(*this);
  }
};

/** What came of an operation on a mailbox; see unf_mailbox_did(). */
struct mailbox_event {
  unf_mailbox_outcome outcome; /**< what */
  unf_mailbox_message message; /**< of which message */
};

/** A mailbox (unf_mailbox). */
struct mailbox : unf_mailbox {
  /** unf_mailbox_register(): the number of the family. */
  template <form P>
  [[nodiscard]] static typename P::template result<uint32_t>
  register_family(basic_unfolding<P> &in) {
    return inner::registered(in, unf_mailbox_register);
  }
  /** unf_mailbox_name(). */
  template <form P>
  [[nodiscard]] static typename P::template result<mailbox>
  make(basic_unfolding<P> &in, uint32_t family, thread owner, uint64_t key) {
    mailbox one{};
    const unf_status said = unf_mailbox_name(in.get(), family, owner, key, &one);
    return P::give(said, in.home(), std::move(one));
  }
  /** unf_mailbox_did(). */
  [[nodiscard]] static mailbox_event did(const action &what) noexcept {
    mailbox_event one{};
    one.outcome = unf_mailbox_did(&what, &one.message);
    return one;
  }
  /** unf_mailbox_send(). */
  [[nodiscard]] operation send(uint32_t sender, uint32_t tag) const noexcept {
    return unf_mailbox_send(*this, sender, tag);
  }
  /** unf_mailbox_receive(). */
  [[nodiscard]] operation receive(uint32_t tags = UNF_MAILBOX_ANY) const noexcept {
    return unf_mailbox_receive(*this, tags);
  }
  /** unf_mailbox_try_receive(). */
  [[nodiscard]] operation try_receive(uint32_t tags = UNF_MAILBOX_ANY) const noexcept {
    return unf_mailbox_try_receive(*this, tags);
  }
};

/** A future (unf_future). */
struct future : unf_future {
  /** unf_future_register(): the number of the family. */
  template <form P>
  [[nodiscard]] static typename P::template result<uint32_t>
  register_family(basic_unfolding<P> &in) {
    return inner::registered(in, unf_future_register);
  }
  /** unf_future_name(). */
  template <form P>
  [[nodiscard]] static typename P::template result<future> make(basic_unfolding<P> &in,
                                                                uint32_t family, uint64_t key) {
    future one{};
    const unf_status said = unf_future_name(in.get(), family, key, &one);
    return P::give(said, in.home(), std::move(one));
  }
  /** unf_future_did(). */
  [[nodiscard]] static unf_future_outcome did(const action &what) noexcept {
    return unf_future_did(&what);
  }
  /** unf_future_set(). */
  [[nodiscard]] operation set(int64_t value) const noexcept {
    return unf_future_set(*this, value);
  }
  /** unf_future_get(). */
  [[nodiscard]] operation get() const noexcept {
    return unf_future_get(*this);
  }
  /** unf_future_poll(). */
  [[nodiscard]] operation poll() const noexcept {
    return unf_future_poll(*this);
  }
};

} // namespace unfold

#endif

/**
 * @file
 * The predicate of consistency.h as a class: executions for unknown data.
 */
#ifndef UNFOLD_CPP_CONSISTENCY_HPP
#define UNFOLD_CPP_CONSISTENCY_HPP

#include <concepts>
#include <span>
#include <unfold/cpp/base.hpp>
#include <unfold/cpp/types.hpp>
#include <unfold/cpp/unfolding.hpp>

namespace unfold {

/** A question to a predicate: can the literals of these branch events be satisfied together? */
class question {
public:
  /** One of C; see unf_consistency.consistent. */
  question(const unf_event *events, uint64_t count, uint64_t known, unf_event *core,
           uint64_t *core_count, uint64_t *witness) noexcept
      : events_(events, count), known_(known), core_(core), core_count_(core_count),
        witness_(witness) {
  }

  /** The branch events, causes before their effects. */
  [[nodiscard]] std::span<const event> events() const noexcept {
    return events_;
  }
  /** The first of them, which were not found to contradict each other before. */
  [[nodiscard]] std::span<const event> known() const noexcept {
    return events_.first(known_);
  }
  /** With NO: one of the events that contradict each other already, each once. More than there are
   * events are not taken. */
  void core(event one) noexcept {
    if (*core_count_ < events_.size()) core_[(*core_count_)++] = one;
  }
  /** With YES: a number for values that satisfy the literals. */
  void witness(uint64_t number) noexcept {
    *witness_ = number;
  }

private:
  std::span<const event> events_;
  uint64_t known_;
  unf_event *core_;
  uint64_t *core_count_;
  uint64_t *witness_;
};

/** What decides which configurations are consistent: see unf_consistency. Where it has
 * `holds(witness, event)`, witnesses are used; `forget(witness)` is told when one is not needed any
 * more. These functions cannot fail, so they must be noexcept: one that gives up answers
 * UNF_ANSWER_UNKNOWN, which loses nothing. */
template <class C>
concept consistency_predicate = requires(C &predicate, question &q) {
  { predicate.consistent(q) }
  noexcept->std::convertible_to<answer>;
};

/** @cond */
namespace inner {

template <class C>
concept has_holds = requires(C &predicate, uint64_t witness, event e) {
  { predicate.holds(witness, e) }
  noexcept->std::convertible_to<bool>;
};
template <class C>
concept has_forget = requires(C &predicate, uint64_t witness) {
  { predicate.forget(witness) }
  noexcept;
};

} // namespace inner
/** @endcond */

/** unf_unfolding_set_consistency(). The predicate must live as long as the unfolding. */
template <form P, consistency_predicate C>
[[nodiscard]] typename P::template result<void> set_consistency(basic_unfolding<P> &unfolding,
                                                                C &predicate) {
  static_assert(
      inner::has_holds<C> || !requires { &C::holds; },
      "holds() takes a witness and an event, and is noexcept");
  static_assert(
      inner::has_forget<C> || !requires { &C::forget; },
      "forget() takes a witness, and is noexcept");
  unf_consistency table = UNF_CONSISTENCY_INIT;
  table.user = inner::as_user(predicate);
  table.consistent = [](void *user, const unf_event *events, uint64_t count, uint64_t known,
                        unf_event *core, uint64_t *core_count, uint64_t *witness) -> unf_answer {
    question q(events, count, known, core, core_count, witness);
    return inner::of_user<C>(user).consistent(q);
  };
  if constexpr (inner::has_holds<C>)
    table.holds = [](void *user, uint64_t witness, unf_event e) -> bool {
      return inner::of_user<C>(user).holds(witness, e);
    };
  if constexpr (inner::has_forget<C>)
    table.forget = [](void *user, uint64_t witness) { inner::of_user<C>(user).forget(witness); };
  return P::give(unf_unfolding_set_consistency(unfolding.get(), &table), unfolding.home());
}
template <form P, consistency_predicate C>
void set_consistency(basic_unfolding<P> &unfolding, const C &&predicate) = delete;

} // namespace unfold

#endif

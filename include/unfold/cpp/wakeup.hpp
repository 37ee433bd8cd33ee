/**
 * @file
 * The parts of optimal partial-order reduction (wakeup.h) as classes.
 */
#ifndef UNFOLD_CPP_WAKEUP_HPP
#define UNFOLD_CPP_WAKEUP_HPP

#include <span>
#include <utility>
#include <vector>
#include <unfold/cpp/base.hpp>
#include <unfold/cpp/types.hpp>
#include <unfold/cpp/unfolding.hpp>

namespace unfold {

/** Another way in which an execution could have continued; see unf_reversal. */
struct reversal {
  unfold::event event;                 /**< what could have happened, and did not */
  uint64_t position;                   /**< depth of the node */
  std::vector<unfold::event> sequence; /**< from the node on; ends with `event` */
};

/** The positions of two events that race, in an execution. */
using racing = std::pair<uint64_t, uint64_t>;

/** An event of a wakeup tree, and its level there: 0 for the first one of a branch. */
using wakeup_event = std::pair<event, uint32_t>;

/** The races of an execution: unf_execution_races(). A visitor gets two positions. */
template <form P, visitor<uint64_t, uint64_t> F = everything>
[[nodiscard]] typename P::template result<listing<std::vector<racing>, F>>
execution_races(basic_unfolding<P> &of, std::span<const event> execution, F &&f = {}) {
  if constexpr (std::same_as<std::remove_cvref_t<F>, everything>) {
    std::vector<racing> all;
    auto push = [&all](uint64_t first, uint64_t second) { all.emplace_back(first, second); };
    const unf_status said = inner::guarded([&] {
      return unf_execution_races(of.get(), execution.data(), execution.size(),
                                 inner::visit<decltype(push), uint64_t, uint64_t>,
                                 inner::as_user(push));
    });
    return P::give(said, of.home(), std::move(all));
  } else {
    return P::give(inner::guarded([&] {
                     return unf_execution_races(
                         of.get(), execution.data(), execution.size(),
                         inner::visit<std::remove_reference_t<F>, uint64_t, uint64_t>,
                         inner::as_user(f));
                   }),
                   of.home());
  }
}

/** The reversals of a maximal execution: unf_execution_reversals(). A visitor gets an unf_reversal,
 * whose sequence is valid during the call. */
template <form P, visitor<const unf_reversal &> F = everything>
[[nodiscard]] typename P::template result<listing<std::vector<reversal>, F>>
execution_reversals(basic_unfolding<P> &of, std::span<const event> execution, F &&f = {}) {
  if constexpr (std::same_as<std::remove_cvref_t<F>, everything>) {
    std::vector<reversal> all;
    auto push = [&all](const unf_reversal &r) {
      all.push_back({r.event, r.position, {r.sequence, r.sequence + r.count}});
    };
    const unf_status said = inner::guarded([&] {
      return unf_execution_reversals(of.get(), execution.data(), execution.size(),
                                     inner::visit_pointer<decltype(push), unf_reversal>,
                                     inner::as_user(push));
    });
    return P::give(said, of.home(), std::move(all));
  } else {
    return P::give(inner::guarded([&] {
                     return unf_execution_reversals(
                         of.get(), execution.data(), execution.size(),
                         inner::visit_pointer<std::remove_reference_t<F>, unf_reversal>,
                         inner::as_user(f));
                   }),
                   of.home());
  }
}

/** The sequence of a reversal, as it is visited. */
[[nodiscard]] inline std::span<const event> sequence_of(const unf_reversal &of) noexcept {
  return {of.sequence, of.count};
}

/** @cond */
namespace inner {
template <> struct freeing<unf_sleep_sets> {
  static void free(unf_sleep_sets *it) noexcept {
    unf_sleep_free(it);
  }
};
template <> struct freeing<unf_wakeup_trees> {
  static void free(unf_wakeup_trees *it) noexcept {
    unf_wakeup_free(it);
  }
};
} // namespace inner
/** @endcond */

/** The sleep sets of the nodes of an execution (wakeup.h). */
template <form P> class basic_sleep_sets : public object_of<P, unf_sleep_sets> {
  using base = object_of<P, unf_sleep_sets>;

public:
  using base::base;
  /** What a function returns that gives a T. */
  template <class T> using result = typename P::template result<T>;

  /** unf_sleep_new(). */
  explicit basic_sleep_sets(handle<unf_unfolding> &of) requires P::throws
      : basic_sleep_sets(make(of)) {
  }

  /** unf_sleep_new(). */
  [[nodiscard]] static result<basic_sleep_sets> make(handle<unf_unfolding> &of) {
    return base::template made<basic_sleep_sets>(
        of.home(), [&](unf_sleep_sets **to) { return unf_sleep_new(of.get(), to); });
  }

  /** unf_sleep_add(). */
  [[nodiscard]] result<void> add(event e) {
    return this->done([&] { return unf_sleep_add(this->get(), e); });
  }
  /** unf_sleep_push(). */
  [[nodiscard]] result<void> push(event e) {
    return this->done([&] { return unf_sleep_push(this->get(), e); });
  }
  /** unf_sleep_pop(). */
  [[nodiscard]] result<void> pop() {
    return this->done([&] { return unf_sleep_pop(this->get()); });
  }
  /** unf_sleep_last(). */
  [[nodiscard]] event last() const noexcept {
    return unf_sleep_last(this->get());
  }
  /** unf_sleep_contains(). */
  [[nodiscard]] result<bool> contains(event e) const {
    return this->template out<bool>(
        [&](bool *to) { return unf_sleep_contains(this->get(), e, to); });
  }
  /** unf_sleep_initial(). */
  [[nodiscard]] result<bool> initial(uint64_t depth, std::span<const event> sequence) const {
    return this->template out<bool>([&](bool *to) {
      return unf_sleep_initial(this->get(), depth, sequence.data(), sequence.size(), to);
    });
  }
  /** The events asleep at a node: unf_sleep_visit(). */
  template <visitor<event> F = everything>
  [[nodiscard]] result<listing<std::vector<event>, F>> at(uint64_t depth, F &&f = {}) const {
    return this->template list<event>(f, [&](auto visit, void *user) {
      return unf_sleep_visit(this->get(), depth, visit, user);
    });
  }
};

/** The wakeup trees of the nodes of an execution (wakeup.h). */
template <form P> class basic_wakeup_trees : public object_of<P, unf_wakeup_trees> {
  using base = object_of<P, unf_wakeup_trees>;

public:
  using base::base;
  /** What a function returns that gives a T. */
  template <class T> using result = typename P::template result<T>;

  /** unf_wakeup_new(). */
  explicit basic_wakeup_trees(handle<unf_unfolding> &of) requires P::throws
      : basic_wakeup_trees(make(of)) {
  }

  /** unf_wakeup_new(). */
  [[nodiscard]] static result<basic_wakeup_trees> make(handle<unf_unfolding> &of) {
    return base::template made<basic_wakeup_trees>(
        of.home(), [&](unf_wakeup_trees **to) { return unf_wakeup_new(of.get(), to); });
  }

  /** Whether the tree changed: unf_wakeup_insert(). */
  [[nodiscard]] result<bool> insert(uint64_t depth, std::span<const event> sequence) {
    return this->template out<bool>([&](bool *to) {
      return unf_wakeup_insert(this->get(), depth, sequence.data(), sequence.size(), to);
    });
  }
  /** unf_wakeup_take(). */
  [[nodiscard]] result<event> take(uint64_t depth) {
    return this->template out<event>(
        [&](unf_event *to) { return unf_wakeup_take(this->get(), depth, to); });
  }
  /** The tree of a node: unf_wakeup_visit(). A visitor gets an event and its level. */
  template <visitor<event, uint32_t> F = everything>
  [[nodiscard]] result<listing<std::vector<wakeup_event>, F>> at(uint64_t depth, F &&f = {}) const {
    if constexpr (std::same_as<std::remove_cvref_t<F>, everything>) {
      std::vector<wakeup_event> all;
      auto push = [&all](event e, uint32_t level) { all.emplace_back(e, level); };
      const unf_status said = inner::guarded([&] {
        return unf_wakeup_visit(this->get(), depth, inner::visit<decltype(push), event, uint32_t>,
                                inner::as_user(push));
      });
      return P::give(said, this->witness(), std::move(all));
    } else {
      return this->done([&] {
        return unf_wakeup_visit(this->get(), depth,
                                inner::visit<std::remove_reference_t<F>, event, uint32_t>,
                                inner::as_user(f));
      });
    }
  }
  /** unf_wakeup_size(). */
  [[nodiscard]] uint64_t size() const noexcept {
    return unf_wakeup_size(this->get());
  }
};

} // namespace unfold

#endif

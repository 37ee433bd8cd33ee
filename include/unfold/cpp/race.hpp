/**
 * @file
 * Race detectors (race.h) as a class.
 */
#ifndef UNFOLD_CPP_RACE_HPP
#define UNFOLD_CPP_RACE_HPP

#include <unfold/cpp/base.hpp>
#include <unfold/cpp/ranges.hpp>
#include <unfold/cpp/types.hpp>

namespace unfold {

/** How an execution begins for a race detector; see unf_races_begin(). */
struct watch {
  uint64_t resumed; /**< steps that need not be performed again */
  bool watched;     /**< whether the execution is watched */
};

/** Where the accesses of a race were; see unf_races_after(). */
struct race_events {
  event first;  /**< the last one of the thread before the first access */
  event second; /**< that before the second access */
};

/** A race of the current execution; see unf_races_here(). */
struct race_here {
  uint64_t index; /**< its number among all races */
  race accesses;  /**< its accesses in this execution */
};

/** @cond */
namespace inner {
template <> struct freeing<unf_races> {
  static void free(unf_races *it) noexcept {
    unf_races_free(it);
  }
};
} // namespace inner
/** @endcond */

/** A race detector (race.h). */
template <form P> class basic_races : public object_of<P, unf_races> {
  using base = object_of<P, unf_races>;

public:
  using base::base;
  /** What a function returns that gives a T. */
  template <class T> using result = typename P::template result<T>;

  /** unf_races_new(). */
  explicit basic_races(handle<unf_unfolding> &of,
                       const races_options &options = {}) requires P::throws
      : basic_races(make(of, options)) {
  }

  /** unf_races_new(). */
  [[nodiscard]] static result<basic_races> make(handle<unf_unfolding> &of,
                                                const races_options &options = {}) {
    return base::template made<basic_races>(
        of.home(), [&](unf_races **to) { return unf_races_new(of.get(), &options, to); });
  }

  /** unf_races_begin(). */
  [[nodiscard]] result<watch> begin(uint64_t shared, uint64_t resumed = 0) {
    return this->template out<watch>([&](watch *to) {
      to->resumed = resumed;
      return unf_races_begin(this->get(), shared, &to->resumed, &to->watched);
    });
  }
  /** unf_races_step(). */
  [[nodiscard]] result<void> step(event e) {
    return this->done([&] { return unf_races_step(this->get(), e); });
  }
  /** unf_races_access(). */
  [[nodiscard]] result<void> access(const unfold::access &made) {
    return this->done([&] { return unf_races_access(this->get(), &made); });
  }
  /** unf_races_forget(). */
  [[nodiscard]] result<void> forget(uint64_t address, uint64_t size) {
    return this->done([&] { return unf_races_forget(this->get(), address, size); });
  }
  /** unf_races_counts_get(). */
  [[nodiscard]] races_counts counts() const noexcept {
    races_counts counts{};
    unf_races_counts_get(this->get(), &counts);
    return counts;
  }
  /** How many races the current execution has: unf_races_here_count(). */
  [[nodiscard]] uint64_t here_count() const noexcept {
    return unf_races_here_count(this->get());
  }
  /** One of them, by its number: unf_races_here(). */
  [[nodiscard]] result<race_here> here(uint64_t number) const {
    return this->template out<race_here>([&](race_here *to) {
      return unf_races_here(this->get(), number, &to->index, &to->accesses);
    });
  }
  /** The events before the accesses of a race, by its number: unf_races_after(). */
  [[nodiscard]] result<race_events> after(uint64_t index) const {
    return this->template out<race_events>([&](race_events *to) {
      return unf_races_after(this->get(), index, &to->first, &to->second);
    });
  }
  /** The races found so far: unf_races_get(). */
  [[nodiscard]] numbered<race, unf_races> found() const noexcept {
    return {this->get(), counts().races, [](const unf_races *of, uint64_t n) {
              race one{};
              throwing::give(unf_races_get(of, n, &one), nullptr);
              return one;
            }};
  }
};

} // namespace unfold

#endif

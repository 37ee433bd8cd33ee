/**
 * @file
 * Fingerprints of states, and tables of cutoffs: fingerprint.h and cutoff.h as classes.
 */
#ifndef UNFOLD_CPP_CUTOFF_HPP
#define UNFOLD_CPP_CUTOFF_HPP

#include <span>
#include <string>
#include <type_traits>
#include <unfold/cpp/base.hpp>
#include <unfold/cpp/ranges.hpp>
#include <unfold/cpp/types.hpp>

namespace unfold {

/** A state or a change of the state (fingerprint.h); the initial state, or no change, at first. */
template <form P> struct basic_fingerprint : unf_fingerprint {
  /** What a function returns that gives a T. */
  template <class T> using result = typename P::template result<T>;

  basic_fingerprint() noexcept : unf_fingerprint(UNF_FINGERPRINT_INIT) {
  }
  /** One of C. */
  basic_fingerprint(const unf_fingerprint &of) noexcept : unf_fingerprint(of) {
  }

  /** unf_fingerprint_toggle(). */
  [[nodiscard]] result<void> toggle(unf_hash with, uint64_t location,
                                    std::span<const std::byte> value) {
    return P::give(unf_fingerprint_toggle(with, this, location, value.data(), value.size()),
                   nullptr);
  }
  /** unf_fingerprint_replace(), for a value that is its bytes. */
  template <class T>
  requires std::has_unique_object_representations_v<T>
  [[nodiscard]] result<void> replace(unf_hash with, uint64_t location, const T &from, const T &to) {
    return P::give(unf_fingerprint_replace(with, this, location, &from, &to, sizeof(T)), nullptr);
  }
  /** unf_fingerprint_count(). */
  [[nodiscard]] result<void> count(unf_hash with, uint64_t location, int64_t amount) {
    return P::give(unf_fingerprint_count(with, this, location, amount), nullptr);
  }
  /** unf_fingerprint_combine(). */
  basic_fingerprint &operator+=(const unf_fingerprint &from) noexcept {
    unf_fingerprint_combine(this, &from);
    return *this;
  }
  /** unf_fingerprint_remove(). */
  basic_fingerprint &operator-=(const unf_fingerprint &what) noexcept {
    unf_fingerprint_remove(this, &what);
    return *this;
  }
  /** unf_fingerprint_equal(). */
  [[nodiscard]] friend bool operator==(const basic_fingerprint &a,
                                       const basic_fingerprint &b) noexcept {
    return unf_fingerprint_equal(&a, &b);
  }
};

/** @cond */
namespace inner {
template <> struct freeing<unf_cutoffs> {
  static void free(unf_cutoffs *it) noexcept {
    unf_cutoffs_free(it);
  }
};
} // namespace inner
/** @endcond */

/** A table of cutoffs (cutoff.h). */
template <form P> class basic_cutoffs : public object_of<P, unf_cutoffs> {
  using base = object_of<P, unf_cutoffs>;

public:
  using base::base;
  /** What a function returns that gives a T. */
  template <class T> using result = typename P::template result<T>;

  /** unf_cutoffs_new(). */
  basic_cutoffs(handle<unf_unfolding> &of, cutoff_order by) requires P::throws
      : basic_cutoffs(make(of, by)) {
  }

  /** unf_cutoffs_new(). */
  [[nodiscard]] static result<basic_cutoffs> make(handle<unf_unfolding> &of, cutoff_order by) {
    return base::template made<basic_cutoffs>(
        of.home(), [&](unf_cutoffs **to) { return unf_cutoffs_new(of.get(), by, to); });
  }

  /** unf_cutoffs_add(). */
  [[nodiscard]] result<cutoff_verdict> add(event e, const unf_fingerprint &change) {
    return this->template out<cutoff_verdict>(
        [&](unf_cutoff_verdict *to) { return unf_cutoffs_add(this->get(), e, &change, to); });
  }
  /** unf_cutoffs_add_under(). */
  [[nodiscard]] result<cutoff_verdict> add_under(event e, const unf_fingerprint &change,
                                                 const unf_fingerprint &condition) {
    return this->template out<cutoff_verdict>([&](unf_cutoff_verdict *to) {
      return unf_cutoffs_add_under(this->get(), e, &change, &condition, to);
    });
  }
  /** unf_cutoffs_verdict(). */
  [[nodiscard]] result<cutoff_verdict> verdict(event e) {
    return this->template out<cutoff_verdict>(
        [&](unf_cutoff_verdict *to) { return unf_cutoffs_verdict(this->get(), e, to); });
  }
  /** unf_cutoffs_state(). */
  [[nodiscard]] result<basic_fingerprint<P>> state(event e) const {
    return this->template out<basic_fingerprint<P>>(
        [&](unf_fingerprint *to) { return unf_cutoffs_state(this->get(), e, to); });
  }
  /** unf_cutoffs_settle(). */
  template <visitor<event> F = everything>
  [[nodiscard]] result<listing<std::vector<event>, F>> settle(F &&f = {}) {
    return this->template list<event>(
        f, [&](auto visit, void *user) { return unf_cutoffs_settle(this->get(), visit, user); });
  }
  /** unf_cutoffs_counts(). */
  [[nodiscard]] cutoff_counts counts() const noexcept {
    cutoff_counts counts{};
    unf_cutoffs_counts(this->get(), &counts);
    return counts;
  }
  /** unf_cutoffs_compare(). */
  [[nodiscard]] result<int> compare(event a, event b) {
    return this->template out<int>(
        [&](int *to) { return unf_cutoffs_compare(this->get(), a, b, to); });
  }
  /** unf_pnml_prefix(): to a sink, or as a string. */
  template <class Out = everything>
  requires sink<Out>
  [[nodiscard]] result<listing<std::string, Out>> pnml(Out &&to = {}) {
    return inner::written<P>(this->witness(), to, [&](unf_write write, void *user) {
      return unf_pnml_prefix(this->get(), nullptr, write, user);
    });
  }
  /** unf_pnml_prefix(), in names of the program: to a sink, or as a string. */
  template <class Out = everything>
  requires sink<Out>
  [[nodiscard]] result<listing<std::string, Out>> pnml(const names &by, Out &&to = {}) {
    return inner::written<P>(this->witness(), to, [&](unf_write write, void *user) {
      return unf_pnml_prefix(this->get(), &by, write, user);
    });
  }
  /** unf_check_cutoffs(). */
  [[nodiscard]] result<void> check() const {
    return this->done([&] { return unf_check_cutoffs(this->get()); });
  }
};

} // namespace unfold

#endif

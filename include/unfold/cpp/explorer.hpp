/**
 * @file
 * Explorers (explore.h, drive.h) as a class.
 */
#ifndef UNFOLD_CPP_EXPLORER_HPP
#define UNFOLD_CPP_EXPLORER_HPP

#include <span>
#include <string>
#include <string_view>
#include <unfold/cpp/base.hpp>
#include <unfold/cpp/cutoff.hpp>
#include <unfold/cpp/distribute.hpp>
#include <unfold/cpp/engine.hpp>
#include <unfold/cpp/ranges.hpp>
#include <unfold/cpp/types.hpp>

namespace unfold {

/** What the next execution must begin with; see unf_explorer_prefix(). */
struct prefix {
  run next;                    /**< the execution; `finished`: there is none */
  std::vector<action> actions; /**< its first actions */
};

/** @cond */
namespace inner {
template <> struct freeing<unf_explorer> {
  static void free(unf_explorer *it) noexcept {
    unf_explorer_free(it);
  }
};
} // namespace inner
/** @endcond */

/** An exploration (explore.h). */
template <form P> class basic_explorer : public object_of<P, unf_explorer> {
  using base = object_of<P, unf_explorer>;

public:
  using base::base;
  /** What a function returns that gives a T. */
  template <class T> using result = typename P::template result<T>;

  /** unf_explorer_new(). */
  explicit basic_explorer(handle<unf_unfolding> &of,
                          const explorer_options &options = {}) requires P::throws
      : basic_explorer(make(of, options)) {
  }

  /** unf_explorer_new(). */
  [[nodiscard]] static result<basic_explorer> make(handle<unf_unfolding> &of,
                                                   const explorer_options &options = {}) {
    return base::template made<basic_explorer>(
        of.home(), [&](unf_explorer **to) { return unf_explorer_new(of.get(), &options, to); });
  }

  /** Goes on with an exploration that was written down: unf_explorer_read(). The bytes come from a
   * stream or a callable. */
  template <source In>
  [[nodiscard]] static result<basic_explorer> read(handle<unf_unfolding> &of, In &&from,
                                                   const explorer_options &options = {}) {
    return base::template made<basic_explorer>(of.home(), [&](unf_explorer **to) {
      return unf_explorer_read(of.get(), &options, inner::read<std::remove_reference_t<In>>,
                               inner::as_user(from), to);
    });
  }
  /** Goes on with an exploration that was written into a string. */
  [[nodiscard]] static result<basic_explorer>
  read(handle<unf_unfolding> &of, std::string_view bytes, const explorer_options &options = {}) {
    return read(of, inner::taking{bytes}, options);
  }
  /** Writes the exploration down, to a sink or as a string of bytes: unf_explorer_write(). */
  template <class Out = everything>
  requires sink<Out>
  [[nodiscard]] result<listing<std::string, Out>> write(Out &&to = {}) const {
    return inner::written<P>(this->witness(), to, [&](unf_write put, void *user) {
      return unf_explorer_write(this->get(), put, user);
    });
  }

  /**
   * Explores everything that is left: unf_explore(). What the engine throws comes out unchanged,
   * and so does a status that it returns, as an error; the next call goes on where that was, with
   * the function that failed.
   */
  template <engine E> [[nodiscard]] result<unfold::counts> explore(E &&engine) {
    using plain = std::remove_reference_t<E>;
    inner::driven<plain, basic_explorer> driven{engine, *this};
    const unf_engine calls = driven.table();
    return this->template out<unfold::counts>(
        [&](unf_counts *to) { return unf_explore(this->get(), &calls, to); });
  }

  /** @name Step by step */
  /** @{ */

  /** unf_explorer_next(). */
  [[nodiscard]] result<run> next() {
    return this->template out<run>([&](unf_run *to) { return unf_explorer_next(this->get(), to); });
  }
  /** unf_explorer_resume(). */
  [[nodiscard]] result<void> resume(uint64_t steps) {
    return this->done([&] { return unf_explorer_resume(this->get(), steps); });
  }
  /** unf_explorer_save(). */
  [[nodiscard]] result<void> save(uint64_t state) {
    return this->done([&] { return unf_explorer_save(this->get(), state); });
  }
  /** unf_explorer_offer(). */
  [[nodiscard]] result<void> offer(thread of, const unfold::operation &what) {
    return this->done([&] { return unf_explorer_offer(this->get(), of, &what); });
  }
  /** unf_explorer_block(). */
  [[nodiscard]] result<void> block(thread which, bool blocked = true) {
    return this->done([&] { return unf_explorer_block(this->get(), which, blocked); });
  }
  /** unf_explorer_step(). */
  [[nodiscard]] result<unfold::step> step() {
    return this->template out<unfold::step>(
        [&](unf_step *to) { return unf_explorer_step(this->get(), to); });
  }
  /** unf_explorer_commit(): the chosen action happened. */
  [[nodiscard]] result<void> commit(uint64_t cookie = 0) {
    return this->done([&] { return unf_explorer_commit(this->get(), nullptr, cookie); });
  }
  /** unf_explorer_commit(): this action happened. */
  [[nodiscard]] result<void> commit(const action &happened, uint64_t cookie = 0) {
    return this->done([&] { return unf_explorer_commit(this->get(), &happened, cookie); });
  }
  /** unf_explorer_changed(). */
  [[nodiscard]] result<void> changed(const unf_fingerprint &change) {
    return this->done([&] { return unf_explorer_changed(this->get(), &change); });
  }
  /** unf_explorer_changed_under(). */
  [[nodiscard]] result<void> changed_under(const unf_fingerprint &change,
                                           const unf_fingerprint &condition) {
    return this->done([&] { return unf_explorer_changed_under(this->get(), &change, &condition); });
  }
  /** unf_explorer_finish(). */
  [[nodiscard]] result<verdict> finish(bool error = false) {
    return this->template out<verdict>(
        [&](unf_verdict *to) { return unf_explorer_finish(this->get(), error, to); });
  }
  /** unf_explorer_abandon(). */
  void abandon() noexcept {
    unf_explorer_abandon(this->get());
  }
  /** @} */

  /** @name Whole executions */
  /** @{ */

  /** unf_explorer_prefix(), with its actions. */
  [[nodiscard]] result<unfold::prefix> prefix() {
    unfold::prefix all{};
    auto push = [&all](const action &one) { all.actions.push_back(one); };
    const unf_status said = inner::guarded([&] {
      all.actions.clear();
      return unf_explorer_prefix(this->get(), inner::visit_pointer<decltype(push), action>,
                                 inner::as_user(push), &all.next);
    });
    return P::give(said, this->witness(), std::move(all));
  }
  /** unf_explorer_prefix(), with a visitor for its actions. */
  template <visitor<const action &> F>
  requires(!std::same_as<std::remove_cvref_t<F>, everything>)
      [[nodiscard]] result<run> prefix(F &&f) {
    return this->template out<run>([&](unf_run *to) {
      return unf_explorer_prefix(this->get(),
                                 inner::visit_pointer<std::remove_reference_t<F>, action>,
                                 inner::as_user(f), to);
    });
  }
  /** unf_explorer_feed(). */
  [[nodiscard]] result<verdict> feed(std::span<const traced> trace, std::span<const pending> ends,
                                     bool error = false) {
    return this->template out<verdict>([&](unf_verdict *to) {
      return unf_explorer_feed(this->get(), trace.data(), trace.size(), ends.data(), ends.size(),
                               error, to);
    });
  }
  /** @} */

  /** @name As a worker */
  /** @{ */

  /** unf_explorer_begin_item(). */
  [[nodiscard]] result<void> begin_item(std::string_view bytes) {
    inner::taking from{bytes};
    return this->done([&] {
      return unf_explorer_begin_item(this->get(), inner::read<inner::taking>, inner::as_user(from));
    });
  }
  /** unf_explorer_report(). */
  [[nodiscard]] result<unfold::report> report(bool split = false) {
    unfold::report out{};
    out.what.size = sizeof out.what;
    const unf_status said = inner::guarded([&] {
      return unf_explorer_report(this->get(), split, inner::write<std::string>, &out.bytes,
                                 &out.what);
    });
    return P::give(said, this->witness(), std::move(out));
  }
  /** @} */

  /** @name What is known */
  /** @{ */

  /** unf_explorer_counts(). */
  [[nodiscard]] unfold::counts counts() const noexcept {
    unfold::counts counts{};
    unf_explorer_counts(this->get(), &counts);
    return counts;
  }
  /** unf_explorer_estimate(). */
  [[nodiscard]] unfold::estimate estimate() const noexcept {
    unfold::estimate estimate{};
    unf_explorer_estimate(this->get(), &estimate);
    return estimate;
  }
  /** unf_explorer_sampling(). */
  [[nodiscard]] result<unfold::sampling> sampling() const {
    return this->template out<unfold::sampling>(
        [&](unf_sampling *to) { return unf_explorer_sampling(this->get(), to); });
  }
  /** unf_explorer_cutoffs(): to be read only; none without cutoffs. */
  [[nodiscard]] borrowed<basic_cutoffs<P>> cutoffs() noexcept {
    return {unf_explorer_cutoffs(this->get()), this->home()};
  }
  /** unf_explorer_configuration(): copies it. */
  [[nodiscard]] result<void> configuration(handle<unf_configuration> &to) {
    return this->done([&] { return unf_explorer_configuration(this->get(), to.get()); });
  }
  /** The events of the current execution, or else of the last one: unf_explorer_path(). */
  template <visitor<event> F = everything> listing<std::vector<event>, F> path(F &&f = {}) const {
    if constexpr (std::same_as<std::remove_cvref_t<F>, everything>) {
      std::vector<event> all;
      path([&all](event one) { all.push_back(one); });
      return all;
    } else {
      static_cast<void>(inner::guarded([&] {
        unf_explorer_path(this->get(), inner::visit<std::remove_reference_t<F>, event>,
                          inner::as_user(f));
        return UNF_OK;
      }));
    }
  }
  /** Steps that are decided at a leaf, while the next one is chosen: unf_explorer_leaf_steps(). */
  template <visitor<event> F = everything>
  listing<std::vector<event>, F> leaf_steps(uint64_t index, F &&f = {}) const {
    if constexpr (std::same_as<std::remove_cvref_t<F>, everything>) {
      std::vector<event> all;
      leaf_steps(index, [&all](event one) { all.push_back(one); });
      return all;
    } else {
      static_cast<void>(inner::guarded([&] {
        unf_explorer_leaf_steps(this->get(), index, inner::visit<std::remove_reference_t<F>, event>,
                                inner::as_user(f));
        return UNF_OK;
      }));
    }
  }
  /** unf_explorer_operation(). */
  [[nodiscard]] result<unfold::operation> operation(thread of) {
    return this->template out<unfold::operation>(
        [&](unf_operation *to) { return unf_explorer_operation(this->get(), of, to); });
  }
  /** unf_explorer_asleep(). */
  template <visitor<event> F = everything>
  [[nodiscard]] result<listing<std::vector<event>, F>> asleep(F &&f = {}) {
    return this->template list<event>(
        f, [&](auto visit, void *user) { return unf_explorer_asleep(this->get(), visit, user); });
  }
  /** unf_explorer_last(). */
  [[nodiscard]] event last() const noexcept {
    return unf_explorer_last(this->get());
  }
  /** unf_check_explorer(). */
  [[nodiscard]] result<void> check() const {
    return this->done([&] { return unf_check_explorer(this->get()); });
  }
  /** @} */
};

} // namespace unfold

#endif

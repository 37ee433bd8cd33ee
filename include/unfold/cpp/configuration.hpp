/**
 * @file
 * Configurations, their extensions, and alternatives: configuration.h, extension.h, alternative.h
 * as classes.
 */
#ifndef UNFOLD_CPP_CONFIGURATION_HPP
#define UNFOLD_CPP_CONFIGURATION_HPP

#include <optional>
#include <span>
#include <string>
#include <unfold/cpp/base.hpp>
#include <unfold/cpp/ranges.hpp>
#include <unfold/cpp/types.hpp>
#include <unfold/cpp/unfolding.hpp>

namespace unfold {

/** @cond */
namespace inner {
template <> struct freeing<unf_configuration> {
  static void free(unf_configuration *it) noexcept {
    unf_configuration_free(it);
  }
};
} // namespace inner
/** @endcond */

/** A linearisation with few switches; see unf_switches. */
struct few_switches {
  switches counts;           /**< how many, and how many at least */
  std::vector<event> events; /**< the linearisation */
};

/** A configuration (configuration.h, extension.h). */
template <form P> class basic_configuration : public object_of<P, unf_configuration> {
  using base = object_of<P, unf_configuration>;

public:
  using base::base;
  /** What a function returns that gives a T. */
  template <class T> using result = typename P::template result<T>;

  /** unf_configuration_new(). */
  explicit basic_configuration(handle<unf_unfolding> &of) requires P::throws
      : basic_configuration(make(of)) {
  }

  /** unf_configuration_new(). */
  [[nodiscard]] static result<basic_configuration> make(handle<unf_unfolding> &of) {
    return base::template made<basic_configuration>(
        of.home(), [&](unf_configuration **to) { return unf_configuration_new(of.get(), to); });
  }

  /** @name What is done with it */
  /** @{ */

  /** unf_configuration_assign(). */
  [[nodiscard]] result<void> assign(const handle<unf_configuration> &from) {
    return this->done([&] { return unf_configuration_assign(this->get(), from.get()); });
  }
  /** unf_configuration_clear(). */
  void clear() noexcept {
    unf_configuration_clear(this->get());
  }
  /** unf_configuration_offer(). */
  [[nodiscard]] result<void> offer(thread of, const operation &what) {
    return this->done([&] { return unf_configuration_offer(this->get(), of, &what); });
  }
  /** unf_configuration_perform(). */
  event perform(const action &what) requires P::throws {
    return performed(what);
  }
  /** unf_configuration_perform(). */
  [[nodiscard]] result<event> perform(const action &what) requires(!P::throws) {
    return performed(what);
  }
  /** unf_configuration_extend(). */
  [[nodiscard]] result<void> extend(event by) {
    return this->done([&] { return unf_configuration_extend(this->get(), by); });
  }
  /** unf_configuration_add(). */
  [[nodiscard]] result<void> add(event with_its_causes) {
    return this->done([&] { return unf_configuration_add(this->get(), with_its_causes); });
  }
  /** unf_configuration_unite(). */
  [[nodiscard]] result<void> unite(const handle<unf_configuration> &from) {
    return this->done([&] { return unf_configuration_unite(this->get(), from.get()); });
  }
  /** @} */

  /** @name What it is */
  /** @{ */

  /** unf_configuration_size(). */
  [[nodiscard]] uint32_t size() const noexcept {
    return unf_configuration_size(this->get());
  }
  /** unf_configuration_contains(). */
  [[nodiscard]] result<bool> contains(event e) const {
    return this->template out<bool>(
        [&](bool *to) { return unf_configuration_contains(this->get(), e, to); });
  }
  /** unf_configuration_equal(). */
  [[nodiscard]] result<bool> equal(const handle<unf_configuration> &other) const {
    return this->template out<bool>(
        [&](bool *to) { return unf_configuration_equal(this->get(), other.get(), to); });
  }
  /** unf_configuration_extends(). */
  [[nodiscard]] result<bool> extends(event e) const {
    return this->template out<bool>(
        [&](bool *to) { return unf_configuration_extends(this->get(), e, to); });
  }
  /** unf_configuration_conflicts(). */
  [[nodiscard]] result<bool> conflicts(event e) const {
    return this->template out<bool>(
        [&](bool *to) { return unf_configuration_conflicts(this->get(), e, to); });
  }
  /** unf_configuration_conflicts_immediately(). */
  [[nodiscard]] result<bool> conflicts_immediately(event e) const {
    return this->template out<bool>(
        [&](bool *to) { return unf_configuration_conflicts_immediately(this->get(), e, to); });
  }
  /** unf_configuration_concurrent(). */
  [[nodiscard]] result<bool> concurrent(event e) const {
    return this->template out<bool>(
        [&](bool *to) { return unf_configuration_concurrent(this->get(), e, to); });
  }
  /** unf_configuration_last(). */
  [[nodiscard]] result<event> last(thread of) const {
    return this->template out<event>(
        [&](unf_event *to) { return unf_configuration_last(this->get(), of, to); });
  }
  /** unf_configuration_owner(). */
  [[nodiscard]] result<thread> owner_of(object_name mutex) const {
    return this->template out<thread>(
        [&](unf_thread *to) { return unf_configuration_owner(this->get(), mutex, to); });
  }
  /** unf_configuration_value(). */
  [[nodiscard]] result<int64_t> value(object_name location) const {
    return this->template out<int64_t>(
        [&](int64_t *to) { return unf_configuration_value(this->get(), location, to); });
  }
  /** unf_configuration_consistent(). */
  [[nodiscard]] result<answer> consistent() const {
    return this->template out<answer>(
        [&](unf_answer *to) { return unf_configuration_consistent(this->get(), to); });
  }
  /** unf_configuration_next(). */
  [[nodiscard]] result<operation> next(thread of) const {
    return this->template out<operation>(
        [&](unf_operation *to) { return unf_configuration_next(this->get(), of, to); });
  }
  /** unf_configuration_blocked(), without the events that block. */
  [[nodiscard]] result<bool> blocked(thread of) {
    return this->template out<bool>(
        [&](bool *to) { return unf_configuration_blocked(this->get(), of, to, nullptr, nullptr); });
  }
  /** unf_configuration_blocked(), with the events that block. */
  template <visitor<event> F>
  requires(!std::same_as<std::remove_cvref_t<F>, everything>)
      [[nodiscard]] result<bool> blocked(thread of, F &&f) {
    return this->template out<bool>([&](bool *to) {
      return unf_configuration_blocked(
          this->get(), of, to, inner::visit<std::remove_reference_t<F>, event>, inner::as_user(f));
    });
  }
  /** @} */

  /** @name Its events */
  /** @{ */

  /** unf_configuration_maximal(). */
  template <visitor<event> F = everything>
  [[nodiscard]] result<listing<std::vector<event>, F>> maximal(F &&f = {}) const {
    return this->template list<event>(f, [&](auto visit, void *user) {
      return unf_configuration_maximal(this->get(), visit, user);
    });
  }
  /** All of them, in a linearisation: unf_configuration_linearize(). */
  template <visitor<event> F = everything>
  [[nodiscard]] result<listing<std::vector<event>, F>> events(F &&f = {}) const {
    return this->template list<event>(f, [&](auto visit, void *user) {
      return unf_configuration_linearize(this->get(), visit, user);
    });
  }
  /** With few switches, after at most so many elementary steps:
   * unf_configuration_fewest_switches().
   */
  [[nodiscard]] result<few_switches> fewest_switches(uint64_t steps = UINT64_MAX) const {
    few_switches all{};
    auto push = [&all](event one) { all.events.push_back(one); };
    const unf_status said = inner::guarded([&] {
      return unf_configuration_fewest_switches(this->get(), steps,
                                               inner::visit<decltype(push), event>,
                                               inner::as_user(push), &all.counts);
    });
    return P::give(said, this->witness(), std::move(all));
  }
  /** @} */

  /** @name Extensions */
  /** @{ */

  /** unf_configuration_actions(). */
  template <visitor<const action &> F = everything>
  [[nodiscard]] result<listing<std::vector<action>, F>> actions(F &&f = {}) const {
    return this->template list_pointers<action>(f, [&](auto visit, void *user) {
      return unf_configuration_actions(this->get(), visit, user);
    });
  }
  /** en(C): unf_extensions_enabled(). */
  template <visitor<event> F = everything>
  [[nodiscard]] result<listing<std::vector<event>, F>> enabled(F &&f = {}) {
    return this->template list<event>(f, [&](auto visit, void *user) {
      return unf_extensions_enabled(this->get(), visit, user);
    });
  }
  /** cex(C): unf_extensions_conflicting(). */
  template <visitor<event> F = everything>
  [[nodiscard]] result<listing<std::vector<event>, F>> conflicting(F &&f = {}) {
    return this->template list<event>(f, [&](auto visit, void *user) {
      return unf_extensions_conflicting(this->get(), visit, user);
    });
  }
  /** ex(C): unf_extensions_all(). */
  template <visitor<event> F = everything>
  [[nodiscard]] result<listing<std::vector<event>, F>> extensions(F &&f = {}) {
    return this->template list<event>(
        f, [&](auto visit, void *user) { return unf_extensions_all(this->get(), visit, user); });
  }
  /** @} */

  /** @name Output and checks */
  /** @{ */

  /** unf_dot_configuration(): to a sink, or as a string. */
  template <class Out = everything>
  requires sink<Out>
  [[nodiscard]] result<listing<std::string, Out>> dot(Out &&to = {}) const {
    return inner::written<P>(this->witness(), to, [&](unf_write write, void *user) {
      return unf_dot_configuration(this->get(), write, user);
    });
  }
  /** unf_dot_configuration_named(): to a sink, or as a string. */
  template <class Out = everything>
  requires sink<Out>
  [[nodiscard]] result<listing<std::string, Out>> dot(const names &by, Out &&to = {}) const {
    return inner::written<P>(this->witness(), to, [&](unf_write write, void *user) {
      return unf_dot_configuration_named(this->get(), &by, write, user);
    });
  }
  /** unf_json_configuration(): to a sink, or as a string. */
  template <class Out = everything>
  requires sink<Out>
  [[nodiscard]] result<listing<std::string, Out>> json(Out &&to = {}) const {
    return inner::written<P>(this->witness(), to, [&](unf_write write, void *user) {
      return unf_json_configuration(this->get(), write, user);
    });
  }
  /** unf_check_configuration(). */
  [[nodiscard]] result<void> check() const {
    return this->done([&] { return unf_check_configuration(this->get()); });
  }
  /** unf_check_independence(). */
  [[nodiscard]] result<void> check_independence() const {
    return this->done([&] { return unf_check_independence(this->get()); });
  }
  /** @} */

private:
  result<event> performed(const action &what) {
    return this->template out<event>(
        [&](unf_event *to) { return unf_configuration_perform(this->get(), &what, to); });
  }
};

/** unf_alternative_find(): the alternative to D after C with events of U, if there is one. The cost
 * is added to *statistics unless it is NULL. */
template <form P>
[[nodiscard]] typename P::template result<std::optional<basic_configuration<P>>>
find_alternative(basic_unfolding<P> &unfolding, std::span<const event> U,
                 const handle<unf_configuration> &C, std::span<const event> D,
                 const alternative_options &options = {},
                 alternative_statistics *statistics = nullptr) {
  using found_type = std::optional<basic_configuration<P>>;
  unf_configuration *J = nullptr;
  unf_status said = unf_configuration_new(unfolding.get(), &J);
  basic_configuration<P> alternative(J, unfolding.home());
  bool found = false;
  if (said == UNF_OK)
    said = inner::guarded([&] {
      return unf_alternative_find(unfolding.get(), U.data(), static_cast<uint32_t>(U.size()),
                                  C.get(), D.data(), static_cast<uint32_t>(D.size()), &options,
                                  &found, alternative.get(), statistics);
    });
  return P::give(said, unfolding.home(), found ? found_type(std::move(alternative)) : found_type());
}

} // namespace unfold

#endif

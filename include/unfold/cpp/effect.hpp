/**
 * @file
 * Effect families as classes (effect.h; doc/writing-a-family.md says what one must guarantee).
 *
 *     struct mailboxes {
 *       const char *name() const { return "mailbox"; }
 *       void uses(const unfold::action &action, unfold::uses &use) const { use(action.target); }
 *       void outcomes(const unfold::view &view, unfold::thread thread,
 *                     const unfold::operation &operation, unfold::outcomes &can_have) const;
 *     };
 */
#ifndef UNFOLD_CPP_EFFECT_HPP
#define UNFOLD_CPP_EFFECT_HPP

#include <concepts>
#include <string_view>
#include <unfold/cpp/base.hpp>
#include <unfold/cpp/ranges.hpp>
#include <unfold/cpp/types.hpp>
#include <unfold/cpp/unfolding.hpp>

namespace unfold {

/** What happened to objects before an operation (unf_view); valid during the call that has it. */
class view {
public:
  /** One of C. */
  explicit view(const unf_view *it) noexcept : it_(it) {
  }

  /** The one of C. */
  [[nodiscard]] const unf_view *get() const noexcept {
    return it_;
  }
  /** The events that used an object, in an order in which they can have happened:
   * unf_view_history(). */
  template <visitor<event> F = everything>
  listing<std::vector<event>, F> history(object_name object, F &&f = {}) const {
    if constexpr (std::same_as<std::remove_cvref_t<F>, everything>) {
      std::vector<event> all;
      history(object, [&all](event one) { all.push_back(one); });
      return all;
    } else {
      give(inner::guarded([&] {
        return unf_view_history(it_, object, inner::visit<std::remove_reference_t<F>, event>,
                                inner::as_user(f));
      }));
    }
  }
  /** The events that used a part of an object: unf_view_part_history(). */
  template <visitor<event> F = everything>
  listing<std::vector<event>, F> history(object_name object, uint64_t part, F &&f = {}) const {
    if constexpr (std::same_as<std::remove_cvref_t<F>, everything>) {
      std::vector<event> all;
      history(object, part, [&all](event one) { all.push_back(one); });
      return all;
    } else {
      give(inner::guarded([&] {
        return unf_view_part_history(
            it_, object, part, inner::visit<std::remove_reference_t<F>, event>, inner::as_user(f));
      }));
    }
  }
  /** The last event that wrote an object, or ⊥: unf_view_last_write(). */
  [[nodiscard]] event last_write(object_name object) const {
    event last = UNF_EVENT_BOTTOM;
    give(unf_view_last_write(it_, object, &last));
    return last;
  }
  /** The last event that wrote a part of an object, or ⊥: unf_view_part_last_write(). */
  [[nodiscard]] event last_write(object_name object, uint64_t part) const {
    event last = UNF_EVENT_BOTTOM;
    give(unf_view_part_last_write(it_, object, part, &last));
    return last;
  }
  /** Throws the error that a family of this number refuses something, and why:
   * unf_effect_refuse(). */
  [[noreturn]] void refuse(uint32_t family, const char *why) const {
    throw error(unf_effect_refuse(unfolding(), family, why), unf_unfolding_context(unfolding()));
  }
  /** The unfolding of C, which is not to be changed now: unf_view_unfolding(). */
  [[nodiscard]] const unf_unfolding *unfolding() const noexcept {
    return unf_view_unfolding(it_);
  }
  /** The action of an event of it: unf_event_action(). */
  [[nodiscard]] unfold::action action(event of) const {
    unfold::action action{};
    give(unf_event_action(unfolding(), of, &action));
    return action;
  }

private:
  void give(unf_status said) const {
    throwing::give(said, unf_unfolding_context(unfolding()));
  }
  const unf_view *it_;
};

/** Takes the objects that an action uses, each once. */
class uses {
public:
  /** One of C. */
  uses(unf_use_visitor visit, void *visitor) noexcept : visit_(visit), visitor_(visitor) {
  }

  /** An object, and how it is used. After a failure nothing more is taken. */
  void operator()(object_name object, mode how = UNF_MODE_WRITE) noexcept {
    if (status_ == UNF_OK) status_ = visit_(visitor_, object, how);
  }
  /** A part of an object, and how it is used: unf_use_part(). */
  void part(object_name object, uint64_t number, mode how = UNF_MODE_WRITE) noexcept {
    if (status_ == UNF_OK) status_ = unf_use_part(visitor_, object, number, how);
  }
  /** What the library said. */
  [[nodiscard]] unf_status status() const noexcept {
    return status_;
  }

private:
  unf_use_visitor visit_;
  void *visitor_;
  unf_status status_ = UNF_OK;
};

/** Takes the values of the actions that an operation can have. */
class outcomes {
public:
  /** Those of an operation of a thread. */
  outcomes(thread of, const operation &what, unf_action_visitor visit, void *visitor) noexcept
      : action_{UNF_DID_CUSTOM, of, what.target, what.second, 0}, visit_(visit), visitor_(visitor) {
  }

  /** An action, by its value. False: no other is asked for. */
  bool operator()(int64_t value) noexcept {
    action_.value = value;
    if (more_) more_ = visit_(visitor_, &action_);
    return more_;
  }

private:
  unfold::action action_;
  unf_action_visitor visit_;
  void *visitor_;
  bool more_ = true;
};

/** Takes events that together keep an operation from an outcome; see unf_effect.hinders. */
class hindrances {
public:
  /** One of C. */
  hindrances(unf_event_visitor visit, void *visitor) noexcept : visit_(visit), visitor_(visitor) {
  }

  /** One of the events. False: no other is asked for. */
  bool operator()(event one) noexcept {
    if (more_) more_ = visit_(visitor_, one);
    return more_;
  }

private:
  unf_event_visitor visit_;
  void *visitor_;
  bool more_ = true;
};

/** What a family has: see unf_effect. Where it has `concerns(operation, uses)`, that says which
 * objects an operation may use; else it uses its target alone. `hinders(view, thread, operation,
 * hindrances)` says which events together keep an operation from an outcome, and `label(action)`
 * returns text for people about what came of one. */
template <class F>
concept effect_family = requires(F &family, const action &a, const operation &o, uses &use,
                                 const view &before, thread t, outcomes &can_have) {
  { family.name() } -> std::convertible_to<const char *>;
  family.uses(a, use);
  family.outcomes(before, t, o, can_have);
};

/** @cond */
namespace inner {

template <class F>
concept has_concerns = requires(F &family, const operation &o, uses &use) {
  family.concerns(o, use);
};

template <class F>
concept has_hinders = requires(F &family, const view &before, thread t, const operation &o,
                               hindrances &in_the_way) {
  family.hinders(before, t, o, in_the_way);
};

template <class F>
concept has_label = requires(F &family, const action &a) {
  std::string_view(family.label(a));
};

template <class F> struct family_calls {
  static void label(void *user, const unf_action *action, char *buffer, size_t size) noexcept {
    try {
      write_name(of_user<F>(user).label(*action), buffer, size);
    } catch (...) {
      park();
    }
  }
  static unf_status hinders(void *user, const unf_view *before, unf_thread thread,
                            const unf_operation *operation, unf_event_visitor visit,
                            void *visitor) noexcept {
    try {
      hindrances in_the_way(visit, visitor);
      of_user<F>(user).hinders(view(before), thread, *operation, in_the_way);
      return UNF_OK;
    } catch (...) {
      return park();
    }
  }
  static unf_status uses(void *user, const unf_action *action, unf_use_visitor visit,
                         void *visitor) noexcept {
    try {
      unfold::uses use(visit, visitor);
      of_user<F>(user).uses(*action, use);
      return use.status();
    } catch (...) {
      return park();
    }
  }
  static unf_status outcomes(void *user, const unf_view *before, unf_thread thread,
                             const unf_operation *operation, unf_action_visitor visit,
                             void *visitor) noexcept {
    try {
      unfold::outcomes can_have(thread, *operation, visit, visitor);
      of_user<F>(user).outcomes(view(before), thread, *operation, can_have);
      return UNF_OK;
    } catch (...) {
      return park();
    }
  }
  static unf_status concerns(void *user, const unf_operation *operation, unf_use_visitor visit,
                             void *visitor) noexcept {
    try {
      unfold::uses use(visit, visitor);
      of_user<F>(user).concerns(*operation, use);
      return use.status();
    } catch (...) {
      return park();
    }
  }
};

} // namespace inner
/** @endcond */

/** unf_effect_register(): the number of the family. It must live as long as the unfolding. What its
 * functions throw ends the call that asked them, and comes out of it; that call can be made
 * again. */
template <form P, effect_family F>
[[nodiscard]] typename P::template result<uint32_t> register_effect(basic_unfolding<P> &unfolding,
                                                                    F &family) {
  static_assert(
      inner::has_concerns<F> || !requires { &F::concerns; },
      "concerns() takes an operation and unfold::uses &");
  static_assert(
      inner::has_hinders<F> || !requires { &F::hinders; },
      "hinders() takes a view, a thread, an operation and unfold::hindrances &");
  static_assert(
      inner::has_label<F> || !requires { &F::label; }, "text label(const unfold::action &)");
  using calls = inner::family_calls<F>;
  unf_effect effect{};
  effect.size = sizeof effect;
  effect.name = family.name();
  effect.user = inner::as_user(family);
  effect.uses = calls::uses;
  effect.outcomes = calls::outcomes;
  if constexpr (inner::has_concerns<F>) effect.concerns = calls::concerns;
  if constexpr (inner::has_hinders<F>) effect.hinders = calls::hinders;
  if constexpr (inner::has_label<F>) effect.label = calls::label;
  uint32_t number = 0;
  const unf_status said =
      inner::guarded([&] { return unf_effect_register(unfolding.get(), &effect, &number); });
  return P::give(said, unfolding.home(), std::move(number));
}
template <form P, effect_family F>
void register_effect(basic_unfolding<P> &unfolding, const F &&family) = delete;

} // namespace unfold

#endif

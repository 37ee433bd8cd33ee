/**
 * @file
 * Engines (drive.h) as classes: a program that can be run step by step.
 *
 *     struct machine {
 *       void restart();                                   // to its beginning
 *       unfold::operation next(unfold::thread thread);    // what is it about to do?
 *       void perform(const unfold::step &step);           // do it
 *     };
 *
 * `restart` may take an unfold::run, and `perform` an unfold::performed & as well. An engine can
 * have more, each with the meaning of its namesake in unf_engine:
 *
 *     uint64_t restore(const unfold::run &run);           // steps that need not be performed
 *     uint64_t save(uint64_t steps);                      // a name for the state, or 0
 *     unfold::fingerprint changed();                      // required with cutoffs
 *     unfold::fingerprint condition();                    // and with consistency as well
 *     void blocked(unfold::explorer &explorer);
 *     void ended(const unfold::verdict &verdict);         // may take the explorer as well
 *     void progress(unfold::explorer &explorer);          // or nothing
 *
 * Each may throw: that ends the exploration, which goes on with the same call when it is continued.
 * Those that are void may also return a status, with which the exploration ends unless it is
 * UNF_OK.
 */
#ifndef UNFOLD_CPP_ENGINE_HPP
#define UNFOLD_CPP_ENGINE_HPP

#include <concepts>
#include <type_traits>
#include <unfold/cpp/base.hpp>
#include <unfold/cpp/types.hpp>

namespace unfold {

/** @cond */
namespace inner {

/* What a function of an engine may return that gives no value. */
template <class T>
concept nothing = std::is_void_v<T> || std::same_as<T, unf_status>;

template <class E>
concept restarts = requires(E &engine) {
  { engine.restart() } -> nothing;
}
|| requires(E &engine, const run &next) {
  { engine.restart(next) } -> nothing;
};
template <class E>
concept performs = requires(E &engine, const step &chosen) {
  { engine.perform(chosen) } -> nothing;
}
|| requires(E &engine, const step &chosen, performed &done) {
  { engine.perform(chosen, done) } -> nothing;
};
template <class E>
concept restores = requires(E &engine, const run &next) {
  { engine.restore(next) } -> std::convertible_to<uint64_t>;
};
template <class E>
concept saves = requires(E &engine, uint64_t steps) {
  { engine.save(steps) } -> std::convertible_to<uint64_t>;
};
template <class E>
concept changes = requires(E &engine) {
  { engine.changed() } -> std::convertible_to<unf_fingerprint>;
};
template <class E>
concept has_condition = requires(E &engine) {
  { engine.condition() } -> std::convertible_to<unf_fingerprint>;
};
template <class E, class X>
concept blocks = requires(E &engine, X &explorer) {
  { engine.blocked(explorer) } -> nothing;
};
template <class E>
concept ends_alone = requires(E &engine, const verdict &came_to) {
  { engine.ended(came_to) } -> nothing;
};
template <class E, class X>
concept ends_with = requires(E &engine, const verdict &came_to, X &explorer) {
  { engine.ended(came_to, explorer) } -> nothing;
};
template <class E, class X>
concept ends = ends_alone<E> || ends_with<E, X>;
template <class E>
concept progresses_alone = requires(E &engine) {
  { engine.progress() } -> nothing;
};
template <class E, class X>
concept progresses_with = requires(E &engine, X &explorer) {
  { engine.progress(explorer) } -> nothing;
};
template <class E, class X>
concept progresses = progresses_alone<E> || progresses_with<E, X>;

/* The status of a function of an engine. */
template <class F> unf_status answered(const F &call) noexcept {
  try {
    if constexpr (std::same_as<std::invoke_result_t<F &>, unf_status>) {
      return call();
    } else {
      call();
      return UNF_OK;
    }
  } catch (...) {
    return park();
  }
}

/* An engine and the explorer that drives it; the functions are those of unf_engine. */
template <class E, class X> struct driven {
  E &engine;
  X &explorer;

  static driven &of(void *user) noexcept {
    return *static_cast<driven *>(user);
  }
  static unf_status restart(void *user, const unf_run *next) noexcept {
    E &engine = of(user).engine;
    return answered([&] {
      if constexpr (requires { engine.restart(*next); })
        return engine.restart(*next);
      else
        return engine.restart();
    });
  }
  static unf_status next(void *user, unf_thread thread, unf_operation *operation) noexcept {
    E &engine = of(user).engine;
    return answered([&] { *operation = engine.next(thread); });
  }
  static unf_status perform(void *user, const unf_step *chosen, unf_performed *done) noexcept {
    E &engine = of(user).engine;
    return answered([&] {
      if constexpr (requires { engine.perform(*chosen, *done); })
        return engine.perform(*chosen, *done);
      else
        return engine.perform(*chosen);
    });
  }
  static unf_status restore(void *user, const unf_run *next, uint64_t *steps) noexcept {
    E &engine = of(user).engine;
    return answered([&] { *steps = engine.restore(*next); });
  }
  static unf_status save(void *user, uint64_t steps, uint64_t *state) noexcept {
    E &engine = of(user).engine;
    return answered([&] { *state = engine.save(steps); });
  }
  static unf_status changed(void *user, unf_fingerprint *change) noexcept {
    E &engine = of(user).engine;
    return answered([&] { *change = engine.changed(); });
  }
  static unf_status condition(void *user, unf_fingerprint *condition) noexcept {
    E &engine = of(user).engine;
    return answered([&] { *condition = engine.condition(); });
  }
  static unf_status blocked(void *user, unf_explorer *) noexcept {
    driven &d = of(user);
    return answered([&] { return d.engine.blocked(d.explorer); });
  }
  static unf_status ended(void *user, const unf_verdict *came_to, unf_explorer *) noexcept {
    driven &d = of(user);
    return answered([&] {
      if constexpr (ends_with<E, X>)
        return d.engine.ended(*came_to, d.explorer);
      else
        return d.engine.ended(*came_to);
    });
  }
  static unf_status progress(void *user, unf_explorer *) noexcept {
    driven &d = of(user);
    return answered([&] {
      if constexpr (progresses_with<E, X>)
        return d.engine.progress(d.explorer);
      else
        return d.engine.progress();
    });
  }

  /* A function of a known name with another signature would be left out in silence. */
  static constexpr void check() noexcept {
    static_assert(
        restores<E> || !requires { &E::restore; }, "uint64_t restore(const run &)");
    static_assert(
        saves<E> || !requires { &E::save; }, "uint64_t save(uint64_t steps)");
    static_assert(restores<E> || !saves<E>, "save() needs restore()");
    static_assert(
        changes<E> || !requires { &E::changed; }, "fingerprint changed()");
    static_assert(
        has_condition<E> || !requires { &E::condition; }, "fingerprint condition()");
    static_assert(
        blocks<E, X> || !requires { &E::blocked; }, "void blocked(explorer &)");
    static_assert(
        ends<E, X> || !requires { &E::ended; },
        "void ended(const verdict &), or with explorer & as well");
    static_assert(
        progresses<E, X> || !requires { &E::progress; }, "void progress(), or with explorer &");
  }

  [[nodiscard]] unf_engine table() noexcept {
    check();
    unf_engine calls = UNF_ENGINE_INIT;
    calls.user = this;
    calls.restart = restart;
    calls.next = next;
    calls.perform = perform;
    if constexpr (restores<E>) calls.restore = restore;
    if constexpr (saves<E>) calls.save = save;
    if constexpr (changes<E>) calls.changed = changed;
    if constexpr (has_condition<E>) calls.condition = condition;
    if constexpr (blocks<E, X>) calls.blocked = blocked;
    if constexpr (ends<E, X>) calls.ended = ended;
    if constexpr (progresses<E, X>) calls.progress = progress;
    return calls;
  }
};

} // namespace inner
/** @endcond */

/** A program that can be run step by step; the head of engine.hpp lists what it can have. */
template <class E>
concept engine = inner::restarts<E> && inner::performs<E> && requires(E &it, thread t) {
  { it.next(t) } -> std::convertible_to<operation>;
};

} // namespace unfold

#endif

/**
 * @file
 * Contexts and unfoldings: context.h, thread.h, action.h and event.h as classes. Each function is
 * one of C, which its comment names; what that requires, costs and can answer is said there.
 */
#ifndef UNFOLD_CPP_UNFOLDING_HPP
#define UNFOLD_CPP_UNFOLDING_HPP

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <unfold/cpp/base.hpp>
#include <unfold/cpp/ranges.hpp>
#include <unfold/cpp/types.hpp>

namespace unfold {

/** A context (context.h). */
template <form P> class basic_context : public object_of<P, unf_context> {
  using base = object_of<P, unf_context>;

public:
  /** What a function returns that gives a T. */
  template <class T> using result = typename P::template result<T>;

  /** Owns a context that unf_context_new() made. */
  explicit basic_context(unf_context *it) noexcept : base(it, it) {
  }
  /** Owns a context; `same` is the context again. */
  basic_context(unf_context *it, unf_context *same) noexcept : base(it, same) {
  }
  /** unf_context_new(). */
  explicit basic_context(const context_options &options = {}) requires P::throws
      : basic_context(make(options)) {
  }

  /** unf_context_new(). */
  [[nodiscard]] static result<basic_context> make(const context_options &options = {}) {
    unf_context *it = nullptr;
    const unf_status said = unf_context_new(&options, &it);
    return P::give(said, nullptr, basic_context(it));
  }

  /** unf_context_detail(). */
  [[nodiscard]] const unfold::detail &detail() const noexcept {
    return *unf_context_detail(this->get());
  }
  /** unf_context_left(). */
  [[nodiscard]] result<unfold::left> left() {
    return this->template out<unfold::left>(
        [&](unf_left *to) { return unf_context_left(this->get(), to); });
  }
  /** unf_context_set_limits(). */
  [[nodiscard]] result<void> set_limits(const unfold::limits &to) {
    return this->done([&] { return unf_context_set_limits(this->get(), &to); });
  }
  /** unf_context_interrupt(): the only function that another thread or a signal handler may
   * call. */
  void interrupt() noexcept {
    unf_context_interrupt(this->get());
  }
  /** unf_context_bytes(). */
  [[nodiscard]] uint64_t bytes() const noexcept {
    return unf_context_bytes(this->get());
  }
};

/** Parent and index of a thread; see unf_thread_describe(). */
struct thread_description {
  thread parent;  /**< UNF_THREAD_NONE for a child of ⊥ */
  uint32_t index; /**< among the children of the parent */
  bool initial;   /**< runs from ⊥ on */
};

/** Name of an object; see unf_object_describe(). */
struct object_description {
  unf_object_class object_class; /**< its class */
  thread creator;                /**< who made it; UNF_THREAD_NONE: it exists from the start */
  uint64_t key;                  /**< among the objects of its class and creator */
};

/** Bytes of a location; see unf_location_describe(). */
struct location_description {
  object_name space; /**< UNF_OBJECT_NONE if it was not placed */
  uint64_t first;    /**< its first byte in the space */
  uint32_t size;     /**< in bytes */
};

/** @cond */
namespace inner {
template <> struct freeing<unf_unfolding> {
  static void free(unf_unfolding *it) noexcept {
    unf_unfolding_free(it);
  }
};
} // namespace inner
/** @endcond */

/** An unfolding (thread.h, action.h, event.h). Explorers and whatever else is made from it must be
 * destroyed before it, and it before its context: declared after it, they are. */
template <form P> class basic_unfolding : public object_of<P, unf_unfolding> {
  using base = object_of<P, unf_unfolding>;

public:
  using base::base;
  /** What a function returns that gives a T. */
  template <class T> using result = typename P::template result<T>;

  /** unf_unfolding_new(). */
  explicit basic_unfolding(handle<unf_context> &context,
                           const unfolding_options &options = {}) requires P::throws
      : basic_unfolding(make(context, options)) {
  }

  /** unf_unfolding_new(). */
  [[nodiscard]] static result<basic_unfolding> make(handle<unf_context> &context,
                                                    const unfolding_options &options = {}) {
    return base::template made<basic_unfolding>(context.get(), [&](unf_unfolding **to) {
      return unf_unfolding_new(context.get(), &options, to);
    });
  }

  /** unf_unfolding_context(). */
  [[nodiscard]] unf_context *context() const noexcept {
    return unf_unfolding_context(this->get());
  }

  /** @name What it holds */
  /** @{ */

  /** All events but ⊥, causes before effects: unf_unfolding_events(). */
  [[nodiscard]] numbered<event, unf_unfolding> events() const noexcept {
    return {this->get(), unf_unfolding_events(this->get()),
            [](const unf_unfolding *, uint64_t n) { return static_cast<event>(n + 1); }};
  }
  /** All threads that were named: unf_unfolding_threads(). */
  [[nodiscard]] numbered<unfold::thread, unf_unfolding> threads() const noexcept {
    return {this->get(), unf_unfolding_threads(this->get()),
            [](const unf_unfolding *, uint64_t n) { return static_cast<unf_thread>(n); }};
  }
  /** All objects that were named: unf_unfolding_objects(). */
  [[nodiscard]] numbered<object_name, unf_unfolding> objects() const noexcept {
    return {this->get(), unf_unfolding_objects(this->get()),
            [](const unf_unfolding *, uint64_t n) { return static_cast<object_name>(n); }};
  }
  /** @} */

  /** @name Threads */
  /** @{ */

  /** unf_thread_name(). */
  [[nodiscard]] result<unfold::thread> thread(unfold::thread parent, uint32_t index) {
    return this->template out<unfold::thread>(
        [&](unf_thread *to) { return unf_thread_name(this->get(), parent, index, to); });
  }
  /** unf_thread_start(). */
  [[nodiscard]] result<void> start(unfold::thread which) {
    return this->done([&] { return unf_thread_start(this->get(), which); });
  }
  /** Child number `index` of ⊥, which runs from ⊥ on: unf_thread_name(), unf_thread_start(). */
  [[nodiscard]] result<unfold::thread> initial_thread(uint32_t index) {
    return this->template out<unfold::thread>([&](unf_thread *to) {
      const unf_status said = unf_thread_name(this->get(), UNF_THREAD_NONE, index, to);
      return said == UNF_OK ? unf_thread_start(this->get(), *to) : said;
    });
  }
  /** unf_thread_describe(). */
  [[nodiscard]] result<thread_description> describe_thread(unfold::thread which) const {
    return this->template out<thread_description>([&](thread_description *to) {
      return unf_thread_describe(this->get(), which, &to->parent, &to->index, &to->initial);
    });
  }
  /** unf_thread_text(). */
  [[nodiscard]] std::string thread_text(unfold::thread which) const {
    return inner::text_of([&](char *buffer, size_t size) {
      return unf_thread_text(this->get(), which, buffer, size);
    });
  }
  /** unf_thread_set(). */
  [[nodiscard]] result<int64_t> thread_set(std::span<const unfold::thread> threads) {
    return this->template out<int64_t>([&](int64_t *to) {
      return unf_thread_set(this->get(), threads.data(), static_cast<uint32_t>(threads.size()), to);
    });
  }
  /** unf_thread_set_members(). */
  template <visitor<unfold::thread> F = everything>
  [[nodiscard]] result<listing<std::vector<unfold::thread>, F>>
  thread_set_members(int64_t set, F &&f = {}) const {
    return this->template list<unfold::thread>(f, [&](auto visit, void *user) {
      return unf_thread_set_members(this->get(), set, visit, user);
    });
  }
  /** @} */

  /** @name Objects */
  /** @{ */

  /** unf_object_name(). */
  [[nodiscard]] result<object_name> object(unf_object_class of, uint64_t key,
                                           unfold::thread creator = UNF_THREAD_NONE) {
    return this->template out<object_name>(
        [&](unf_object *to) { return unf_object_name(this->get(), of, creator, key, to); });
  }
  /** unf_object_describe(). */
  [[nodiscard]] result<object_description> describe_object(object_name which) const {
    return this->template out<object_description>([&](object_description *to) {
      return unf_object_describe(this->get(), which, &to->object_class, &to->creator, &to->key);
    });
  }
  /** unf_object_set_initial(). */
  [[nodiscard]] result<void> set_initial(object_name which, int64_t value) {
    return this->done([&] { return unf_object_set_initial(this->get(), which, value); });
  }
  /** unf_object_set_maximum(). */
  [[nodiscard]] result<void> set_maximum(object_name semaphore, int64_t maximum) {
    return this->done([&] { return unf_object_set_maximum(this->get(), semaphore, maximum); });
  }
  /** unf_location_place(). */
  [[nodiscard]] result<void> place(object_name location, object_name space, uint64_t first,
                                   uint32_t size) {
    return this->done(
        [&] { return unf_location_place(this->get(), location, space, first, size); });
  }
  /** unf_location_describe(). */
  [[nodiscard]] result<location_description> describe_location(object_name location) const {
    return this->template out<location_description>([&](location_description *to) {
      return unf_location_describe(this->get(), location, &to->space, &to->first, &to->size);
    });
  }
  /** @} */

  /** @name Actions and operations */
  /** @{ */

  /** unf_action_text(). */
  [[nodiscard]] std::string text(const unfold::action &of) const {
    return inner::text_of(
        [&](char *buffer, size_t size) { return unf_action_text(this->get(), &of, buffer, size); });
  }
  /** unf_operation_text(). */
  [[nodiscard]] std::string text(const operation &of) const {
    return inner::text_of([&](char *buffer, size_t size) {
      return unf_operation_text(this->get(), &of, buffer, size);
    });
  }
  /** unf_action_label(). */
  [[nodiscard]] std::string label(const names &by, const unfold::action &of) const {
    return inner::text_of([&](char *buffer, size_t size) {
      return unf_action_label(this->get(), &by, &of, buffer, size);
    });
  }
  /** unf_thread_label(). */
  [[nodiscard]] std::string label(const names &by, unfold::thread of) const {
    return inner::text_of([&](char *buffer, size_t size) {
      return unf_thread_label(this->get(), &by, of, buffer, size);
    });
  }
  /** unf_actions_dependent(). */
  [[nodiscard]] result<bool> dependent(const unfold::action &a, const unfold::action &b) {
    return this->template out<bool>(
        [&](bool *to) { return unf_actions_dependent(this->get(), &a, &b, to); });
  }
  /** @} */

  /** @name Events */
  /** @{ */

  /** unf_event_intern(). */
  [[nodiscard]] result<event> intern(const unfold::action &what, std::span<const event> causes) {
    return this->template out<event>([&](unf_event *to) {
      return unf_event_intern(this->get(), &what, causes.data(),
                              static_cast<uint32_t>(causes.size()), to);
    });
  }
  /** unf_event_intern(). */
  [[nodiscard]] result<event> intern(const unfold::action &what,
                                     std::initializer_list<event> causes) {
    return intern(what, std::span(causes.begin(), causes.size()));
  }
  /** unf_event_action(). */
  [[nodiscard]] result<unfold::action> action(event of) const {
    return this->template out<unfold::action>(
        [&](unf_action *to) { return unf_event_action(this->get(), of, to); });
  }
  /** unf_event_predecessors(). */
  template <visitor<event> F = everything>
  [[nodiscard]] result<listing<std::vector<event>, F>> predecessors(event of, F &&f = {}) const {
    return this->template list<event>(f, [&](auto visit, void *user) {
      return unf_event_predecessors(this->get(), of, visit, user);
    });
  }
  /** unf_event_history(). */
  template <visitor<event> F = everything>
  [[nodiscard]] result<listing<std::vector<event>, F>> history(event of, F &&f = {}) const {
    return this->template list<event>(
        f, [&](auto visit, void *user) { return unf_event_history(this->get(), of, visit, user); });
  }
  /** unf_event_cookie(). */
  [[nodiscard]] result<uint64_t> cookie(event of) const {
    return this->template out<uint64_t>(
        [&](uint64_t *to) { return unf_event_cookie(this->get(), of, to); });
  }
  /** unf_event_set_cookie(). */
  [[nodiscard]] result<void> set_cookie(event of, uint64_t cookie) {
    return this->done([&] { return unf_event_set_cookie(this->get(), of, cookie); });
  }
  /** unf_event_fingerprint(). */
  [[nodiscard]] result<std::array<uint64_t, 2>> fingerprint(event of) {
    return this->template out<std::array<uint64_t, 2>>([&](std::array<uint64_t, 2> *to) {
      return unf_event_fingerprint(this->get(), of, to->data());
    });
  }
  /** unf_event_literal(). */
  [[nodiscard]] result<unfold::literal> literal(event of) {
    return this->template out<unfold::literal>(
        [&](unf_literal *to) { return unf_event_literal(this->get(), of, to); });
  }
  /** @} */

  /** @name Relations */
  /** @{ */

  /** unf_event_precedes(). */
  [[nodiscard]] result<bool> precedes(event a, event b) const {
    return this->template out<bool>(
        [&](bool *to) { return unf_event_precedes(this->get(), a, b, to); });
  }
  /** unf_event_conflicts(). */
  [[nodiscard]] result<bool> conflicts(event a, event b) const {
    return this->template out<bool>(
        [&](bool *to) { return unf_event_conflicts(this->get(), a, b, to); });
  }
  /** unf_event_conflicts_immediately(). */
  [[nodiscard]] result<bool> conflicts_immediately(event a, event b) const {
    return this->template out<bool>(
        [&](bool *to) { return unf_event_conflicts_immediately(this->get(), a, b, to); });
  }
  /** unf_event_concurrent(). */
  [[nodiscard]] result<bool> concurrent(event a, event b) const {
    return this->template out<bool>(
        [&](bool *to) { return unf_event_concurrent(this->get(), a, b, to); });
  }
  /** unf_weak_initial(). */
  [[nodiscard]] result<bool> weak_initial(event of, std::span<const event> sequence) const {
    return this->template out<bool>([&](bool *to) {
      return unf_weak_initial(this->get(), of, sequence.data(), sequence.size(), to);
    });
  }
  /** @} */

  /** @name Output and checks */
  /** @{ */

  /** unf_dot_unfolding(): to a sink, or as a string. */
  template <class Out = everything>
  requires sink<Out>
  [[nodiscard]] result<listing<std::string, Out>> dot(Out &&to = {}) {
    return inner::written<P>(this->witness(), to, [&](unf_write write, void *user) {
      return unf_dot_unfolding(this->get(), write, user);
    });
  }
  /** unf_dot_unfolding_named(): to a sink, or as a string. */
  template <class Out = everything>
  requires sink<Out>
  [[nodiscard]] result<listing<std::string, Out>> dot(const names &by, Out &&to = {}) {
    return inner::written<P>(this->witness(), to, [&](unf_write write, void *user) {
      return unf_dot_unfolding_named(this->get(), &by, write, user);
    });
  }
  /** unf_json_unfolding(): to a sink, or as a string. */
  template <class Out = everything>
  requires sink<Out>
  [[nodiscard]] result<listing<std::string, Out>> json(Out &&to = {}) {
    return inner::written<P>(this->witness(), to, [&](unf_write write, void *user) {
      return unf_json_unfolding(this->get(), write, user);
    });
  }
  /** unf_check_unfolding(). */
  [[nodiscard]] result<void> check() {
    return this->done([&] { return unf_check_unfolding(this->get()); });
  }
  /** unf_unfolding_consistency_counts(). */
  [[nodiscard]] unfold::consistency_counts consistency_counts() const noexcept {
    unfold::consistency_counts all{};
    unf_unfolding_consistency_counts(this->get(), &all);
    return all;
  }
  /** @} */
};

} // namespace unfold

#endif

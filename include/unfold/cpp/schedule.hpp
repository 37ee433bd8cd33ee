/**
 * @file
 * Schedules and trees of executions (schedule.h, output.h) as classes.
 */
#ifndef UNFOLD_CPP_SCHEDULE_HPP
#define UNFOLD_CPP_SCHEDULE_HPP

#include <string>
#include <string_view>
#include <unfold/cpp/base.hpp>
#include <unfold/cpp/ranges.hpp>
#include <unfold/cpp/types.hpp>

namespace unfold {

/** @cond */
namespace inner {
template <> struct freeing<unf_schedule> {
  static void free(unf_schedule *it) noexcept {
    unf_schedule_free(it);
  }
};
template <> struct freeing<unf_tree> {
  static void free(unf_tree *it) noexcept {
    unf_tree_free(it);
  }
};
} // namespace inner
/** @endcond */

/** A schedule (schedule.h). */
template <form P> class basic_schedule : public object_of<P, unf_schedule> {
  using base = object_of<P, unf_schedule>;

public:
  using base::base;
  /** What a function returns that gives a T. */
  template <class T> using result = typename P::template result<T>;

  /** unf_schedule_new(). */
  basic_schedule(handle<unf_unfolding> &of, const std::string &program) requires P::throws
      : basic_schedule(make(of, program)) {
  }

  /** unf_schedule_new(). */
  [[nodiscard]] static result<basic_schedule> make(handle<unf_unfolding> &of,
                                                   const std::string &program) {
    return base::template made<basic_schedule>(of.home(), [&](unf_schedule **to) {
      /* One with a zero byte would be cut off there: the library refuses it as it does a line. */
      const bool whole = program.find('\0') == std::string::npos;
      return unf_schedule_new(of.get(), whole ? program.c_str() : "\n", to);
    });
  }
  /** unf_schedule_read(). */
  [[nodiscard]] static result<basic_schedule> read(handle<unf_unfolding> &of,
                                                   std::string_view text) {
    return base::template made<basic_schedule>(of.home(), [&](unf_schedule **to) {
      return unf_schedule_read(of.get(), text.data(), text.size(), to);
    });
  }

  /** unf_schedule_append(). */
  [[nodiscard]] result<void> append(const action &what) {
    return this->done([&] { return unf_schedule_append(this->get(), &what); });
  }
  /** unf_schedule_append_run(). */
  [[nodiscard]] result<void> append_run(const handle<unf_explorer> &of) {
    return this->done([&] { return unf_schedule_append_run(this->get(), of.get()); });
  }
  /** unf_schedule_program(). */
  [[nodiscard]] std::string_view program() const noexcept {
    return unf_schedule_program(this->get());
  }
  /** The steps, until more are appended: unf_schedule_size(), unf_schedule_step(). */
  [[nodiscard]] numbered<action, unf_schedule> steps() const noexcept {
    return {this->get(), unf_schedule_size(this->get()), [](const unf_schedule *of, uint64_t n) {
              action one{};
              throwing::give(unf_schedule_step(of, n, &one), nullptr);
              return one;
            }};
  }
  /** unf_schedule_write(): to a sink, or as a string. */
  template <class Out = everything>
  requires sink<Out>
  [[nodiscard]] result<listing<std::string, Out>> write(Out &&to = {}) const {
    return inner::written<P>(this->witness(), to, [&](unf_write put, void *user) {
      return unf_schedule_write(this->get(), put, user);
    });
  }
};

/** The executions of an exploration as a tree (output.h). */
template <form P> class basic_tree : public object_of<P, unf_tree> {
  using base = object_of<P, unf_tree>;

public:
  using base::base;
  /** What a function returns that gives a T. */
  template <class T> using result = typename P::template result<T>;

  /** unf_tree_new(). */
  explicit basic_tree(handle<unf_unfolding> &of) requires P::throws : basic_tree(make(of)) {
  }

  /** unf_tree_new(). */
  [[nodiscard]] static result<basic_tree> make(handle<unf_unfolding> &of) {
    return base::template made<basic_tree>(
        of.home(), [&](unf_tree **to) { return unf_tree_new(of.get(), to); });
  }

  /** unf_tree_add(). */
  [[nodiscard]] result<void> add(const handle<unf_explorer> &last_run_of, const verdict &came_to) {
    return this->done([&] { return unf_tree_add(this->get(), last_run_of.get(), &came_to); });
  }
  /** unf_tree_add_named(). */
  [[nodiscard]] result<void> add(const handle<unf_explorer> &last_run_of, const verdict &came_to,
                                 const names &by) {
    return this->done(
        [&] { return unf_tree_add_named(this->get(), last_run_of.get(), &came_to, &by); });
  }
  /** unf_dot_tree(): to a sink, or as a string. */
  template <class Out = everything>
  requires sink<Out>
  [[nodiscard]] result<listing<std::string, Out>> dot(Out &&to = {}) const {
    return inner::written<P>(this->witness(), to, [&](unf_write write, void *user) {
      return unf_dot_tree(this->get(), write, user);
    });
  }
  /** unf_dot_tree_named(): to a sink, or as a string. */
  template <class Out = everything>
  requires sink<Out>
  [[nodiscard]] result<listing<std::string, Out>> dot(const names &by, Out &&to = {}) const {
    return inner::written<P>(this->witness(), to, [&](unf_write write, void *user) {
      return unf_dot_tree_named(this->get(), &by, write, user);
    });
  }
};

} // namespace unfold

#endif

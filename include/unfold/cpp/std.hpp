/**
 * @file
 * Traces in the STD format (std.h) as classes.
 */
#ifndef UNFOLD_CPP_STD_HPP
#define UNFOLD_CPP_STD_HPP

#include <optional>
#include <string>
#include <string_view>
#include <unfold/cpp/base.hpp>
#include <unfold/cpp/configuration.hpp>
#include <unfold/cpp/race.hpp>
#include <unfold/cpp/ranges.hpp>
#include <unfold/cpp/types.hpp>
#include <unfold/cpp/unfolding.hpp>

namespace unfold {

/** @name The values of C */
/** @{ */
/** The type of C that has this name after unf_. */
using std_memory = unf_std_memory;
using std_counts = unf_std_counts;
using std_name_kind = unf_std_name_kind;
/** @} */

/** unf_std_options with its defaults. */
struct std_options : unf_std_options {
  /** The defaults. */
  std_options() noexcept : unf_std_options(UNF_STD_OPTIONS_INIT) {
  }
};

/** @cond */
namespace inner {
template <> struct freeing<unf_std> {
  static void free(unf_std *it) noexcept {
    unf_std_free(it);
  }
};
template <> struct freeing<unf_std_writer> {
  static void free(unf_std_writer *it) noexcept {
    unf_std_writer_free(it);
  }
};
} // namespace inner
/** @endcond */

/** Writes the steps of a schedule, to a sink or as a string: unf_std_write(). */
template <form P, class Out = everything>
requires sink<Out>
[[nodiscard]] typename P::template result<listing<std::string, Out>>
std_trace_of(const object_of<P, unf_schedule> &schedule, Out &&to = {}) {
  return inner::written<P>(schedule.home(), to, [&](unf_write put, void *user) {
    return unf_std_write(schedule.get(), put, user);
  });
}

/** A trace that is being written (unf_std_writer). */
template <form P> class basic_std_writer : public object_of<P, unf_std_writer> {
  using base = object_of<P, unf_std_writer>;

public:
  using base::base;
  /** What a function returns that gives a T. */
  template <class T> using result = typename P::template result<T>;

  /** unf_std_writer_new(); the sink must live as long as the writer. */
  template <sink Out>
  basic_std_writer(handle<unf_unfolding> &of, Out &to) requires(P::throws)
      : basic_std_writer(make(of, to)) {
  }

  /** unf_std_writer_new(); the sink must live as long as the writer. */
  template <sink Out>
  [[nodiscard]] static result<basic_std_writer> make(handle<unf_unfolding> &of, Out &to) {
    return base::template made<basic_std_writer>(of.home(), [&](unf_std_writer **it) {
      return unf_std_writer_new(of.get(), inner::write<Out>, inner::as_user(to), it);
    });
  }

  /** unf_std_writer_step(). */
  [[nodiscard]] result<void> step(const action &what, uint64_t place) {
    return this->done([&] { return unf_std_writer_step(this->get(), &what, place); });
  }
  /** unf_std_writer_access(). */
  [[nodiscard]] result<void> access(const unfold::access &made) {
    return this->done([&] { return unf_std_writer_access(this->get(), &made); });
  }
  /** unf_std_writer_end(). */
  [[nodiscard]] result<void> end() {
    return this->done([&] { return unf_std_writer_end(this->get()); });
  }
};

/** A trace that was read (unf_std). */
template <form P> class basic_std_trace : public object_of<P, unf_std> {
  using base = object_of<P, unf_std>;

public:
  using base::base;
  /** What a function returns that gives a T. */
  template <class T> using result = typename P::template result<T>;

  /** unf_std_read(). */
  [[nodiscard]] static result<basic_std_trace>
  read(handle<unf_unfolding> &of, std::string_view text, const std_options &options = {}) {
    return base::template made<basic_std_trace>(of.home(), [&](unf_std **to) {
      return unf_std_read(of.get(), &options, text.data(), text.size(), to);
    });
  }

  /** unf_std_configuration(): a copy of the configuration of all events. */
  [[nodiscard]] result<void> configuration(handle<unf_configuration> &to) const {
    return this->done(
        [&] { return unf_configuration_assign(to.get(), unf_std_configuration(this->get())); });
  }
  /** The races, as long as the trace: unf_std_races(). */
  [[nodiscard]] numbered<race, unf_races> races() const noexcept {
    return {unf_std_races(this->get()), counts().races, [](const unf_races *of, uint64_t n) {
              race one{};
              throwing::give(unf_races_get(of, n, &one), nullptr);
              return one;
            }};
  }
  /** unf_std_counts_get(). */
  [[nodiscard]] std_counts counts() const noexcept {
    std_counts all{};
    unf_std_counts_get(this->get(), &all);
    return all;
  }
  /** The event of a line, from 1; UNF_EVENT_NONE if it is none: unf_std_event(). */
  [[nodiscard]] result<unfold::event> event(uint64_t line) const {
    return this->template out<unfold::event>(
        [&](unf_event *to) { return unf_std_event(this->get(), line, to); });
  }
  /** A name in the trace, if there is such a thing: unf_std_name(). */
  [[nodiscard]] std::optional<std::string_view> name(std_name_kind kind,
                                                     uint64_t number) const noexcept {
    const char *found = unf_std_name(this->get(), kind, number);
    return found != nullptr ? std::optional<std::string_view>(found) : std::nullopt;
  }
};

} // namespace unfold

#endif

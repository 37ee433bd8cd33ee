/**
 * @file
 * Control flow of a thread, and the analysis of its loops (purity.h), as classes.
 */
#ifndef UNFOLD_CPP_PURITY_HPP
#define UNFOLD_CPP_PURITY_HPP

#include <concepts>
#include <exception>
#include <string>
#include <unfold/cpp/base.hpp>
#include <unfold/cpp/ranges.hpp>
#include <unfold/cpp/types.hpp>

namespace unfold {

/** @cond */
namespace inner {
template <> struct freeing<unf_flow> {
  static void free(unf_flow *it) noexcept {
    unf_flow_free(it);
  }
};
template <> struct freeing<unf_purity> {
  static void free(unf_purity *it) noexcept {
    unf_purity_free(it);
  }
};
} // namespace inner
/** @endcond */

/** The control flow of one thread (purity.h). Names are those of listings; NULL: a number. */
template <form P> class basic_flow : public object_of<P, unf_flow> {
  using base = object_of<P, unf_flow>;

public:
  using base::base;
  /** What a function returns that gives a T. */
  template <class T> using result = typename P::template result<T>;

  /** unf_flow_new(). */
  explicit basic_flow(handle<unf_context> &context) requires P::throws : basic_flow(make(context)) {
  }

  /** unf_flow_new(). */
  [[nodiscard]] static result<basic_flow> make(handle<unf_context> &context) {
    return base::template made<basic_flow>(
        context.get(), [&](unf_flow **to) { return unf_flow_new(context.get(), to); });
  }

  /** unf_flow_block(). */
  [[nodiscard]] result<unfold::block> block(const char *name = nullptr) {
    return this->template out<unfold::block>(
        [&](unf_block *to) { return unf_flow_block(this->get(), name, to); });
  }
  /** unf_flow_register(). */
  [[nodiscard]] result<register_name> new_register(const char *name = nullptr) {
    return this->template out<register_name>(
        [&](unf_register *to) { return unf_flow_register(this->get(), name, to); });
  }
  /** unf_flow_statement(). */
  [[nodiscard]] result<void> append(unfold::block to, const unf_statement &statement) {
    return this->done([&] { return unf_flow_statement(this->get(), to, &statement); });
  }
  /** unf_flow_phi(). */
  [[nodiscard]] result<void> phi(unfold::block of, register_name result_register) {
    return this->done([&] { return unf_flow_phi(this->get(), of, result_register); });
  }
  /** unf_flow_phi_operand(). */
  [[nodiscard]] result<void> phi_operand(register_name phi, unfold::block from, term value) {
    return this->done([&] { return unf_flow_phi_operand(this->get(), phi, from, value); });
  }
  /** unf_flow_edge(). */
  [[nodiscard]] result<void> edge(unfold::block from, unfold::block to,
                                  term condition = UNF_TERM_NONE) {
    return this->done([&] { return unf_flow_edge(this->get(), from, to, condition); });
  }
  /** unf_term_constant(). */
  [[nodiscard]] result<term> constant(int64_t value) {
    return this->template out<term>(
        [&](unf_term *to) { return unf_term_constant(this->get(), value, to); });
  }
  /** unf_term_register(). */
  [[nodiscard]] result<term> value_of(register_name variable) {
    return this->template out<term>(
        [&](unf_term *to) { return unf_term_register(this->get(), variable, to); });
  }
  /** unf_term_apply(). */
  [[nodiscard]] result<term> apply(term_operator op, term a, term b) {
    return this->template out<term>(
        [&](unf_term *to) { return unf_term_apply(this->get(), op, a, b, to); });
  }
  /** unf_term_view(). */
  [[nodiscard]] result<term_node> view(term of) const {
    return this->template out<term_node>(
        [&](unf_term_node *to) { return unf_term_view(this->get(), of, to); });
  }
  /** unf_term_evaluate(), with the value of each register from a callable. */
  template <std::invocable<register_name> F>
  requires std::convertible_to<std::invoke_result_t<F &, register_name>, int64_t>
  [[nodiscard]] result<int64_t> evaluate(term of, F &&value) const {
    struct asked {
      F &value;
      std::exception_ptr thrown;
    } asked{value, nullptr};
    auto get_value = [](void *user, unf_register variable) noexcept -> int64_t {
      auto &from = *static_cast<struct asked *>(user);
      try {
        if (!from.thrown) return from.value(variable);
      } catch (...) {
        from.thrown = std::current_exception();
      }
      return 0;
    };
    int64_t number = 0;
    const unf_status said = unf_term_evaluate(this->get(), of, get_value, &asked, &number);
    if (asked.thrown) std::rethrow_exception(std::move(asked.thrown));
    return P::give(said, this->witness(), std::move(number));
  }
  /** unf_term_text(). */
  [[nodiscard]] std::string text(term of) const {
    return inner::text_of(
        [&](char *buffer, size_t size) { return unf_term_text(this->get(), of, buffer, size); });
  }
};

/** What an analysis found (purity.h); to be destroyed before its flow. */
template <form P> class basic_purity : public object_of<P, unf_purity> {
  using base = object_of<P, unf_purity>;

public:
  using base::base;
  /** What a function returns that gives a T. */
  template <class T> using result = typename P::template result<T>;

  /** unf_purity_new(). */
  explicit basic_purity(handle<unf_flow> &of, const purity_options &options = {}) requires P::throws
      : basic_purity(make(of, options)) {
  }

  /** unf_purity_new(). */
  [[nodiscard]] static result<basic_purity> make(handle<unf_flow> &of,
                                                 const purity_options &options = {}) {
    return base::template made<basic_purity>(
        of.home(), [&](unf_purity **to) { return unf_purity_new(of.get(), &options, to); });
  }

  /** The loops, outer ones before inner ones: unf_purity_loops(), unf_purity_loop(). */
  [[nodiscard]] numbered<loop, unf_purity> loops() const noexcept {
    return {this->get(), unf_purity_loops(this->get()), [](const unf_purity *of, uint64_t n) {
              loop one{};
              throwing::give(unf_purity_loop(of, static_cast<uint32_t>(n), &one), nullptr);
              return one;
            }};
  }
  /** Where to stop threads: unf_purity_insertions(), unf_purity_insertion(). */
  [[nodiscard]] numbered<insertion, unf_purity> insertions() const noexcept {
    return {this->get(), unf_purity_insertions(this->get()), [](const unf_purity *of, uint64_t n) {
              insertion one{};
              throwing::give(unf_purity_insertion(of, static_cast<uint32_t>(n), &one), nullptr);
              return one;
            }};
  }
  /** Why ways are not pure: unf_purity_remarks(), unf_purity_remark(). */
  [[nodiscard]] numbered<remark, unf_purity> remarks() const noexcept {
    return {this->get(), unf_purity_remarks(this->get()), [](const unf_purity *of, uint64_t n) {
              remark one{};
              throwing::give(unf_purity_remark(of, static_cast<uint32_t>(n), &one), nullptr);
              return one;
            }};
  }
  /** unf_purity_contains(). */
  [[nodiscard]] bool contains(uint32_t in, block b) const noexcept {
    return unf_purity_contains(this->get(), in, b);
  }
  /** unf_purity_edge(). */
  [[nodiscard]] bool edge(uint32_t of, block from, block to) const noexcept {
    return unf_purity_edge(this->get(), of, from, to);
  }
  /** unf_purity_write(): to a sink, or as a string. */
  template <class Out = everything>
  requires sink<Out>
  [[nodiscard]] result<listing<std::string, Out>> write(Out &&to = {}) const {
    return inner::written<P>(this->witness(), to, [&](unf_write put, void *user) {
      return unf_purity_write(this->get(), put, user);
    });
  }
};

} // namespace unfold

#endif

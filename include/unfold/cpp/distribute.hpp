/**
 * @file
 * One exploration by many workers (distribute.h): the ledger as a class; items and reports as
 * strings of bytes.
 */
#ifndef UNFOLD_CPP_DISTRIBUTE_HPP
#define UNFOLD_CPP_DISTRIBUTE_HPP

#include <span>
#include <string>
#include <string_view>
#include <unfold/cpp/base.hpp>
#include <unfold/cpp/ranges.hpp>
#include <unfold/cpp/types.hpp>

namespace unfold {

/** What unf_ledger_give() gave away. */
struct item {
  uint64_t number;   /**< 0: none is open */
  std::string bytes; /**< for the worker */
};

/** What unf_explorer_report() says. */
struct report {
  unf_report what{}; /**< to the caller */
  std::string bytes; /**< to the ledger */
};

/** unf_ledger_state. */
using ledger_state = unf_ledger_state;

/** @cond */
namespace inner {
template <> struct freeing<unf_ledger> {
  static void free(unf_ledger *it) noexcept {
    unf_ledger_free(it);
  }
};

/* A source of the bytes of a string. */
struct taking {
  std::string_view bytes;
  size_t operator()(std::span<std::byte> to) noexcept {
    const size_t size = bytes.copy(reinterpret_cast<char *>(to.data()), to.size());
    bytes.remove_prefix(size);
    return size;
  }
};
} // namespace inner
/** @endcond */

/** The shared part of an exploration tree (distribute.h). */
template <form P> class basic_ledger : public object_of<P, unf_ledger> {
  using base = object_of<P, unf_ledger>;

public:
  using base::base;
  /** What a function returns that gives a T. */
  template <class T> using result = typename P::template result<T>;

  /** unf_ledger_new(). */
  explicit basic_ledger(handle<unf_unfolding> &of) requires P::throws : basic_ledger(make(of)) {
  }

  /** unf_ledger_new(). */
  [[nodiscard]] static result<basic_ledger> make(handle<unf_unfolding> &of) {
    return base::template made<basic_ledger>(
        of.home(), [&](unf_ledger **to) { return unf_ledger_new(of.get(), to); });
  }
  /** unf_ledger_read(). */
  [[nodiscard]] static result<basic_ledger> read(handle<unf_unfolding> &of,
                                                 std::string_view bytes) {
    inner::taking from{bytes};
    return base::template made<basic_ledger>(of.home(), [&](unf_ledger **to) {
      return unf_ledger_read(of.get(), inner::read<inner::taking>, inner::as_user(from), to);
    });
  }

  /** unf_ledger_resume(). */
  [[nodiscard]] static result<basic_ledger> resume(handle<unf_unfolding> &of,
                                                   std::string_view bytes) {
    inner::taking from{bytes};
    return base::template made<basic_ledger>(of.home(), [&](unf_ledger **to) {
      return unf_ledger_resume(of.get(), inner::read<inner::taking>, inner::as_user(from), to);
    });
  }

  /** unf_ledger_give(). */
  [[nodiscard]] result<item> give() {
    item given{};
    const unf_status said = inner::guarded([&] {
      return unf_ledger_give(this->get(), inner::write<std::string>, &given.bytes, &given.number);
    });
    return P::give(said, this->witness(), std::move(given));
  }
  /** unf_ledger_report(). */
  [[nodiscard]] result<void> report(uint64_t item, std::string_view bytes) {
    inner::taking from{bytes};
    return this->done([&] {
      return unf_ledger_report(this->get(), item, inner::read<inner::taking>, inner::as_user(from));
    });
  }
  /** unf_ledger_take_back(). */
  [[nodiscard]] result<void> take_back(uint64_t item) {
    return this->done([&] { return unf_ledger_take_back(this->get(), item); });
  }
  /** unf_ledger_look(). */
  [[nodiscard]] ledger_state state() const noexcept {
    ledger_state state{};
    state.size = sizeof state;
    unf_ledger_look(this->get(), &state);
    return state;
  }
  /** unf_ledger_write(): to a sink, or as a string. */
  template <class Out = everything>
  requires sink<Out>
  [[nodiscard]] result<listing<std::string, Out>> write(Out &&to = {}) {
    return inner::written<P>(this->witness(), to, [&](unf_write put, void *user) {
      return unf_ledger_write(this->get(), put, user);
    });
  }
};

} // namespace unfold

#endif

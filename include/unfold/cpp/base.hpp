/**
 * @file
 * What every part of <unfold/unfold.hpp> stands on: errors, the two forms of a result, handles that
 * own what they stand for, and the way of an exception through the C functions of the library.
 *
 * A class of the interface is a template over its *form*: ::unfold::throwing, whose functions throw
 * ::unfold::error, or ::unfold::expecting, whose functions return std::expected. The names that are
 * meant to be used (`unfold::context`, `unfold::expected::context`, …) are aliases.
 */
#ifndef UNFOLD_CPP_BASE_HPP
#define UNFOLD_CPP_BASE_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>
#include <version>
#ifdef __cpp_lib_expected
#include <expected>
#endif
#include <unfold/context.h>
#include <unfold/status.h>

namespace unfold {

/** A call of the library failed. Copying it does not allocate. */
class error : public std::exception {
public:
  /** The failure of a call that had this status, with the detail that its context keeps of it. */
  explicit error(unf_status status, const unf_context *context = nullptr) noexcept {
    const unf_detail *seen = unf_context_detail(context);
    if (seen != nullptr && seen->status == status)
      detail_ = *seen;
    else
      detail_.status = status, detail_.thread = detail_.event = UINT32_MAX;
  }

  /** A sentence: that of the detail, if there is one, or else that of the status. */
  [[nodiscard]] const char *what() const noexcept override {
    return detail_.text[0] != '\0' ? detail_.text : unf_status_text(detail_.status);
  }

  /** What the call returned. */
  [[nodiscard]] unf_status status() const noexcept {
    return detail_.status;
  }

  /** Where it failed, and on what; see unf_detail. */
  [[nodiscard]] const unf_detail &detail() const noexcept {
    return detail_;
  }

private:
  unf_detail detail_{};
};

/** The form of the functions that throw ::unfold::error. */
struct throwing {
  static constexpr bool throws = true; /**< constructors can fail */
  /** What a function returns that gives a T. */
  template <class T> using result = T;

  /** Success, or the exception. */
  static void give(unf_status status, const unf_context *context) {
    if (status != UNF_OK) [[unlikely]]
      throw error(status, context);
  }
  /** The value, or the exception. */
  template <class T> static T give(unf_status status, const unf_context *context, T &&value) {
    give(status, context);
    return std::forward<T>(value);
  }
};

#ifdef __cpp_lib_expected
/** The form of the functions that return std::expected. What a callback throws passes through them
 * as it is: it is no failure of the library. */
struct expecting {
  static constexpr bool throws = false; /**< objects are made by `make` */
  /** What a function returns that gives a T. */
  template <class T> using result = std::expected<T, error>;

  /** Success, or the error. */
  static result<void> give(unf_status status, const unf_context *context) noexcept {
    if (status != UNF_OK) return std::unexpected(error(status, context));
    return {};
  }
  /** The value, or the error. */
  template <class T>
  static result<T> give(unf_status status, const unf_context *context, T &&value) {
    if (status != UNF_OK) return std::unexpected(error(status, context));
    return result<T>(std::in_place, std::forward<T>(value));
  }
};
#endif

/** What every form is. */
template <class P>
concept form = requires {
  { P::throws } -> std::convertible_to<bool>;
  typename P::template result<int>;
};

/** Stands where a visitor can: everything is to be returned in one container. */
struct everything {};

/** A callable that gets what is listed, one by one, and may return false to end that; or
 * ::unfold::everything. */
template <class F, class... T>
concept visitor = std::same_as<std::remove_cvref_t<F>, everything> ||
    (std::invocable<F &, T...> && (std::is_void_v<std::invoke_result_t<F &, T...>> ||
                                   std::convertible_to<std::invoke_result_t<F &, T...>, bool>));

/** What a function that lists returns: a container, or nothing where there is a visitor. */
template <class Container, class F>
using listing =
    std::conditional_t<std::same_as<std::remove_cvref_t<F>, everything>, Container, void>;

/** @cond */
namespace inner {

/* A call of the library from C++. What a callback throws inside it waits here, since it must not
 * pass through frames of C, and is thrown again when the call has returned. */
struct frame {
  std::exception_ptr thrown;
  frame *below;
};

/* The innermost call of this thread. */
inline UNF_API thread_local constinit frame *top = nullptr;

/* In a handler: keeps the exception for the innermost call. Returns the status with which that is
 * to fail: one that means nothing else, and after which it can be made again. */
inline unf_status park() noexcept {
  if (top != nullptr) top->thrown = std::current_exception();
  try {
    throw;
  } catch (const std::bad_alloc &) {
    return UNF_MEMORY;
  } catch (const error &e) {
    return e.status() == UNF_MEMORY || e.status() == UNF_LIMIT ? e.status() : UNF_INTERRUPTED;
  } catch (...) {
    return UNF_INTERRUPTED;
  }
}

/* Makes a call of the library in which callbacks can throw. */
template <class Call> unf_status guarded(const Call &call) {
  frame here{nullptr, top};
  struct entered {
    frame &here;
    explicit entered(frame &f) noexcept : here(f) {
      top = &here;
    }
    ~entered() {
      top = here.below;
    }
  };
  const unf_status status = [&] {
    entered one(here);
    return call();
  }();
  if (here.thrown) [[unlikely]]
    std::rethrow_exception(std::move(here.thrown));
  return status;
}

/* A callable as the `user` of a callback, and back. */
template <class F> void *as_user(F &f) noexcept {
  if constexpr (std::is_function_v<F>)
    return reinterpret_cast<void *>(&f);
  else
    return const_cast<void *>(static_cast<const volatile void *>(std::addressof(f)));
}
template <class F> F &of_user(void *user) noexcept {
  if constexpr (std::is_function_v<F>)
    return *reinterpret_cast<F *>(user);
  else
    return *static_cast<F *>(user);
}

/* Whether a visitor wants more. */
template <class F, class... T> bool wants_more(F &f, T &&...arguments) noexcept {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<F &, T...>>) {
      std::invoke(f, std::forward<T>(arguments)...);
      return true;
    } else {
      return static_cast<bool>(std::invoke(f, std::forward<T>(arguments)...));
    }
  } catch (...) {
    park();
    return false;
  }
}

/* The visitors of C, for a visitor of C++. */
template <class F, class... T> bool visit(void *user, T... arguments) noexcept {
  return wants_more(of_user<F>(user), arguments...);
}
template <class F, class T> bool visit_pointer(void *user, const T *pointer) noexcept {
  return wants_more(of_user<F>(user), *pointer);
}

/* How objects of C are freed. */
template <class C> struct freeing;
template <> struct freeing<unf_context> {
  static void free(unf_context *it) noexcept {
    unf_context_free(it);
  }
};

} // namespace inner
/** @endcond */

/** What is common to all classes that stand for an object of C. Functions that take an object take
 * its handle, so that objects of both forms can be used together. */
template <class C> class handle {
public:
  handle(const handle &) = delete;
  handle &operator=(const handle &) = delete;

  /** The object of C, still owned by this one; NULL after it was moved away. */
  [[nodiscard]] C *get() noexcept {
    return it_;
  }
  /** The object of C, to be read. */
  [[nodiscard]] const C *get() const noexcept {
    return it_;
  }
  /** Whether there is an object: not after it was moved away or released. */
  [[nodiscard]] explicit operator bool() const noexcept {
    return it_ != nullptr;
  }
  /** The context that it was made from. */
  [[nodiscard]] unf_context *home() const noexcept {
    return context_;
  }

protected:
  /** @cond */
  handle(C *it, unf_context *context) noexcept : it_(it), context_(context) {
  }
  ~handle() = default;
  C *it_;
  unf_context *context_;
  /** @endcond */
};

/** An object of C that is owned: moved, never copied, and freed once. */
template <class C> class owner : public handle<C> {
public:
  /** Owns an object that a function of C made from a context. */
  owner(C *it, unf_context *context) noexcept : handle<C>(it, context) {
  }
  /** Takes the object of another, which has none afterwards. */
  owner(owner &&other) noexcept : handle<C>(other.release(), other.context_) {
  }
  /** Frees its own object and takes that of another. */
  owner &operator=(owner &&other) noexcept {
    if (this != &other) {
      inner::freeing<C>::free(this->it_);
      this->context_ = other.context_;
      this->it_ = other.release();
    }
    return *this;
  }
  ~owner() {
    inner::freeing<C>::free(this->it_);
  }
  /** Gives the object away: the caller frees it with the function of C. */
  [[nodiscard]] C *release() noexcept {
    return std::exchange(this->it_, nullptr);
  }
};

/** An object in a form, which is how its functions fail. */
template <form P, class C> class object_of : public owner<C> {
public:
  using owner<C>::owner;
  /** What a function returns that gives a T. */
  template <class T> using result = typename P::template result<T>;

protected:
  /** @cond */
  /* The detail belongs to the object; one that was moved away has none. */
  [[nodiscard]] const unf_context *witness() const noexcept {
    return this->it_ != nullptr ? this->context_ : nullptr;
  }
  template <class Call> result<void> done(const Call &call) const {
    return P::give(inner::guarded(call), witness());
  }
  template <class T, class Call> result<T> out(const Call &call) const {
    T value{};
    const unf_status status = inner::guarded([&] { return call(&value); });
    return P::give(status, witness(), std::move(value));
  }
  /* `call` gets a visitor of C with its user. */
  template <class T, class F, class Call>
  result<listing<std::vector<T>, F>> list(F &f, const Call &call) const {
    if constexpr (std::same_as<std::remove_cvref_t<F>, everything>) {
      std::vector<T> all;
      auto push = [&all](const T &one) { all.push_back(one); };
      const unf_status status = inner::guarded(
          [&] { return call(inner::visit<decltype(push), T>, inner::as_user(push)); });
      return P::give(status, witness(), std::move(all));
    } else {
      return done([&] { return call(inner::visit<F, T>, inner::as_user(f)); });
    }
  }
  /* Lists what C gives to its visitors as a pointer. */
  template <class T, class F, class Call>
  result<listing<std::vector<T>, F>> list_pointers(F &f, const Call &call) const {
    if constexpr (std::same_as<std::remove_cvref_t<F>, everything>) {
      std::vector<T> all;
      auto push = [&all](const T &one) { all.push_back(one); };
      const unf_status status = inner::guarded(
          [&] { return call(inner::visit_pointer<decltype(push), T>, inner::as_user(push)); });
      return P::give(status, witness(), std::move(all));
    } else {
      return done([&] { return call(inner::visit_pointer<F, T>, inner::as_user(f)); });
    }
  }
  /* A new object, from a call that gives one. */
  template <class Self, class Call>
  static result<Self> made(unf_context *context, const Call &call) {
    C *it = nullptr;
    const unf_status status = inner::guarded([&] { return call(&it); });
    return P::give(status, context, Self(it, context));
  }
  /** @endcond */
};

/** An object that belongs to somebody else, used as if it were one's own: `*b` and `b->` are the
 * object, which is not freed with b. */
template <class T> class borrowed {
public:
  /** Borrows an object of C; `context` is the one that it was made from. */
  template <class C> borrowed(C *it, unf_context *context) noexcept : object_(it, context) {
  }
  /** Borrows what another did, which has none afterwards. */
  borrowed(borrowed &&) noexcept = default;
  borrowed &operator=(borrowed &&) = delete;
  ~borrowed() {
    static_cast<void>(object_.release());
  }
  /** The object. */
  [[nodiscard]] T &operator*() noexcept {
    return object_;
  }
  /** The object. */
  [[nodiscard]] T *operator->() noexcept {
    return &object_;
  }
  /** Whether there is one. */
  [[nodiscard]] explicit operator bool() const noexcept {
    return static_cast<bool>(object_);
  }

private:
  std::remove_const_t<T> object_;
};

} // namespace unfold

#endif

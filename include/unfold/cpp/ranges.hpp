/**
 * @file
 * Ranges over what the library numbers, such as events and steps, and text that it writes.
 */
#ifndef UNFOLD_CPP_RANGES_HPP
#define UNFOLD_CPP_RANGES_HPP

#include <compare>
#include <cstddef>
#include <cstdint>
#include <ios>
#include <iterator>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <unfold/cpp/base.hpp>
#include <unfold/output.h>

namespace unfold {

/**
 * What the library numbers from 0 on, as a view: random access, made when asked for. The view and
 * its iterators are valid as long as the object that they are about, and have as many elements as
 * there were when it was made.
 */
template <class T, class C> class numbered {
public:
  /** Gives the element of a number. */
  using getter = T (*)(const C *of, uint64_t number);

  /** Where one is in the view. */
  class iterator {
  public:
    /** @cond */
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using reference = T;
    using pointer = void;

    iterator() = default;
    iterator(const C *of, getter get, uint64_t at) noexcept : of_(of), get_(get), at_(at) {
    }
    [[nodiscard]] T operator*() const {
      return get_(of_, at_);
    }
    [[nodiscard]] T operator[](difference_type n) const {
      return *(*this + n);
    }
    iterator &operator+=(difference_type n) noexcept {
      at_ += static_cast<uint64_t>(n);
      return *this;
    }
    iterator &operator-=(difference_type n) noexcept {
      at_ -= static_cast<uint64_t>(n);
      return *this;
    }
    iterator &operator++() noexcept {
      return *this += 1;
    }
    iterator &operator--() noexcept {
      return *this -= 1;
    }
    iterator operator++(int) noexcept {
      iterator before = *this;
      ++*this;
      return before;
    }
    iterator operator--(int) noexcept {
      iterator before = *this;
      --*this;
      return before;
    }
    [[nodiscard]] friend iterator operator+(iterator i, difference_type n) noexcept {
      return i += n;
    }
    [[nodiscard]] friend iterator operator+(difference_type n, iterator i) noexcept {
      return i += n;
    }
    [[nodiscard]] friend iterator operator-(iterator i, difference_type n) noexcept {
      return i -= n;
    }
    [[nodiscard]] friend difference_type operator-(const iterator &a, const iterator &b) noexcept {
      return static_cast<difference_type>(a.at_ - b.at_);
    }
    [[nodiscard]] friend bool operator==(const iterator &a, const iterator &b) noexcept {
      return a.at_ == b.at_;
    }
    [[nodiscard]] friend std::strong_ordering operator<=>(const iterator &a,
                                                          const iterator &b) noexcept {
      return a.at_ <=> b.at_;
    }

  private:
    const C *of_ = nullptr;
    getter get_ = nullptr;
    uint64_t at_ = 0;
    /** @endcond */
  };

  numbered() = default;
  /** The elements 0 … size - 1 of an object. */
  numbered(const C *of, uint64_t size, getter get) noexcept : of_(of), size_(size), get_(get) {
  }

  /** The first element. */
  [[nodiscard]] iterator begin() const noexcept {
    return {of_, get_, 0};
  }
  /** Behind the last element. */
  [[nodiscard]] iterator end() const noexcept {
    return {of_, get_, size_};
  }
  /** How many there are. */
  [[nodiscard]] uint64_t size() const noexcept {
    return size_;
  }
  /** Whether there are none. */
  [[nodiscard]] bool empty() const noexcept {
    return size_ == 0;
  }
  /** The element of a number, which must be below size(). */
  [[nodiscard]] T operator[](uint64_t number) const {
    return get_(of_, number);
  }

private:
  const C *of_ = nullptr;
  uint64_t size_ = 0;
  getter get_ = nullptr;
};

/** @cond */
namespace inner {

/* A text for a function of C that wants it as snprintf() writes it. */
inline size_t write_name(std::string_view text, char *buffer, size_t size) noexcept {
  if (size > 0) buffer[text.copy(buffer, size - 1)] = '\0';
  return text.size();
}

} // namespace inner
/** @endcond */

/** What a program calls its threads, objects and events (unf_names): those of a class that has some
 * of `thread(unfold::thread)`, `object(unfold::object_name)` and `event(unf_event)`, which return
 * text; an empty one: the canonical name. It is used by reference. What it throws comes out of the
 * call that asked it. */
struct names : unf_names {
  /** The names that an object of the program's gives. */
  template <class N>
  requires(!std::is_base_of_v<unf_names, N>) explicit names(const N &of) noexcept
      : unf_names(UNF_NAMES_INIT) {
    constexpr bool of_threads = requires {
      std::string_view(of.thread(unf_thread{}));
    };
    constexpr bool of_objects = requires {
      std::string_view(of.object(unf_object{}));
    };
    constexpr bool of_events = requires {
      std::string_view(of.event(uint32_t{}));
    };
    static_assert(
        of_threads || !requires { &N::thread; }, "text thread(unfold::thread) const");
    static_assert(
        of_objects || !requires { &N::object; }, "text object(object_name) const");
    static_assert(
        of_events || !requires { &N::event; }, "text event(unf_event) const");
    static_assert(of_threads || of_objects || of_events, "names of threads, objects or events");
    user = inner::as_user(of);
    if constexpr (of_threads)
      thread = [](void *from, unf_thread which, char *buffer, size_t room) noexcept -> size_t {
        try {
          return inner::write_name(inner::of_user<const N>(from).thread(which), buffer, room);
        } catch (...) {
          inner::park();
          return 0;
        }
      };
    if constexpr (of_objects)
      object = [](void *from, unf_object which, char *buffer, size_t room) noexcept -> size_t {
        try {
          return inner::write_name(inner::of_user<const N>(from).object(which), buffer, room);
        } catch (...) {
          inner::park();
          return 0;
        }
      };
    if constexpr (of_events)
      event = [](void *from, uint32_t which, char *buffer, size_t room) noexcept -> size_t {
        try {
          return inner::write_name(inner::of_user<const N>(from).event(which), buffer, room);
        } catch (...) {
          inner::park();
          return 0;
        }
      };
  }
};

/** Where text of the library can go: a std::string that it is appended to, a std::ostream, or a
 * callable for each piece, which may return false to say that it was not written. */
template <class Out>
concept sink = visitor<Out, std::string_view> ||
    requires(std::remove_reference_t<Out> &out, const char *text, size_t size) {
  out.append(text, size);
} || requires(std::remove_reference_t<Out> &out, const char *text, std::streamsize size) {
  out.write(text, size);
  out.good();
};

/** Where bytes can come from: a std::istream, or a callable that fills a span from its beginning
 * and returns how many bytes it gave, 0 at the end. */
template <class In>
concept source = requires(In &in, std::span<std::byte> to) {
  { in(to) } -> std::convertible_to<size_t>;
}
|| requires(In &in, char *to, std::streamsize size) {
  in.read(to, size);
  { in.gcount() } -> std::convertible_to<std::streamsize>;
  in.bad();
};

/** @cond */
namespace inner {

/* A piece of text for a sink. */
template <class Out> bool write_piece(Out &out, const char *text, size_t size) noexcept {
  try {
    if constexpr (std::invocable<Out &, std::string_view>) {
      return wants_more(out, std::string_view(text, size));
    } else if constexpr (requires { out.append(text, size); }) {
      out.append(text, size);
      return true;
    } else {
      out.write(text, static_cast<std::streamsize>(size));
      return out.good();
    }
  } catch (...) {
    park();
    return false;
  }
}
template <class Out> bool write(void *user, const char *text, size_t size) noexcept {
  return write_piece(of_user<Out>(user), text, size);
}

/* Writes to a sink, or into a string where there is none. `call` gets the callback and its user. */
template <class P, class Out, class Call>
typename P::template result<listing<std::string, Out>> written(const unf_context *context, Out &out,
                                                               const Call &call) {
  if constexpr (std::same_as<std::remove_cvref_t<Out>, everything>) {
    std::string text;
    const unf_status said =
        guarded([&] { return call(write<std::string>, static_cast<void *>(&text)); });
    return P::give(said, context, std::move(text));
  } else {
    return P::give(guarded([&] { return call(write<Out>, as_user(out)); }), context);
  }
}

/* Fills a buffer from a source; false if that could not be read. */
template <class In> bool read_piece(In &in, void *bytes, size_t size, size_t *got) noexcept {
  try {
    if constexpr (std::invocable<In &, std::span<std::byte>>) {
      *got = in(std::span(static_cast<std::byte *>(bytes), size));
      return true;
    } else {
      in.read(static_cast<char *>(bytes), static_cast<std::streamsize>(size));
      *got = static_cast<size_t>(in.gcount());
      return !in.bad();
    }
  } catch (...) {
    park();
    return false;
  }
}
template <class In> bool read(void *user, void *bytes, size_t size, size_t *got) noexcept {
  return read_piece(of_user<In>(user), bytes, size, got);
}

/* A text that a function writes as snprintf() does. */
template <class Call> std::string text_of(const Call &call) {
  std::string text;
  static_cast<void>(guarded([&] {
    text.resize(call(nullptr, size_t{0}));
    call(text.data(), text.size() + 1);
    return UNF_OK;
  }));
  return text;
}

} // namespace inner
/** @endcond */

} // namespace unfold

/** @cond */
template <class T, class C>
inline constexpr bool std::ranges::enable_view<unfold::numbered<T, C>> = true;
template <class T, class C>
inline constexpr bool std::ranges::enable_borrowed_range<unfold::numbered<T, C>> = true;
/** @endcond */

#endif

/**
 * @file
 * The values of the interface: the types of C under their names in C++, structs of options that
 * begin with the defaults, operations as functions, and words for all of them.
 */
#ifndef UNFOLD_CPP_TYPES_HPP
#define UNFOLD_CPP_TYPES_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory_resource>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <unfold/cpp/base.hpp>
#include <unfold/unfold.h>

namespace unfold {

/** @name The values of C
 * Enumerators and constants keep the names that they have there. */
/** @{ */
/** The type of C that has this name after unf_. */
using status = unf_status;
using detail = unf_detail;
using limits = unf_limits;
using left = unf_left;
using progress = unf_progress;
using allocator = unf_allocator;
using event = unf_event;
using thread = unf_thread;
using object_name = unf_object;
using object_class = unf_object_class;
using operation_kind = unf_operation_kind;
using operation = unf_operation;
using action_kind = unf_action_kind;
using action = unf_action;
using halt = unf_halt;
using relation = unf_relation;
using switches = unf_switches;
using spike_choice = unf_spike_choice;
using candidate_order = unf_candidate_order;
using alternative_statistics = unf_alternative_statistics;
using answer = unf_answer;
using literal = unf_literal;
using consistency_counts = unf_consistency_counts;
using cutoff_order = unf_cutoff_order;
using cutoff_verdict = unf_cutoff_verdict;
using cutoff_counts = unf_cutoff_counts;
using hash = unf_hash;
using mode = unf_mode;
using algorithm = unf_algorithm;
using order = unf_order;
using leaf = unf_leaf;
using run = unf_run;
using step_kind = unf_step_kind;
using bound = unf_bound;
using step = unf_step;
using performed = unf_performed;
using verdict = unf_verdict;
using counts = unf_counts;
using estimate = unf_estimate;
using sampling = unf_sampling;
using traced = unf_traced;
using pending = unf_pending;
using access = unf_access;
using race = unf_race;
using races_counts = unf_races_counts;
using block = unf_block;
using register_name = unf_register;
using term = unf_term;
using term_operator = unf_operator;
using term_node = unf_term_node;
using statement_kind = unf_statement_kind;
using loop = unf_loop;
using insertion = unf_insertion;
using impurity = unf_impurity;
using remark = unf_remark;
/** @} */

/** @cond */
namespace inner {

/* Of a callback that has no way to say that it failed. */
template <class F, class... T>
concept never_throws = std::is_nothrow_invocable_v<F &, T...>;

} // namespace inner
/** @endcond */

/** unf_context_options with its defaults. The callables and the memory that it is given must live
 * as long as the context. */
struct context_options : unf_context_options {
  /** The defaults. */
  context_options() noexcept : unf_context_options(UNF_CONTEXT_OPTIONS_INIT) {
  }

  /** Takes memory from a resource; what that throws is a refusal (UNF_MEMORY). */
  context_options &allocate_from(std::pmr::memory_resource &memory) noexcept {
    allocator.user = &memory;
    allocator.reallocate = [](void *user, void *old, size_t old_size, size_t new_size) -> void * {
      auto *from = static_cast<std::pmr::memory_resource *>(user);
      void *fresh = nullptr;
      try {
        if (new_size > 0) fresh = from->allocate(new_size);
      } catch (...) {
        return nullptr;
      }
      if (old == nullptr) return fresh;
      if (fresh != nullptr) std::memcpy(fresh, old, old_size < new_size ? old_size : new_size);
      from->deallocate(old, old_size);
      return fresh;
    };
    return *this;
  }

  /** Passes each message of the library to a callable, which does not throw. */
  template <inner::never_throws<const char *> F> context_options &log_to(F &f) noexcept {
    log_user = inner::as_user(f);
    log = [](void *user, const char *line) { std::invoke(inner::of_user<F>(user), line); };
    return *this;
  }

  /** Tells a callable how far an exploration is, after every `interval` executions; if it returns
   * false or throws, that interrupts the exploration. */
  template <visitor<const unfold::progress &> F>
  context_options &report_to(F &f, uint64_t interval = 256) noexcept {
    progress_user = inner::as_user(f);
    progress_interval = interval;
    progress = [](void *user, const unf_progress *so_far) {
      return inner::wants_more(inner::of_user<F>(user), *so_far);
    };
    return *this;
  }
};

/** unf_unfolding_options with its defaults. */
struct unfolding_options : unf_unfolding_options {
  /** The defaults. */
  unfolding_options() noexcept : unf_unfolding_options(UNF_UNFOLDING_OPTIONS_INIT) {
  }
};

/** unf_alternative_options with its defaults. */
struct alternative_options : unf_alternative_options {
  /** The defaults. */
  alternative_options() noexcept : unf_alternative_options(UNF_ALTERNATIVE_OPTIONS_INIT) {
  }
};

/** unf_explorer_options with its defaults. The callables that it is given must live as long as the
 * explorer, and do not throw. */
struct explorer_options : unf_explorer_options {
  /** The defaults. */
  explorer_options() noexcept : unf_explorer_options(UNF_EXPLORER_OPTIONS_INIT) {
  }
  /** The defaults for an algorithm. */
  explicit explorer_options(unf_algorithm with) noexcept : explorer_options() {
    algorithm = with;
  }

  /** UNF_ORDER_CHOSEN: a callable chooses the next leaf, by its index. */
  template <inner::never_throws<std::span<const leaf>> F>
  explorer_options &choose_by(F &f) noexcept {
    order = UNF_ORDER_CHOSEN;
    choose_user = inner::as_user(f);
    choose = [](void *user, const unf_leaf *leaves, uint64_t count) -> uint64_t {
      return std::invoke(inner::of_user<F>(user), std::span(leaves, count));
    };
    return *this;
  }

  /** Tells a callable the names of states that no run begins at any more. */
  template <inner::never_throws<uint64_t> F> explorer_options &forget_by(F &f) noexcept {
    forget_user = inner::as_user(f);
    forget = [](void *user, uint64_t state) { std::invoke(inner::of_user<F>(user), state); };
    return *this;
  }
};

/** unf_races_options with its defaults. */
struct races_options : unf_races_options {
  /** The defaults. */
  races_options() noexcept : unf_races_options(UNF_RACES_OPTIONS_INIT) {
  }
};

/** unf_purity_options with its defaults. */
struct purity_options : unf_purity_options {
  /** The defaults. */
  purity_options() noexcept : unf_purity_options(UNF_PURITY_OPTIONS_INIT) {
  }
};

/** unf_statement of a kind, with defaults beside. */
struct statement : unf_statement {
  /** A statement of a kind. */
  explicit statement(unf_statement_kind of) noexcept : unf_statement(UNF_STATEMENT_INIT(of)) {
  }
};

/** @name Whether two values of C are the same in all fields */
/** @{ */
/** Whether all fields are equal. */
[[nodiscard]] constexpr bool same(const action &a, const action &b) noexcept {
  return a.kind == b.kind && a.thread == b.thread && a.target == b.target && a.second == b.second &&
         a.value == b.value;
}
[[nodiscard]] constexpr bool same(const operation &a, const operation &b) noexcept {
  return a.kind == b.kind && a.target == b.target && a.second == b.second && a.low == b.low &&
         a.high == b.high;
}
/** @} */

/** What a thread can be about to do: UNF_OP_LOCK(m) is op::lock(m), and so on. */
namespace op {

/** @name One function for each macro UNF_OP_… */
/** @{ */
/** What the macro of this name makes. */
[[nodiscard]] inline operation exit() noexcept {
  return UNF_OP_EXIT();
}
[[nodiscard]] inline operation halt(unf_halt reason) noexcept {
  return UNF_OP_HALT(reason);
}
[[nodiscard]] inline operation local(int64_t low = 0, int64_t high = 0) noexcept {
  return UNF_OP_LOCAL(low, high);
}
[[nodiscard]] inline operation branch(uint64_t term, uint32_t outcomes) noexcept {
  return UNF_OP_BRANCH(term, outcomes);
}
[[nodiscard]] inline operation create(thread t) noexcept {
  return UNF_OP_CREATE(t);
}
[[nodiscard]] inline operation join(thread t) noexcept {
  return UNF_OP_JOIN(t);
}
[[nodiscard]] inline operation lock(object_name mutex) noexcept {
  return UNF_OP_LOCK(mutex);
}
[[nodiscard]] inline operation trylock(object_name mutex) noexcept {
  return UNF_OP_TRYLOCK(mutex);
}
[[nodiscard]] inline operation unlock(object_name mutex) noexcept {
  return UNF_OP_UNLOCK(mutex);
}
[[nodiscard]] inline operation wait(object_name condition, object_name mutex) noexcept {
  return UNF_OP_WAIT(condition, mutex);
}
[[nodiscard]] inline operation wake(object_name condition, object_name mutex) noexcept {
  return UNF_OP_WAKE(condition, mutex);
}
[[nodiscard]] inline operation timed_wake(object_name condition, object_name mutex) noexcept {
  return UNF_OP_TIMED_WAKE(condition, mutex);
}
[[nodiscard]] inline operation signal(object_name condition) noexcept {
  return UNF_OP_SIGNAL(condition);
}
[[nodiscard]] inline operation broadcast(object_name condition) noexcept {
  return UNF_OP_BROADCAST(condition);
}
[[nodiscard]] inline operation rdlock(object_name rwlock) noexcept {
  return UNF_OP_RDLOCK(rwlock);
}
[[nodiscard]] inline operation tryrdlock(object_name rwlock) noexcept {
  return UNF_OP_TRYRDLOCK(rwlock);
}
[[nodiscard]] inline operation wrlock(object_name rwlock) noexcept {
  return UNF_OP_WRLOCK(rwlock);
}
[[nodiscard]] inline operation trywrlock(object_name rwlock) noexcept {
  return UNF_OP_TRYWRLOCK(rwlock);
}
[[nodiscard]] inline operation rwunlock(object_name rwlock) noexcept {
  return UNF_OP_RWUNLOCK(rwlock);
}
[[nodiscard]] inline operation post(object_name semaphore) noexcept {
  return UNF_OP_POST(semaphore);
}
[[nodiscard]] inline operation sem_wait(object_name semaphore) noexcept {
  return UNF_OP_SEM_WAIT(semaphore);
}
[[nodiscard]] inline operation sem_trywait(object_name semaphore) noexcept {
  return UNF_OP_SEM_TRYWAIT(semaphore);
}
[[nodiscard]] inline operation arrive(object_name round, int64_t count) noexcept {
  return UNF_OP_ARRIVE(round, count);
}
[[nodiscard]] inline operation pass(object_name round, int64_t count) noexcept {
  return UNF_OP_PASS(round, count);
}
[[nodiscard]] inline operation load(object_name location) noexcept {
  return UNF_OP_LOAD(location);
}
[[nodiscard]] inline operation store(object_name location, int64_t value) noexcept {
  return UNF_OP_STORE(location, value);
}
[[nodiscard]] inline operation exchange(object_name location, int64_t value) noexcept {
  return UNF_OP_EXCHANGE(location, value);
}
[[nodiscard]] inline operation fetch_add(object_name location, int64_t value) noexcept {
  return UNF_OP_FETCH_ADD(location, value);
}
[[nodiscard]] inline operation fetch_and(object_name location, int64_t value) noexcept {
  return UNF_OP_FETCH_AND(location, value);
}
[[nodiscard]] inline operation fetch_or(object_name location, int64_t value) noexcept {
  return UNF_OP_FETCH_OR(location, value);
}
[[nodiscard]] inline operation fetch_xor(object_name location, int64_t value) noexcept {
  return UNF_OP_FETCH_XOR(location, value);
}
[[nodiscard]] inline operation fetch_nand(object_name location, int64_t value) noexcept {
  return UNF_OP_FETCH_NAND(location, value);
}
[[nodiscard]] inline operation add(object_name location, int64_t value) noexcept {
  return UNF_OP_ADD(location, value);
}
[[nodiscard]] inline operation cas(object_name location, int64_t expected,
                                   int64_t desired) noexcept {
  return UNF_OP_CAS(location, expected, desired);
}
[[nodiscard]] inline operation await(object_name location, relation to, int64_t value) noexcept {
  return UNF_OP_AWAIT(location, to, value);
}
[[nodiscard]] inline operation exchange_await(object_name location, relation to, int64_t value,
                                              int64_t desired) noexcept {
  return UNF_OP_EXCHANGE_AWAIT(location, to, value, desired);
}
[[nodiscard]] inline operation futex_wait(object_name futex, object_name location,
                                          int64_t value) noexcept {
  return UNF_OP_FUTEX_WAIT(futex, location, value);
}
[[nodiscard]] inline operation futex_return(object_name futex) noexcept {
  return UNF_OP_FUTEX_RETURN(futex);
}
[[nodiscard]] inline operation timed_futex_return(object_name futex) noexcept {
  return UNF_OP_TIMED_FUTEX_RETURN(futex);
}
[[nodiscard]] inline operation futex_wake(object_name futex, int64_t count) noexcept {
  return UNF_OP_FUTEX_WAKE(futex, count);
}
/** Of a family that was registered: unf_operation_custom(). */
[[nodiscard]] inline operation custom(uint32_t family, object_name target, int64_t low = 0,
                                      int64_t high = 0) noexcept {
  return unf_operation_custom(family, target, low, high);
}
/** @} */

} // namespace op

/** @name Words
 * In static storage; "?" or a sentence that says so for a value that is none. */
/** @{ */
/** The word, see unf_status_text() and its likes. */
[[nodiscard]] inline const char *text(status of) noexcept {
  return unf_status_text(of);
}
[[nodiscard]] inline const char *text(operation_kind of) noexcept {
  return unf_operation_kind_text(of);
}
[[nodiscard]] inline const char *text(action_kind of) noexcept {
  return unf_action_kind_text(of);
}
[[nodiscard]] inline const char *text(algorithm of) noexcept {
  return unf_algorithm_text(of);
}
[[nodiscard]] inline const char *text(order of) noexcept {
  return unf_order_text(of);
}
[[nodiscard]] inline const char *text(cutoff_order of) noexcept {
  return unf_cutoff_order_text(of);
}
[[nodiscard]] inline const char *text(statement_kind of) noexcept {
  return unf_statement_text(of);
}
[[nodiscard]] inline const char *text(impurity of) noexcept {
  return unf_impurity_text(of);
}
/** @} */

/** @name The value for a word, if it is one */
/** @{ */
/** The value, or nothing. */
[[nodiscard]] inline std::optional<algorithm> algorithm_from_text(const char *word) noexcept {
  algorithm found{};
  return unf_algorithm_from_text(word, &found) == UNF_OK ? std::optional(found) : std::nullopt;
}
[[nodiscard]] inline std::optional<order> order_from_text(const char *word) noexcept {
  order found{};
  return unf_order_from_text(word, &found) == UNF_OK ? std::optional(found) : std::nullopt;
}
[[nodiscard]] inline std::optional<cutoff_order> cutoff_order_from_text(const char *word) noexcept {
  cutoff_order found{};
  return unf_cutoff_order_from_text(word, &found) == UNF_OK ? std::optional(found) : std::nullopt;
}
/** @} */

/** Version of the library that runs, as unf_version(). */
[[nodiscard]] inline unsigned version() noexcept {
  return unf_version();
}
/** Version of the library that runs, as text. */
[[nodiscard]] inline const char *version_text() noexcept {
  return unf_version_text();
}

} // namespace unfold

#endif

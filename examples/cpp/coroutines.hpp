/*
 * An engine of coroutines, one for each thread of the program that it explores. A program is a
 * class: its members are the mutexes, atomics, … that its threads share, and plain variables beside
 * them; its threads are member functions that return coro::thread, and say `co_await` where they
 * use a shared object. There the thread is suspended, and the library decides who goes on.
 *
 *     struct program {
 *       coro::mutex m;
 *       int x = 0;
 *       explicit program(coro::machine &on) : m(on) { on.start(add()); on.start(add()); }
 *       coro::thread add() {
 *         co_await m.lock();
 *         x++;
 *         co_await m.unlock();
 *       }
 *     };
 *     coro::engine<program> engine(unfolding);
 *     explorer.explore(engine);
 *
 * Every execution begins with a new object of the class, which therefore has to do the same each
 * time: no clock, no random numbers, no input but its own. Code between two `co_await` is silent:
 * it belongs to the step before it, and what it touches must be the thread's own or protected by a
 * mutex. A thread that throws is stopped, and the execution counts as one with an error.
 */
#ifndef EXAMPLES_CPP_COROUTINES_HPP
#define EXAMPLES_CPP_COROUTINES_HPP

#include <coroutine>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <unfold/unfold.hpp>

namespace coro {

/* A thread: a coroutine that is owned. */
class thread {
public:
  struct promise_type {
    unfold::operation next = unfold::op::exit(); /* what it is about to do */
    std::optional<unfold::operation> second;     /* and what then, before it is resumed */
    unfold::action did{};                        /* what came of its last operation */
    std::exception_ptr thrown;                   /* what ended it */
    unfold::thread name = UNF_THREAD_NONE;
    uint32_t children = 0;

    thread get_return_object() noexcept {
      return thread(handle::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept {
      return {};
    }
    std::suspend_always final_suspend() noexcept {
      return {};
    }
    void return_void() noexcept {
      next = unfold::op::exit();
    }
    void unhandled_exception() noexcept {
      thrown = std::current_exception();
      next = unfold::op::halt(UNF_HALT_ASSERT);
    }
  };
  using handle = std::coroutine_handle<promise_type>;

  thread(thread &&other) noexcept : it_(std::exchange(other.it_, nullptr)) {
  }
  thread &operator=(thread &&other) noexcept {
    std::swap(it_, other.it_);
    return *this;
  }
  ~thread() {
    if (it_) it_.destroy();
  }
  handle get() const noexcept {
    return it_;
  }

private:
  explicit thread(handle it) noexcept : it_(it) {
  }
  handle it_;
};

/* Suspends a thread before an operation. What `co_await` gives is that of `result`, which is called
 * with what came of the operation when the thread goes on. */
template <class Result> struct pause {
  unfold::operation operation;
  Result result;
  std::optional<unfold::operation> second = {};
  thread::promise_type *promise = nullptr;

  bool await_ready() const noexcept {
    return false;
  }
  void await_suspend(thread::handle at) noexcept {
    promise = &at.promise();
    promise->next = operation;
    promise->second = second;
  }
  auto await_resume() {
    return result(promise->did);
  }
};
template <class Result> pause(unfold::operation, Result) -> pause<Result>;
template <class Result>
pause(unfold::operation, Result, std::optional<unfold::operation>) -> pause<Result>;

/* An operation that gives nothing. */
inline auto only(const unfold::operation &operation,
                 std::optional<unfold::operation> second = {}) noexcept {
  return pause{operation, [](const unfold::action &) {}, second};
}

/* What runs threads: the engine without its program. */
class machine {
public:
  explicit machine(unfold::unfolding &unfolding) : unfolding_(unfolding) {
  }
  machine(const machine &) = delete;
  machine &operator=(const machine &) = delete;

  /* A thread that runs from the beginning; for the constructor of a program. */
  void start(thread t) {
    const uint32_t index = initial_++;
    t.get().promise().name = unfolding_.thread(UNF_THREAD_NONE, index);
    if (index == started_) {
      unfolding_.start(t.get().promise().name);
      started_++;
    }
    keep(std::move(t));
  }

  /* The next object of a class; for the constructors of objects. */
  unfold::object_name object(unfold::object_class of) {
    return unfolding_.object(of, keys_.at(static_cast<size_t>(of))++);
  }
  unfold::unfolding &unfolding() noexcept {
    return unfolding_;
  }

  /* Starts a thread; gives its name, to be joined by. For threads. */
  auto spawn(thread t) {
    return spawning{*this, std::move(t)};
  }
  auto join(unfold::thread which) {
    return only(unfold::op::join(which));
  }
  /* Any of the values low … high. */
  auto choose(int64_t low, int64_t high) {
    return pause{unfold::op::local(low, high), [](const unfold::action &did) { return did.value; }};
  }

  /* ---- the engine: see engine.hpp ---- */

  unfold::operation next(unfold::thread which) {
    thread::handle t = threads_.at(which)->get();
    if (!running_.at(which)) {
      running_[which] = true;
      t.resume(); /* up to its first operation */
    }
    return t.promise().next;
  }
  void perform(const unfold::step &step) {
    thread::handle t = threads_.at(step.action.thread)->get();
    thread::promise_type &promise = t.promise();
    if (promise.second) {
      promise.next = *std::exchange(promise.second, std::nullopt);
      return;
    }
    promise.did = step.action;
    t.resume(); /* up to its next operation */
  }

  /* What ended a thread of this execution, if something was thrown. */
  std::exception_ptr thrown() const noexcept {
    for (const auto &t : threads_)
      if (t && t->get().promise().thrown) return t->get().promise().thrown;
    return nullptr;
  }

protected:
  void begin() noexcept {
    threads_.clear();
    running_.clear();
    keys_.assign(UNF_OBJECT_CLASS_COUNT, 0);
    initial_ = 0;
  }

private:
  struct spawning {
    machine &on;
    std::optional<thread> child;
    unfold::thread name = UNF_THREAD_NONE;

    bool await_ready() const noexcept {
      return false;
    }
    void await_suspend(thread::handle at) {
      thread::promise_type &parent = at.promise();
      name = on.unfolding_.thread(parent.name, parent.children++);
      child->get().promise().name = name;
      on.keep(std::move(*child));
      parent.next = unfold::op::create(name);
      parent.second.reset();
    }
    unfold::thread await_resume() const noexcept {
      return name;
    }
  };

  void keep(thread t) {
    const size_t at = t.get().promise().name;
    if (threads_.size() <= at) {
      threads_.resize(at + 1);
      running_.resize(at + 1);
    }
    threads_[at].emplace(std::move(t));
  }

  unfold::unfolding &unfolding_;
  std::vector<std::optional<thread>> threads_; /* by name */
  std::vector<bool> running_;
  std::vector<uint64_t> keys_; /* of the next object, by class */
  uint32_t initial_ = 0, started_ = 0;
};

/* The engine of a program, a class that is made from a machine and `arguments`. */
template <class Program, class... Arguments> class engine : public machine {
public:
  explicit engine(unfold::unfolding &unfolding, Arguments... arguments)
      : machine(unfolding), arguments_(std::move(arguments)...) {
  }
  ~engine() {
    begin(); /* threads go before what they use */
  }

  void restart() {
    begin();
    program_.reset();
    std::apply([this](const Arguments &...all) { program_.emplace(*this, all...); }, arguments_);
  }
  Program &program() noexcept {
    return *program_;
  }

private:
  std::tuple<Arguments...> arguments_;
  std::optional<Program> program_;
};

/* ---- what threads share ---- */

class mutex {
public:
  explicit mutex(machine &on) : name_(on.object(UNF_MUTEX)) {
  }
  auto lock() const {
    return only(unfold::op::lock(name_));
  }
  /* Whether it was free. */
  auto try_lock() const {
    return pause{unfold::op::trylock(name_),
                 [](const unfold::action &did) { return did.kind == UNF_DID_ACQUIRE; }};
  }
  auto unlock() const {
    return only(unfold::op::unlock(name_));
  }
  unfold::object_name name() const noexcept {
    return name_;
  }

private:
  unfold::object_name name_;
};

class condition {
public:
  explicit condition(machine &on) : name_(on.object(UNF_CONDITION)) {
  }
  /* With the mutex locked, which it is again afterwards. */
  auto wait(const mutex &m) const {
    return only(unfold::op::wait(name_, m.name()), unfold::op::wake(name_, m.name()));
  }
  auto signal() const {
    return only(unfold::op::signal(name_));
  }
  auto broadcast() const {
    return only(unfold::op::broadcast(name_));
  }

private:
  unfold::object_name name_;
};

class shared_mutex {
public:
  explicit shared_mutex(machine &on) : name_(on.object(UNF_RWLOCK)) {
  }
  auto lock() const {
    return only(unfold::op::wrlock(name_));
  }
  auto lock_shared() const {
    return only(unfold::op::rdlock(name_));
  }
  auto unlock() const {
    return only(unfold::op::rwunlock(name_));
  }

private:
  unfold::object_name name_;
};

class semaphore {
public:
  semaphore(machine &on, int64_t initial) : name_(on.object(UNF_SEMAPHORE)) {
    on.unfolding().set_initial(name_, initial);
  }
  auto acquire() const {
    return only(unfold::op::sem_wait(name_));
  }
  auto release() const {
    return only(unfold::op::post(name_));
  }

private:
  unfold::object_name name_;
};

/* A number of 64 bits that is accessed atomically, in sequential consistency. The library explores
 * the orders of the accesses; the value is here. */
class atomic {
public:
  explicit atomic(machine &on, int64_t initial = 0)
      : name_(on.object(UNF_LOCATION)), value_(initial) {
    on.unfolding().set_initial(name_, initial);
  }
  auto load() {
    return pause{unfold::op::load(name_), [this](const unfold::action &) { return value_; }};
  }
  auto store(int64_t value) {
    return pause{unfold::op::store(name_, value),
                 [this, value](const unfold::action &) { value_ = value; }};
  }
  auto exchange(int64_t value) {
    return pause{unfold::op::exchange(name_, value),
                 [this, value](const unfold::action &) { return std::exchange(value_, value); }};
  }
  auto fetch_add(int64_t value) {
    return pause{unfold::op::fetch_add(name_, value), [this, value](const unfold::action &) {
                   return std::exchange(value_, value_ + value);
                 }};
  }
  /* An addition whose result nobody needs: several of them commute. */
  auto add(int64_t value) {
    return pause{unfold::op::add(name_, value),
                 [this, value](const unfold::action &) { value_ += value; }};
  }
  /* Whether it was `expected`, and is `desired` now. */
  auto compare_exchange(int64_t expected, int64_t desired) {
    return pause{unfold::op::cas(name_, expected, desired),
                 [this, expected, desired](const unfold::action &) {
                   const bool equal = value_ == expected;
                   if (equal) value_ = desired;
                   return equal;
                 }};
  }
  /* Waits until it is in a relation to a value: one operation in place of a loop. */
  auto wait_until(unfold::relation relation, int64_t value) {
    return pause{unfold::op::await(name_, relation, value),
                 [this](const unfold::action &) { return value_; }};
  }

private:
  unfold::object_name name_;
  int64_t value_;
};

} // namespace coro

#endif

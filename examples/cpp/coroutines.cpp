/*
 * A program of coroutines, explored.
 *
 * Four philosophers sit at a round table, with a fork between each two. Each takes the fork on the
 * left, then the one on the right, eats and puts them back; a counter says how many have eaten. The
 * program is written as it would be for real threads, with co_await where threads meet;
 * coroutines.hpp makes an engine of it. The library runs it in every way in which its threads can
 * interleave that makes a difference, once each, and writes down the one in which nobody can go on.
 * Then the last philosopher takes the forks in the other order, and nobody starves; but the count
 * is read and written in two steps, so a meal can be lost, which an exception reports.
 */
#include <array>
#include <iostream>
#include <stdexcept>

#include "coroutines.hpp"

namespace {

constexpr int seats = 4;

struct table {
  coro::machine &on;
  bool polite; /* whether the last one takes the forks in the other order */
  std::array<coro::mutex, seats> fork;
  coro::atomic meals;

  table(coro::machine &machine, bool is_polite)
      : on(machine), polite(is_polite), fork{coro::mutex(machine), coro::mutex(machine),
                                             coro::mutex(machine), coro::mutex(machine)},
        meals(machine) {
    machine.start(dinner());
  }

  coro::thread philosopher(int seat) {
    int first = seat, second = (seat + 1) % seats;
    if (polite && seat == seats - 1) std::swap(first, second);
    co_await fork[static_cast<size_t>(first)].lock();
    co_await fork[static_cast<size_t>(second)].lock();
    int64_t before = co_await meals.load();
    co_await meals.store(before + 1);
    co_await fork[static_cast<size_t>(second)].unlock();
    co_await fork[static_cast<size_t>(first)].unlock();
  }

  coro::thread dinner() {
    std::array<unfold::thread, seats> guests{};
    for (int seat = 0; seat < seats; seat++)
      guests[static_cast<size_t>(seat)] = co_await on.spawn(philosopher(seat));
    for (unfold::thread guest : guests)
      co_await on.join(guest);
    int64_t eaten = co_await meals.load();
    if (eaten != seats) throw std::runtime_error(std::to_string(eaten) + " meals were counted");
  }
};

/* The engine, with a word about the first execution of each kind. */
struct watched : coro::engine<table, bool> {
  using engine::engine;
  uint64_t deadlocks = 0, errors = 0;

  void ended(const unfold::verdict &came_to, unfold::explorer &explorer) {
    if (came_to.deadlock && deadlocks++ == 0) {
      std::cout << "nobody can go on:\n";
      write(explorer);
    }
    if (came_to.error && errors++ == 0) {
      try {
        std::rethrow_exception(thrown());
      } catch (const std::exception &e) {
        std::cout << "an error: " << e.what() << '\n';
      }
    }
  }

  /* The execution, so that another process can repeat it. */
  void write(const unfold::explorer &explorer) {
    unfold::schedule schedule(unfolding(), "philosophers");
    schedule.append_run(explorer);
    schedule.write(std::cout);
  }
};

void explore(bool polite) {
  unfold::context context;
  unfold::unfolding unfolding(context);
  watched engine(unfolding, polite);
  unfold::explorer explorer(unfolding);
  unfold::counts counts = explorer.explore(engine);
  std::cout << (polite ? "polite: " : "greedy: ") << counts.traces << " traces, "
            << counts.deadlocks << " deadlocks, " << counts.errors << " errors, "
            << counts.redundant << " redundant executions\n";
}

} // namespace

int main() {
  explore(false);
  explore(true);
}

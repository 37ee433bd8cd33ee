/*
 * 7. An explorer and its engine (../api/07-explorer.c, in C++).
 *
 * An engine is a class with three functions: to begin again, to say what a thread is about to do,
 * and to do what was chosen. `ended` is one of those that it can have beside. The program here has
 * two threads that take two mutexes in opposite order; its interpreter is a program counter for
 * each thread.
 */
#include <array>
#include <iostream>
#include <unfold/unfold.hpp>

namespace {

struct instruction {
  unfold::operation_kind kind;
  size_t mutex;
};

constexpr std::array<std::array<instruction, 5>, 2> program = {{
    {{{UNF_LOCK, 0}, {UNF_LOCK, 1}, {UNF_UNLOCK, 1}, {UNF_UNLOCK, 0}, {UNF_EXIT, 0}}},
    {{{UNF_LOCK, 1}, {UNF_LOCK, 0}, {UNF_UNLOCK, 0}, {UNF_UNLOCK, 1}, {UNF_EXIT, 0}}},
}};

struct machine {
  unfold::unfolding &unfolding;
  std::array<unfold::thread, 2> thread;
  std::array<unfold::object_name, 2> mutex;
  std::array<size_t, 2> counter{};
  uint64_t run = 0;

  explicit machine(unfold::unfolding &in)
      : unfolding(in), thread{in.initial_thread(0), in.initial_thread(1)},
        mutex{in.object(UNF_MUTEX, 0), in.object(UNF_MUTEX, 1)} {
  }

  size_t number_of(unfold::thread who) const {
    return who == thread[0] ? 0 : 1;
  }

  void restart(const unfold::run &next) {
    counter = {};
    run = next.number;
  }
  unfold::operation next(unfold::thread who) const {
    const instruction &at = program[number_of(who)][counter[number_of(who)]];
    switch (at.kind) {
    case UNF_LOCK:
      return unfold::op::lock(mutex[at.mutex]);
    case UNF_UNLOCK:
      return unfold::op::unlock(mutex[at.mutex]);
    default:
      return unfold::op::exit();
    }
  }
  void perform(const unfold::step &step) {
    counter[number_of(step.action.thread)]++;
  }
  void ended(const unfold::verdict &came_to, const unfold::explorer &explorer) const {
    std::cout << "run " << run << ": "
              << (came_to.redundant  ? "redundant"
                  : came_to.complete ? "complete"
                  : came_to.deadlock ? "deadlock"
                                     : "blocked")
              << '\n';
    /* The events of the run, in the order in which they were performed. */
    if (!came_to.deadlock) return;
    for (unfold::event event : explorer.path())
      std::cout << "  " << event << ": " << unfolding.text(unfolding.action(event)) << '\n';
  }
};

} // namespace

int main() {
  unfold::context context;
  unfold::unfolding unfolding(context);
  unfold::explorer explorer(unfolding);
  const unfold::counts counts = explorer.explore(machine(unfolding));
  std::cout << counts.traces << " traces, " << counts.deadlocks << " deadlocks, "
            << counts.redundant << " redundant runs, " << counts.events << " events\n";
}

/*
 * 20. One exploration by several workers (../api/20-workers.c, in C++).
 *
 * A ledger gives items away; workers explore them, and report. Items and reports are strings of
 * bytes, so that the workers could be anywhere; here they take turns. Four threads take a mutex
 * once each: 24 executions. After each execution a worker is asked to split, so that there is
 * something for the other one; one worker is lost with all that it did not report.
 */
#include <array>
#include <cstdint>
#include <iostream>
#include <optional>
#include <unfold/unfold.hpp>

namespace {

constexpr uint32_t threads = 4;

/* Each thread takes the mutex, and gives it back. */
struct program {
  unfold::unfolding &unfolding;
  std::array<unfold::thread, threads> thread{};
  unfold::object_name mutex;
  std::array<unsigned, threads> counter{}; /* by handle: these are the first threads */

  explicit program(unfold::unfolding &in) : unfolding(in), mutex(in.object(UNF_MUTEX, 0)) {
    for (uint32_t i = 0; i < threads; i++)
      thread[i] = in.initial_thread(i);
  }
  void restart(const unfold::run &) {
    counter = {};
  }
  unfold::operation next(unfold::thread who) const {
    const unsigned at = counter[who];
    return at == 0   ? unfold::op::lock(mutex)
           : at == 1 ? unfold::op::unlock(mutex)
                     : unfold::op::exit();
  }
  void perform(const unfold::step &step) {
    counter[step.action.thread]++;
  }
};

/* Nothing of it is shared with others: it could be on another machine. */
struct worker {
  unfold::context context;
  unfold::unfolding unfolding{context};
  program engine{unfolding};
  unfold::explorer explorer{unfolding, unfold::explorer_options(UNF_ODPOR)};
  uint64_t item = 0; /* that it has; 0: none */
  unsigned executions = 0, reports = 0;

  /* Makes one execution, unless there is none left below the item. */
  void execute() {
    const uint64_t before = explorer.counts().executions;
    unfold::limits one{};
    one.runs = before + 1;
    context.set_limits(one);
    try {
      static_cast<void>(explorer.explore(engine));
    } catch (const unfold::error &e) {
      if (e.status() != UNF_LIMIT) throw;
    }
    context.set_limits({});
    executions += static_cast<unsigned>(explorer.counts().executions - before);
  }
};

} // namespace

int main() {
  /* The ledger needs neither the program nor its executions. */
  unfold::context context;
  unfold::unfolding names(context);
  unfold::ledger ledger(names);
  std::array<std::optional<worker>, 2> workers;
  for (std::optional<worker> &w : workers)
    w.emplace();
  uint64_t traces = 0;
  bool lost = false;

  do {
    for (std::optional<worker> &w : workers) {
      if (w->item == 0) {
        const unfold::item given = ledger.give();
        w->item = given.number;
        if (w->item != 0) w->explorer.begin_item(given.bytes);
        continue;
      }
      w->execute();
      /* What a worker did and did not report is explored by others. */
      if (&w == &workers[1] && !lost) {
        ledger.take_back(w->item);
        w.emplace();
        lost = true;
        continue;
      }
      const unfold::report told = w->explorer.report(true);
      ledger.report(w->item, told.bytes);
      w->reports++;
      traces += told.what.counts.traces;
      if (told.what.finished) w->item = 0;
    }
  } while (ledger.state().open + ledger.state().given > 0);

  std::cout << traces << " traces; " << ledger.state().finished << " items finished, "
            << ledger.state().lost << " taken back\n";
  for (size_t i = 0; i < workers.size(); i++)
    std::cout << "worker " << i + 1 << ": " << workers[i]->executions << " executions, "
              << workers[i]->reports << " reports\n";
}

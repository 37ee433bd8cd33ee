/* One exploration by two workers and a ledger, which is written down and read in between; and what
 * is refused. */
#include <string>

#include "check.hpp"

namespace {

constexpr uint32_t threads = 4;

struct worker {
  unfold::context context;
  unfold::unfolding program{context};
  lockers engine{program, threads};
  unfold::explorer explorer{program, unfold::explorer_options(UNF_ODPOR)};
  uint64_t item = 0;
};

/* Makes one execution; whether there was one left. */
bool execute(worker &w) {
  const unfold::counts before = w.explorer.counts();
  unfold::limits limits{};
  limits.runs = before.executions + 1;
  w.context.set_limits(limits);
  return status_of([&] { return w.explorer.explore(w.engine); }) == UNF_LIMIT;
}

void shared() {
  worker workers[2];
  unfold::context context;
  unfold::unfolding names(context);
  unfold::ledger ledger(names);
  uint64_t traces = 0, splits = 0, rounds = 0;
  for (unfold::ledger_state state = ledger.state(); state.open + state.given > 0;
       state = ledger.state(), rounds++)
    for (worker &w : workers) {
      if (w.item == 0) {
        const unfold::item given = ledger.give();
        w.item = given.number;
        if (w.item != 0) w.explorer.begin_item(given.bytes);
        continue;
      }
      const bool more = execute(w);
      const unfold::report told = w.explorer.report(more);
      ledger.report(w.item, told.bytes);
      traces += told.what.counts.traces;
      splits += told.what.split;
      if (told.what.finished) w.item = 0;
    }
  CHECK(traces == 24 && splits > 0 && rounds > 1);
}

void written() {
  unfold::context context;
  unfold::unfolding names(context);
  unfold::ledger ledger(names);
  const unfold::item given = ledger.give();
  CHECK(given.number == 1 && !given.bytes.empty() && ledger.state().given == 1);
  CHECK(ledger.give().number == 0);
  ledger.take_back(given.number);
  CHECK(status_of([&] { return ledger.take_back(given.number), 0; }) == UNF_UNKNOWN);
  CHECK(status_of([&] { return ledger.report(given.number, ""), 0; }) == UNF_UNKNOWN);
  const std::string bytes = ledger.write();
  unfold::unfolding other(context);
  CHECK(unfold::ledger::read(other, bytes).state().open == 1);
  unfold::unfolding again(context);
  CHECK(unfold::ledger::resume(again, bytes).state().open == 1);
  unfold::unfolding third(context);
  CHECK(status_of([&] { return unfold::ledger::read(third, bytes.substr(1)); }) != UNF_OK);
  unfold::explorer explorer(third, unfold::explorer_options(UNF_QPOR));
  CHECK(status_of([&] { return explorer.begin_item(given.bytes), 0; }) == UNF_UNSUPPORTED);
}

} // namespace

int main() {
  shared();
  written();
  return 0;
}

/* Explorers in each of their protocols, and what goes with them: schedules, trees, race detectors,
 * cutoffs, predicates of consistency, the parts of optimal partial-order reduction, purity. */
#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "check.hpp"

namespace {

/* What stands for an event in a picture. */
struct numbered {
  std::string event(unf_event which) const {
    return "number " + std::to_string(which);
  }
};

/* The loop of drive.h by hand. */
void step_by_step() {
  unfold::context context;
  unfold::unfolding u(context);
  lockers program(u, 2);
  unfold::explorer explorer(u);
  unfold::tree tree(u), named(u);
  const numbered called;
  unfold::schedule schedule(u, "two");
  for (unfold::run run = explorer.next(); !run.finished; run = explorer.next()) {
    program.restart();
    for (unfold::thread t : program.thread)
      explorer.offer(t, program.next(t));
    CHECK(explorer.operation(program.thread[0]).kind == UNF_LOCK);
    unfold::step step = explorer.step();
    while (step.kind == UNF_STEP_ACTION) {
      program.perform(step);
      if (step.number % 2 == 0)
        explorer.commit(5);
      else
        explorer.commit(step.action);
      CHECK(u.action(explorer.last()).thread == step.action.thread);
      explorer.offer(step.action.thread, program.next(step.action.thread));
      step = explorer.step();
    }
    CHECK(step.kind == UNF_STEP_MAXIMAL && explorer.asleep().empty());
    const unfold::verdict verdict = explorer.finish();
    CHECK(verdict.complete && explorer.path().size() == 4);
    tree.add(explorer, verdict);
    named.add(explorer, verdict, unfold::names(called));
    explorer.check();
  }
  schedule.append_run(explorer);
  CHECK(schedule.steps().size() == 4 && schedule.steps()[3].kind == UNF_DID_RELEASE);
  CHECK(tree.dot().starts_with("digraph"));
  CHECK(named.dot().find("number") != std::string::npos &&
        tree.dot().find("number") == std::string::npos);
  CHECK(explorer.counts().traces == 2 && explorer.estimate().left == 0);
  CHECK(status_of([&] { return explorer.sampling(); }) == UNF_UNSUPPORTED);
  unfold::configuration last(u);
  explorer.configuration(last);
  CHECK(last.size() == 4);
  CHECK(!explorer.cutoffs());
}

/* An engine with everything: it keeps each of its states, and goes back to them. */
struct saving : lockers {
  using lockers::lockers;
  unfold::context *context = nullptr;
  std::vector<std::vector<int>> states{{}};
  uint64_t restored = 0, ended_runs = 0, progressed = 0, blocked_calls = 0;

  void restart(const unfold::run &) {
    lockers::restart();
  }
  uint64_t restore(const unfold::run &run) {
    if (run.state == 0) return 0;
    restored++;
    counter = states.at(run.state);
    return run.saved;
  }
  uint64_t save(uint64_t) {
    states.push_back(counter);
    return states.size() - 1;
  }
  unf_status perform(const unfold::step &step, unfold::performed &performed) {
    lockers::perform(step);
    performed.cookie = 9;
    return UNF_OK;
  }
  void blocked(unfold::explorer &explorer) {
    blocked_calls++;
    explorer.block(thread[0], false);
  }
  void ended(const unfold::verdict &verdict) {
    ended_runs += verdict.complete;
  }
  void progress(unfold::explorer &explorer) {
    progressed = explorer.counts().executions;
  }
};

void engines() {
  unfold::context context;
  unfold::unfolding u(context);
  saving program(u, 4);
  uint64_t forgotten = 0, chosen = 0, others = 0;
  unfold::explorer *at = nullptr;
  auto forget = [&](uint64_t) noexcept { forgotten++; };
  auto choose = [&](std::span<const unfold::leaf> leaves) noexcept {
    const unfold::leaf &last = leaves.back();
    chosen++;
    others += at->leaf_steps(leaves.size() - 1).size() != last.decided - last.fork;
    at->leaf_steps(leaves.size(), [&others](unfold::event) { others++; });
    return leaves.size() - 1;
  };
  unfold::explorer_options options(UNF_QPOR);
  options.forget_by(forget).choose_by(choose);
  {
    unfold::explorer explorer(u, options);
    at = &explorer;
    CHECK(explorer.explore(program).traces == 24 && others == 0);
    CHECK(program.ended_runs == 24 && program.progressed == 24 && program.restored > 0);
    CHECK(program.blocked_calls > 0 && chosen > 0 && u.cookie(explorer.last()) == 9);
  }
  CHECK(forgotten == program.states.size() - 1);
}

/* unf_explorer_save and _resume by hand: the second execution begins after the steps it shares. */
void resumed() {
  unfold::context context;
  unfold::unfolding u(context);
  lockers program(u, 1);
  const unfold::thread chooser = u.initial_thread(1);
  unfold::explorer explorer(u);
  uint64_t executions = 0;
  for (unfold::run run = explorer.next(); !run.finished; run = explorer.next()) {
    unfold::step step{};
    if (run.saved > 0) {
      CHECK(run.state == 42);
      explorer.resume(run.saved);
    } else {
      program.restart();
      explorer.offer(program.thread[0], program.next(program.thread[0]));
      explorer.offer(chooser, unfold::op::local(1, 3));
    }
    executions++;
    bool chose = false;
    for (step = explorer.step(); step.kind == UNF_STEP_ACTION; step = explorer.step()) {
      const bool local = step.action.kind == UNF_DID_LOCAL;
      if (!local) program.perform(step);
      explorer.commit();
      if (!local && !chose && program.counter[0] == 2) explorer.save(42);
      chose = chose || local;
      explorer.offer(step.action.thread,
                     local ? unfold::op::exit() : program.next(step.action.thread));
    }
    if (executions == 2) {
      explorer.abandon();
      executions = 100;
    } else {
      CHECK(explorer.finish().complete);
    }
  }
  CHECK(explorer.counts().traces == 3);
}

/* Whole executions: two threads that lock and unlock, run elsewhere. */
void whole_executions() {
  unfold::context context;
  unfold::unfolding u(context);
  lockers program(u, 3);
  unfold::explorer explorer(u);
  for (;;) {
    std::vector<unfold::traced> trace;
    const auto perform = [&](const unfold::action &action) {
      const unfold::operation operation = program.next(action.thread);
      trace.push_back({action, operation, 0});
      program.perform({UNF_STEP_ACTION, trace.size(), action});
    };
    program.restart();
    unfold::run run{};
    if (explorer.counts().traces % 2 == 0) {
      const unfold::prefix prefix = explorer.prefix();
      run = prefix.next;
      for (const unfold::action &action : prefix.actions)
        perform(action);
    } else {
      run = explorer.prefix(perform);
    }
    if (run.finished) break;
    int owner = -1;
    for (size_t t = 0; t < 3; t++)
      if (program.counter[t] == 1) owner = static_cast<int>(t);
    for (size_t n = 0; n < 3; n++) {
      const size_t t = owner >= 0 ? static_cast<size_t>(owner) : n;
      if (owner >= 0) n--;
      owner = -1;
      const unfold::thread who = program.thread[t];
      if (program.counter[t] == 0) perform({UNF_DID_ACQUIRE, who, program.mutex, 0, 0});
      if (program.counter[t] == 1) perform({UNF_DID_RELEASE, who, program.mutex, 0, 0});
    }
    std::vector<unfold::pending> ends;
    for (unfold::thread t : program.thread)
      ends.push_back({t, unfold::op::exit()});
    CHECK(explorer.feed(trace, ends).complete);
  }
  CHECK(explorer.counts().traces == 6 && explorer.counts().redundant == 0);
}

void drawn() {
  unfold::context context;
  unfold::unfolding u(context);
  lockers program(u, 3);
  unfold::explorer_options options(UNF_PCT);
  options.runs = 50;
  options.steps = 6;
  unfold::explorer explorer(u, options);
  const unfold::counts counts = explorer.explore(program);
  CHECK(counts.executions == 50 && counts.traces <= 6);
  CHECK(explorer.sampling().executions == 50 && explorer.sampling().threads == 3);
}

void schedules() {
  unfold::context context;
  unfold::unfolding u(context);
  const unfold::thread t = u.initial_thread(0);
  const unfold::object_name m = u.object(UNF_MUTEX, 0);
  unfold::schedule schedule(u, "a program");
  schedule.append({UNF_DID_ACQUIRE, t, m, 0, 0});
  const std::string text = schedule.write();
  const auto read = unfold::schedule::read(u, text);
  CHECK(read.program() == "a program" && unfold::same(read.steps()[0], schedule.steps()[0]));
  CHECK(status_of([&] { return unfold::schedule::read(u, "nothing"); }) == UNF_FORMAT);
  CHECK(status_of([&] { return unfold::schedule(u, "two\nlines"); }) == UNF_INVALID);
  CHECK(status_of([&] { return unfold::schedule(u, std::string("a\0b", 3)); }) == UNF_INVALID);
}

/* Two threads that write to one place without a lock, and a third byte apart. */
struct racing_program {
  unfold::unfolding &u;
  unfold::races &races;
  unfold::explorer *explorer = nullptr;
  std::array<unfold::thread, 2> thread;
  std::array<int, 2> counter{};
  unfold::event last = UNF_EVENT_BOTTOM;

  void restart(const unfold::run &run) {
    counter = {};
    last = UNF_EVENT_BOTTOM;
    const unfold::watch watch = races.begin(run.shared);
    CHECK(watch.watched && watch.resumed == 0);
  }
  unfold::operation next(unfold::thread who) {
    const size_t t = who == thread[1];
    const unfold::event now = explorer->last();
    if (counter[0] + counter[1] > 0 && now != last) races.step(now);
    last = now;
    if (counter[t] == 1) races.access({who, true, 8, 4, 20 + t});
    if (counter[t] == 1 && t == 0) {
      races.access({who, true, 64, 4, 30});
      races.forget(64, 4);
    }
    return counter[t] == 0 ? unfold::op::local() : unfold::op::exit();
  }
  void perform(const unfold::step &step) {
    counter[step.action.thread == thread[1]]++;
  }
};

void data_races() {
  unfold::context context;
  unfold::unfolding u(context);
  unfold::races races(u);
  racing_program program{u, races, nullptr, {u.initial_thread(0), u.initial_thread(1)}};
  unfold::explorer explorer(u);
  program.explorer = &explorer;
  CHECK(explorer.explore(program).traces == 1);
  CHECK(races.counts().watched == 1 && races.found().size() == 1);
  for (const unfold::race &race : races.found())
    CHECK(race.first.place + race.second.place == 41 && race.first.address == 8);
  const unfold::race_events where = races.after(0);
  CHECK(u.action(where.first).thread == races.found()[0].first.thread);
  CHECK(u.action(where.second).thread == races.found()[0].second.thread);
  CHECK(status_of([&] { return races.after(1); }) == UNF_UNKNOWN);
  CHECK(races.here_count() == 1 && races.here(0).index == 0);
  CHECK(races.here(0).accesses.first.address == 8);
  CHECK(status_of([&] { return races.here(1); }) == UNF_UNKNOWN);
}

/* A thread that flips a bit for ever, and so does another: four states. */
struct flipping {
  std::array<unfold::thread, 2> thread;
  std::array<unfold::object_name, 2> mutex;
  std::array<uint32_t, 2> inside{};
  unfold::fingerprint change{};

  void restart() {
    inside = {};
  }
  unfold::operation next(unfold::thread who) const {
    const size_t t = who == thread[1];
    return inside[t] ? unfold::op::unlock(mutex[t]) : unfold::op::lock(mutex[t]);
  }
  void perform(const unfold::step &step) {
    const size_t t = step.action.thread == thread[1];
    const uint32_t before = inside[t];
    inside[t] = 1 - before;
    change = {};
    change.replace(UNF_HASH_FAST, t, before, inside[t]);
  }
  unfold::fingerprint changed() const {
    return change;
  }
};

struct numbered_names {
  std::string thread(unfold::thread which) const {
    return "thread number " + std::to_string(which);
  }
};

void cutoffs() {
  unfold::context context;
  unfold::unfolding u(context);
  flipping program{{u.initial_thread(0), u.initial_thread(1)},
                   {u.object(UNF_MUTEX, 0), u.object(UNF_MUTEX, 1)}};
  unfold::explorer_options options;
  options.cutoffs = UNF_CUTOFFS_ERV;
  unfold::explorer explorer(u, options);
  CHECK(explorer.explore(program).truncated > 0);
  auto seen = explorer.cutoffs();
  CHECK(seen && seen->counts().kept > 0);
  seen->check();
  CHECK(seen->pnml().find("<pnml") != std::string::npos);
  const numbered_names names;
  CHECK(seen->pnml(unfold::names(names)).find("thread number") != std::string::npos);

  /* A few steps by hand, and then no more of it. */
  unfold::explorer by_hand(u, options);
  CHECK(by_hand.next().number == 1);
  program.restart();
  for (unfold::thread t : program.thread)
    by_hand.offer(t, program.next(t));
  const unfold::step step = by_hand.step();
  program.perform(step);
  by_hand.commit();
  by_hand.changed(program.changed());
  by_hand.abandon();
  CHECK(by_hand.counts().executions == 0);

  unfold::cutoffs table(u, UNF_CUTOFFS_SIZE);
  const unfold::event first = u.events()[0];
  unfold::fingerprint change;
  change.toggle(UNF_HASH_FAST, 1, std::as_bytes(std::span("x", 1)));
  CHECK(table.add(first, change) == UNF_CUTOFF_KEPT && table.verdict(first) == UNF_CUTOFF_KEPT);
  CHECK(table.state(first) == change && table.settle().empty());
  CHECK(table.compare(first, first) == 0 && table.counts().states == 2);
  CHECK(status_of([&] { return table.state(u.events()[1]); }) == UNF_MISSING);
}

void fingerprints() {
  unfold::fingerprint none, one, other;
  one.count(UNF_HASH_FAST, 3, 2);
  CHECK(one != none);
  other.count(UNF_HASH_FAST, 3, 1);
  other += other;
  CHECK(other == one);
  other -= one;
  CHECK(other == none);
  CHECK(status_of([&] {
          none.count(UNF_HASH_COUNT, 0, 1);
          return 0;
        }) == UNF_INVALID);
}

/* Two inputs x and y below 3; threads test x < y and y < x. */
struct small_domain {
  unfold::unfolding *u = nullptr;
  std::vector<uint64_t> gone{};

  bool holds(uint64_t witness, unfold::event event) noexcept {
    const uint64_t x = (witness - 1) / 3, y = (witness - 1) % 3;
    const unfold::literal literal = u->literal(event);
    return (literal.term == 0 ? x < y : y < x) == (literal.outcome == 1);
  }
  unfold::answer consistent(unfold::question &question) noexcept {
    CHECK(question.known().size() <= question.events().size());
    for (uint64_t values = 1; values <= 9; values++) {
      const auto fits = [&](unfold::event event) { return holds(values, event); };
      if (!std::ranges::all_of(question.events(), fits)) continue;
      question.witness(values);
      return UNF_ANSWER_YES;
    }
    for (unfold::event event : question.events())
      question.core(event);
    return UNF_ANSWER_NO;
  }
  void forget(uint64_t witness) noexcept {
    gone.push_back(witness);
  }
};

struct testing {
  std::array<unfold::thread, 2> thread;
  std::array<bool, 2> done{};

  void restart() {
    done = {};
  }
  unfold::operation next(unfold::thread who) const {
    const size_t t = who == thread[1];
    return done[t] ? unfold::op::exit() : unfold::op::branch(t, 2);
  }
  void perform(const unfold::step &step) {
    done[step.action.thread == thread[1]] = true;
  }
};

/* Tests for ever: with cutoffs it is explored to the end. */
struct testing_again : testing {
  unfold::fingerprint change;

  unfold::operation next(unfold::thread who) const {
    return unfold::op::branch(who == thread[1], 2);
  }
  unfold::fingerprint changed() const {
    return change;
  }
  unfold::fingerprint condition() const {
    return {};
  }
};

void branches_with_cutoffs() {
  small_domain domain;
  unfold::context context;
  unfold::unfolding u(context);
  domain.u = &u;
  unfold::set_consistency(u, domain);
  testing_again program;
  program.thread = {u.initial_thread(0), u.initial_thread(1)};
  unfold::explorer_options options;
  options.cutoffs = UNF_CUTOFFS_ERV;
  unfold::explorer explorer(u, options);
  CHECK(explorer.explore(program).truncated > 0);
  explorer.cutoffs()->check();

  unfold::explorer by_hand(u, options);
  (void)by_hand.next();
  for (unfold::thread t : program.thread)
    by_hand.offer(t, program.next(t));
  (void)by_hand.step();
  by_hand.commit();
  CHECK(status_of([&] {
          by_hand.changed(program.change);
          return 0;
        }) == UNF_UNSUPPORTED);
  by_hand.changed_under(program.change, {});
  by_hand.abandon();

  unfold::cutoffs table(u, UNF_CUTOFFS_SIZE);
  CHECK(table.add_under(u.events()[0], {}, {}) == UNF_CUTOFF_IS);
}

void branches() {
  small_domain domain; /* first, for the unfolding says to the end what it does not need */
  unfold::context context;
  unfold::unfolding u(context);
  domain.u = &u;
  unfold::set_consistency(u, domain);
  testing program{{u.initial_thread(0), u.initial_thread(1)}};
  unfold::explorer explorer(u);
  /* Not both, so three of four combinations. */
  CHECK(explorer.explore(program).traces == 3);
  CHECK(u.consistency_counts().questions > 0 && u.consistency_counts().no > 0);
  CHECK(status_of([&] {
          unfold::set_consistency(u, domain);
          return 0;
        }) == UNF_STATE);
}

void parts_of_odpor() {
  unfold::context context;
  unfold::unfolding u(context);
  lockers program(u, 2);
  unfold::configuration c(u);
  std::vector<unfold::event> execution;
  for (unfold::thread t : program.thread)
    c.offer(t, unfold::op::lock(program.mutex));
  for (unfold::thread t : program.thread) {
    execution.push_back(c.perform({UNF_DID_ACQUIRE, t, program.mutex, 0, 0}));
    c.offer(t, unfold::op::unlock(program.mutex));
    execution.push_back(c.perform({UNF_DID_RELEASE, t, program.mutex, 0, 0}));
    c.offer(t, unfold::op::exit());
  }
  CHECK(unfold::execution_races(u, execution) == std::vector{unfold::racing(1, 2)});
  uint64_t races = 0;
  unfold::execution_races(u, execution, [&](uint64_t, uint64_t) { races++; });
  CHECK(races == 1);
  const std::vector<unfold::reversal> reversals = unfold::execution_reversals(u, execution);
  CHECK(reversals.size() == 1 && reversals[0].position == 0);
  CHECK(reversals[0].sequence == std::vector{reversals[0].event});
  unfold::execution_reversals(u, execution, [&](const unf_reversal &r) {
    CHECK(std::ranges::equal(unfold::sequence_of(r), reversals[0].sequence));
    return false;
  });

  unfold::sleep_sets sleep(u);
  CHECK(sleep.last() == UNF_EVENT_BOTTOM && !sleep.contains(execution[0]));
  sleep.add(execution[0]);
  CHECK(sleep.contains(execution[0]) && sleep.at(0) == std::vector{execution[0]});
  CHECK(sleep.initial(0, std::span(execution).first(1)));
  CHECK(!sleep.initial(0, reversals[0].sequence));
  sleep.push(reversals[0].event);
  CHECK(sleep.at(1).empty() && sleep.last() == reversals[0].event);
  sleep.pop();
  CHECK(status_of([&] {
          sleep.pop();
          return 0;
        }) == UNF_STATE);

  unfold::wakeup_trees trees(u);
  CHECK(trees.insert(0, reversals[0].sequence) && trees.size() == 1);
  CHECK(trees.at(0) == std::vector{unfold::wakeup_event(reversals[0].event, 0)});
  uint64_t seen = 0;
  trees.at(0, [&](unfold::event, uint32_t level) { seen += level + 1; });
  CHECK(seen == 1 && trees.take(0) == reversals[0].event && trees.take(0) == UNF_EVENT_NONE);
}

/* while (exchange(lock, 1) == 1); */
void purity() {
  unfold::context context;
  unfold::flow flow(context);
  const unfold::block start = flow.block("start"), spin = flow.block(), locked = flow.block();
  const unfold::register_name old = flow.new_register("old"), phi = flow.new_register();
  const unfold::term one = flow.constant(1);
  unfold::statement take(UNF_STATEMENT_EXCHANGE);
  take.result = old;
  take.a = one;
  flow.append(spin, take);
  flow.edge(start, spin);
  const unfold::term again = flow.apply(UNF_OPERATOR_EQ, flow.value_of(old), one);
  flow.edge(spin, spin, again);
  flow.edge(spin, locked);
  flow.phi(locked, phi);
  flow.phi_operand(phi, spin, one);
  CHECK(flow.text(again) == "old == 1" && flow.view(again).op == UNF_OPERATOR_EQ);
  CHECK(flow.evaluate(again, [](unfold::register_name) { return 1; }) == 1);
  CHECK(flow.evaluate(again, [](unfold::register_name) { return 2; }) == 0);
  try {
    static_cast<void>(flow.evaluate(again, [](unfold::register_name) -> int64_t { throw 5; }));
    CHECK(false);
  } catch (int thrown) {
    CHECK(thrown == 5);
  }
  unfold::purity purity(flow);
  CHECK(purity.loops().size() == 1 && purity.loops()[0].header == spin);
  CHECK(purity.insertions().size() == 1 && purity.insertions()[0].await);
  CHECK(purity.contains(0, spin) && !purity.contains(0, locked) && !purity.edge(0, spin, spin));
  CHECK(purity.remarks().size() == purity.loops()[0].remarks);
  for (const unfold::remark &remark : purity.remarks())
    CHECK(remark.loop == 0);
  CHECK(!purity.write().empty());

  /* A loop that changes what others see has a remark. */
  unfold::flow counting(context);
  const unfold::block only = counting.block();
  counting.append(only, unfold::statement(UNF_STATEMENT_STORE));
  counting.edge(only, only);
  const unfold::purity impure(counting);
  CHECK(impure.remarks().size() == 1 && impure.remarks()[0].why == UNF_IMPURITY_EFFECT);
}

} // namespace

int main() {
  step_by_step();
  engines();
  resumed();
  whole_executions();
  drawn();
  schedules();
  data_races();
  cutoffs();
  branches_with_cutoffs();
  fingerprints();
  branches();
  parts_of_odpor();
  purity();
}

/* What callbacks throw comes out of the call that they were called in, and the call can be made
 * again. An engine, and a family, throw at each of their calls in turn; the exploration goes on and
 * comes to the same. */
#include <stdexcept>
#include <string>

#include "check.hpp"

namespace {

struct thrown_here {
  uint64_t at;
};

/* Counts calls, and throws at one of them. */
struct fuse {
  uint64_t calls = 0, blows_at = UINT64_MAX;
  void burn() {
    const uint64_t number = calls++;
    if (number != blows_at) return;
    if (number % 3 == 0) throw thrown_here{number};
    if (number % 3 == 1) throw std::bad_alloc();
    throw unfold::error(UNF_DISABLED);
  }
};

/* Boxes into which threads put numbers and from which one takes: a family that throws. */
struct boxes {
  fuse *with;
  const char *name() const noexcept {
    return "box";
  }
  void uses(const unfold::action &action, unfold::uses &use) const {
    with->burn();
    use(action.target);
  }
  void outcomes(const unfold::view &before, unfold::thread, const unfold::operation &operation,
                unfold::outcomes &can_have) const {
    with->burn();
    size_t size = 0;
    before.history(operation.target, [&](unfold::event) {
      with->burn();
      size++;
    });
    if (operation.low == 0)
      can_have(static_cast<int64_t>(size));
    else if (size >= 2)
      can_have(-1);
  }
  void concerns(const unfold::operation &operation, unfold::uses &use) const {
    with->burn();
    use(operation.target, UNF_MODE_WRITE);
  }
};

/* Two threads put, a third takes when both have: every function of an engine throws. */
struct program {
  fuse *with;
  uint32_t family;
  std::vector<unfold::thread> thread{};
  unfold::object_name box = 0;
  std::vector<bool> done{};
  uint64_t ended_runs = 0;

  program(unfold::unfolding &in, fuse &by, uint32_t number) : with(&by), family(number) {
    for (uint32_t i = 0; i < 3; i++)
      thread.push_back(in.initial_thread(i));
    box = in.object(UNF_CUSTOM, 0);
  }
  void restart() {
    with->burn();
    done.assign(3, false);
  }
  uint64_t restore(const unfold::run &) {
    with->burn();
    return 0;
  }
  uint64_t save(uint64_t) {
    with->burn();
    return 0;
  }
  unfold::operation next(unfold::thread who) {
    with->burn();
    return done.at(who) ? unfold::op::exit() : unfold::op::custom(family, box, who == thread[2]);
  }
  void perform(const unfold::step &step) {
    with->burn();
    done.at(step.action.thread) = true;
  }
  void blocked(unfold::explorer &) {
    with->burn();
  }
  void ended(const unfold::verdict &, unfold::explorer &explorer) {
    ended_runs++;
    explorer.path([this](unfold::event) { with->burn(); });
  }
  void progress() {
    with->burn();
  }
};

struct result {
  unfold::counts counts;
  uint64_t calls, exceptions;
};

/* Whether what came out is what was thrown at a call. */
bool as_thrown(const std::exception_ptr &caught, uint64_t at) {
  try {
    std::rethrow_exception(caught);
  } catch (const thrown_here &e) {
    return at % 3 == 0 && e.at == at;
  } catch (const std::bad_alloc &) {
    return at % 3 == 1;
  } catch (const unfold::error &e) {
    return at % 3 == 2 && e.status() == UNF_DISABLED;
  } catch (...) {
    return false;
  }
}

result explore(unf_algorithm algorithm, uint64_t blows_at) {
  fuse with;
  boxes family{&with};
  unfold::context context;
  unfold::unfolding u(context);
  program p(u, with, unfold::register_effect(u, family));
  unfold::explorer explorer(u, unfold::explorer_options(algorithm));
  result all{};
  with.blows_at = blows_at;
  for (;;) {
    try {
      all.counts = explorer.explore(p);
      break;
    } catch (...) {
      CHECK(as_thrown(std::current_exception(), blows_at));
      all.exceptions++;
    }
  }
  explorer.check();
  CHECK(p.ended_runs == all.counts.executions);
  all.calls = with.calls;
  return all;
}

void at_each_call() {
  for (unf_algorithm algorithm : {UNF_QPOR, UNF_ODPOR, UNF_EAGER}) {
    const result whole = explore(algorithm, UINT64_MAX);
    CHECK(whole.counts.traces == 2 && whole.exceptions == 0 && whole.calls > 50);
    for (uint64_t at = 0; at < whole.calls; at++) {
      const result seen = explore(algorithm, at);
      CHECK(seen.exceptions == 1);
      CHECK(seen.counts.traces == 2 && seen.counts.executions == whole.counts.executions);
    }
  }
}

/* Visitors, sinks and the progress callback. */
void others() {
  auto progress = [](const unfold::progress &) -> bool { throw thrown_here{1}; };
  unfold::context_options options;
  options.report_to(progress, 3);
  unfold::context context(options);
  unfold::unfolding u(context);
  lockers p(u, 3);
  unfold::explorer explorer(u);
  unfold::counts counts{};
  uint64_t exceptions = 0;
  for (bool done = false; !done;) {
    try {
      counts = explorer.explore(p);
      done = true;
    } catch (const thrown_here &) {
      exceptions++;
    }
  }
  CHECK(counts.traces == 6 && exceptions == 2);
  const auto thrower = [](unfold::event) -> bool { throw thrown_here{2}; };
  const auto throws = [](const auto &call) {
    try {
      call();
    } catch (const thrown_here &) {
      return true;
    }
    return false;
  };
  const unfold::event last = explorer.last();
  CHECK(throws([&] { u.history(last, thrower); }));
  CHECK(throws([&] { explorer.path(thrower); }));
  CHECK(throws([&] { u.json([](std::string_view) { throw thrown_here{3}; }); }));
  /* Nothing of it is left behind. */
  CHECK(u.history(last).size() == 6);
  CHECK(status_of([&] { return u.history(12345); }) == UNF_UNKNOWN);
}

/* A visitor that makes calls itself: what these throw is thrown once, by the outer call. */
void nested() {
  unfold::context context;
  unfold::unfolding u(context);
  lockers p(u, 2);
  unfold::explorer explorer(u);
  static_cast<void>(explorer.explore(p));
  uint64_t inner = 0;
  try {
    u.history(explorer.last(), [&](unfold::event e) {
      u.history(e, [&](unfold::event) { inner++; });
      try {
        u.history(e, [](unfold::event) { throw std::runtime_error("inside"); });
      } catch (const std::runtime_error &) {
        inner += 100;
      }
      static_cast<void>(u.action(e + 1000));
    });
    CHECK(false);
  } catch (const unfold::error &e) {
    CHECK(e.status() == UNF_UNKNOWN && inner == 101);
  }
}

/* A call that C makes has nobody to throw to: it gets the status, and nothing stays behind. */
void called_by_c() {
  fuse with;
  boxes family{&with};
  unfold::context context;
  unfold::unfolding u(context);
  const uint32_t number = unfold::register_effect(u, family);
  const unfold::thread t = u.initial_thread(0);
  const unfold::object_name box = u.object(UNF_CUSTOM, 0);
  unfold::configuration c(u);
  c.offer(t, unfold::op::custom(number, box, 0));
  const unfold::action put{UNF_DID_CUSTOM, t, box, number, 0};
  with = {0, 0};
  CHECK(unf_configuration_perform(c.get(), &put, nullptr) == UNF_INTERRUPTED);
  CHECK(std::string(context.detail().text).find("box") != std::string::npos);
  CHECK(status_of([&] { return u.action(99); }) == UNF_UNKNOWN);
  CHECK(c.perform(put) == 1);
}

/* A status that an engine returns comes back as an error, and is no exception of its own. */
struct refusing : lockers {
  using lockers::lockers;
  unf_status answer = UNF_DIVERGENCE;
  unf_status perform(const unfold::step &step) {
    if (answer == UNF_OK) lockers::perform(step);
    return std::exchange(answer, UNF_OK);
  }
};

void statuses() {
  unfold::context context;
  unfold::unfolding u(context);
  refusing p(u, 2);
  unfold::explorer explorer(u);
  CHECK(status_of([&] { return explorer.explore(p); }) == UNF_DIVERGENCE);
  CHECK(explorer.explore(p).traces == 2);
}

} // namespace

int main() {
  at_each_call();
  others();
  nested();
  called_by_c();
  statuses();
}

/* Contexts, unfoldings, configurations and alternatives: each function is called, and says what the
 * definitions say of two threads at a mutex. */
#include <algorithm>
#include <array>
#include <ranges>
#include <sstream>
#include <string>

#include "check.hpp"

namespace {

using event_range = unfold::numbered<unfold::event, unf_unfolding>;
static_assert(std::ranges::random_access_range<event_range> && std::ranges::view<event_range>);
static_assert(std::ranges::sized_range<event_range> && std::ranges::borrowed_range<event_range>);
static_assert(std::ranges::random_access_range<unfold::numbered<unfold::action, unf_schedule>>);

/* Two threads that run from the start, and two mutexes. */
struct pair {
  unfold::context context;
  unfold::unfolding u{context};
  unfold::thread left = u.initial_thread(0), right = u.initial_thread(1);
  unfold::object_name m = u.object(UNF_MUTEX, 0), n = u.object(UNF_MUTEX, 1);

  unfold::action acquires(unfold::thread who, unfold::object_name what) const {
    return {UNF_DID_ACQUIRE, who, what, 0, 0};
  }
};

void contexts() {
  counted_memory memory;
  unfold::context_options options;
  options.allocate_from(memory);
  std::vector<std::string> lines;
  auto log = [&lines](const char *line) noexcept { lines.emplace_back(line); };
  options.log_to(log);
  unfold::context context(options);
  CHECK(context.bytes() == memory.bytes && memory.bytes > 0);
  CHECK(context.left().events == UINT64_MAX);
  unfold::limits limits{};
  limits.events = 100;
  context.set_limits(limits);
  CHECK(context.left().events == 100);
  CHECK(context.detail().status == UNF_OK);
  CHECK(unfold::version() == UNF_VERSION);
  CHECK(unfold::version_text() == std::string(UNF_VERSION_STRING));
  unfold::unfolding u(context);
  lockers program(u, 2);
  unfold::explorer explorer(u);
  context.interrupt();
  CHECK(status_of([&] { return explorer.explore(program); }) == UNF_INTERRUPTED);
  CHECK(context.detail().status == UNF_INTERRUPTED);
  CHECK(explorer.explore(program).traces == 2 && context.left().events == 100 - 8);
  CHECK(!lines.empty());
}

void names() {
  pair p;
  CHECK(p.u.context() == p.context.get() && p.u.home() == p.context.get());
  const unfold::thread child = p.u.thread(p.left, 3);
  const unfold::thread_description who = p.u.describe_thread(child);
  CHECK(who.parent == p.left && who.index == 3 && !who.initial && p.u.thread_text(child) == "0.3");
  CHECK(p.u.threads().size() == 3 && p.u.threads()[2] == child);
  const unfold::thread third = p.u.thread(UNF_THREAD_NONE, 2);
  p.u.start(third);
  CHECK(p.u.describe_thread(third).initial);
  const unfold::object_name made = p.u.object(UNF_SEMAPHORE, 7, child);
  const unfold::object_description what = p.u.describe_object(made);
  CHECK(what.object_class == UNF_SEMAPHORE && what.creator == child && what.key == 7);
  p.u.set_initial(made, 2);
  p.u.set_maximum(made, 5);
  CHECK(status_of([&] {
          p.u.set_initial(made, 3);
          return 0;
        }) == UNF_STATE);
  const unfold::object_name word = p.u.object(UNF_LOCATION, 0), byte = p.u.object(UNF_LOCATION, 1);
  p.u.place(word, word, 0, 4);
  p.u.place(byte, word, 1, 1);
  const unfold::location_description where = p.u.describe_location(byte);
  CHECK(where.space == word && where.first == 1 && where.size == 1);
  CHECK(p.u.objects().size() == 5 && p.u.objects()[0] == p.m);
  const std::array both{p.right, p.left};
  const int64_t set = p.u.thread_set(both);
  CHECK(p.u.thread_set_members(set) == std::vector{p.left, p.right});
  CHECK(p.u.text(unfold::op::lock(p.m)) == "lock mutex - 0");
  CHECK(p.u.text(p.acquires(p.right, p.n)) == "1 acq mutex - 1");
  CHECK(unfold::same(p.acquires(p.left, p.m), p.acquires(p.left, p.m)));
  CHECK(!unfold::same(p.acquires(p.left, p.m), p.acquires(p.left, p.n)));
  CHECK(unfold::same(unfold::op::store(word, 3), UNF_OP_STORE(word, 3)));
}

void events() {
  pair p;
  const unfold::event a = p.u.intern(p.acquires(p.left, p.m), {UNF_EVENT_BOTTOM});
  const unfold::event b = p.u.intern({UNF_DID_RELEASE, p.left, p.m, 0, 0}, {a});
  const unfold::event c = p.u.intern(p.acquires(p.right, p.m), {b});
  const unfold::event d = p.u.intern(p.acquires(p.right, p.m), {UNF_EVENT_BOTTOM});
  const unfold::event e = p.u.intern(p.acquires(p.right, p.n), {UNF_EVENT_BOTTOM});
  CHECK(std::ranges::equal(p.u.events(), std::array{a, b, c, d, e}));
  CHECK(std::ranges::count_if(p.u.events(), [&](unfold::event one) {
          return p.u.action(one).thread == p.right;
        }) == 3);
  CHECK(p.u.predecessors(c) == std::vector{b} && p.u.history(c) == std::vector{a, b, c});
  CHECK(p.u.predecessors(d) == std::vector{UNF_EVENT_BOTTOM});
  std::vector<unfold::event> first;
  p.u.history(c, [&](unfold::event one) {
    first.push_back(one);
    return first.size() < 2;
  });
  CHECK(first == std::vector{a, b});
  p.u.set_cookie(c, 77);
  CHECK(p.u.cookie(c) == 77 && p.u.cookie(d) == 0);
  CHECK(p.u.fingerprint(c) != p.u.fingerprint(d) && p.u.fingerprint(c) == p.u.fingerprint(c));
  CHECK(p.u.precedes(a, c) && !p.u.precedes(c, a));
  CHECK(p.u.conflicts(c, d) && p.u.conflicts_immediately(a, d));
  CHECK(!p.u.conflicts_immediately(c, d));
  CHECK(p.u.concurrent(a, e) && !p.u.concurrent(a, b));
  CHECK(p.u.dependent(p.acquires(p.left, p.m), p.acquires(p.right, p.m)));
  CHECK(!p.u.dependent(p.acquires(p.left, p.m), p.acquires(p.right, p.n)));
  const std::array sequence{a, b};
  CHECK(p.u.weak_initial(e, sequence) && !p.u.weak_initial(d, sequence));
  p.u.check();
  CHECK(p.u.dot().starts_with("digraph") && p.u.json().starts_with("{"));
  CHECK(status_of([&] { return p.u.literal(a); }) == UNF_INVALID);
  CHECK(p.u.consistency_counts().questions == 0);
  try {
    static_cast<void>(p.u.action(99));
    CHECK(false);
  } catch (const unfold::error &unknown) {
    CHECK(unknown.status() == UNF_UNKNOWN && unknown.detail().status == UNF_UNKNOWN);
    CHECK(std::string(unknown.what()) == p.context.detail().text);
  }
}

void configurations() {
  pair p;
  unfold::configuration one(p.u), other(p.u);
  one.offer(p.left, unfold::op::lock(p.m));
  one.offer(p.right, unfold::op::lock(p.m));
  CHECK(one.next(p.left).kind == UNF_LOCK && !one.blocked(p.right));
  CHECK(one.actions().size() == 2 && one.enabled().size() == 2 && one.conflicting().empty());
  const unfold::event a = one.perform(p.acquires(p.left, p.m));
  one.offer(p.left, unfold::op::unlock(p.m));
  std::vector<unfold::event> behind;
  CHECK(one.blocked(p.right, [&](unfold::event by) { behind.push_back(by); }));
  CHECK(behind == std::vector{a} && one.owner_of(p.m) == p.left);
  CHECK(one.size() == 1 && one.contains(a) && one.last(p.left) == a);
  const std::vector<unfold::event> could_have = one.conflicting();
  CHECK(could_have.size() == 1 && one.conflicts(could_have[0]));
  const unfold::event d = could_have[0];
  CHECK(one.conflicts_immediately(d) && one.extends(d) && !one.concurrent(d));
  CHECK(one.extensions().size() == 2 && one.maximal() == std::vector{a});
  CHECK(one.events() == std::vector{a});
  std::vector<unfold::action> actions;
  one.actions([&](const unfold::action &next) { actions.push_back(next); });
  CHECK(actions.size() == 1 && actions[0].kind == UNF_DID_RELEASE);
  other.assign(one);
  CHECK(other.equal(one) && one.consistent() == UNF_ANSWER_YES);
  other.clear();
  CHECK(other.size() == 0 && !other.equal(one));
  const unfold::event e = p.u.intern(p.acquires(p.right, p.n), {UNF_EVENT_BOTTOM});
  CHECK(status_of([&] { return p.u.intern(p.acquires(p.right, p.n), {e, 99}); }) == UNF_UNKNOWN);
  other.add(a);
  CHECK(status_of([&] {
          other.extend(d);
          return 0;
        }) == UNF_CONFLICT);
  CHECK(status_of([&] {
          other.unite(unfold::configuration(p.u));
          return 0;
        }) == UNF_OK);
  other.clear();
  other.extend(d);
  CHECK(status_of([&] {
          other.unite(one);
          return 0;
        }) == UNF_CONFLICT);
  one.check();
  unfold::configuration whole(p.u);
  whole.offer(p.left, unfold::op::lock(p.m));
  whole.offer(p.right, unfold::op::lock(p.m));
  whole.check_independence();
  CHECK(one.json().starts_with("{"));
  const unfold::object_name x = p.u.object(UNF_LOCATION, 0);
  CHECK(one.value(x) == 0);
}

/* The same text, wherever it goes. */
void texts() {
  pair p;
  unfold::configuration c(p.u);
  c.perform(p.acquires(p.left, p.m));
  const std::string text = c.dot();
  std::ostringstream stream;
  c.dot(stream);
  std::string appended = "> ";
  c.dot(appended);
  std::string pieces;
  c.dot([&](std::string_view piece) { pieces += piece; });
  CHECK(stream.str() == text && appended == "> " + text && pieces == text);
  CHECK(status_of([&] {
          c.dot([](std::string_view) { return false; });
          return 0;
        }) == UNF_WRITE);
  stream.setstate(std::ios::badbit);
  CHECK(status_of([&] {
          c.dot(stream);
          return 0;
        }) == UNF_WRITE);
}

/* Names of the program; one of them cannot be said. */
struct called {
  std::string thread(unfold::thread which) const {
    if (which == 7) throw std::string("nobody");
    return which == 0 ? "a thread with quite a long name" : "other";
  }
  std::string object(unfold::object_name) const {
    return "lock";
  }
};
struct only_objects {
  std::string_view object(unfold::object_name) const {
    return "it";
  }
};

struct only_events {
  std::string event(unf_event which) const {
    return which == 1 ? "the first" : "";
  }
};

void labels() {
  pair p;
  unfold::configuration c(p.u);
  c.perform(p.acquires(p.left, p.m));
  const called names;
  const unfold::names by(names);
  CHECK(p.u.label(by, p.acquires(p.left, p.m)) == "acq lock");
  CHECK(p.u.label(by, p.left) == "a thread with quite a long name");
  const only_objects few;
  CHECK(p.u.label(unfold::names(few), p.left) == "0");
  CHECK(c.dot(by).find("a thread with quite a long name") != std::string::npos);
  CHECK(p.u.dot(unfold::names(few)).find("acq it") != std::string::npos);
  const only_events steps;
  CHECK(p.u.dot(unfold::names(steps)).find("e1 [label=\"the first\"]") != std::string::npos);
  unfold::tree tree(p.u);
  CHECK(tree.dot(by) == tree.dot());
  for (uint32_t i = 2; i < 8; i++)
    CHECK(p.u.thread(UNF_THREAD_NONE, i) == i);
  try {
    static_cast<void>(p.u.label(by, unfold::thread{7}));
    CHECK(false);
  } catch (const std::string &thrown) {
    CHECK(thrown == "nobody");
  }
}

void switches() {
  pair p;
  unfold::configuration c(p.u);
  c.perform(p.acquires(p.left, p.m));
  c.perform(p.acquires(p.right, p.n));
  c.perform({UNF_DID_RELEASE, p.left, p.m, 0, 0});
  const unfold::few_switches few = c.fewest_switches();
  CHECK(few.counts.switches == 1 && few.counts.least == 1 && few.events.size() == 3);
}

void alternatives() {
  pair p;
  const unfold::event a = p.u.intern(p.acquires(p.left, p.m), {UNF_EVENT_BOTTOM});
  const unfold::event d = p.u.intern(p.acquires(p.right, p.m), {UNF_EVENT_BOTTOM});
  unfold::configuration C(p.u);
  const std::array U{d}, D{a};
  unfold::alternative_statistics cost{};
  std::optional<unfold::configuration> J = unfold::find_alternative(p.u, U, C, D, {}, &cost);
  CHECK(J && J->events() == std::vector{d} && cost.searches == 1 && cost.found == 1);
  J = unfold::find_alternative(p.u, std::span<const unfold::event>(), C, D);
  CHECK(!J);
  C.add(a);
  CHECK(status_of([&] { return unfold::find_alternative(p.u, U, C, D); }) == UNF_INVALID);
}

void words() {
  using unfold::text;
  CHECK(text(UNF_OK) == std::string("success") && text(UNF_LOCK) == std::string("lock"));
  CHECK(text(UNF_DID_ACQUIRE) == std::string("acq") && text(UNF_ODPOR) == std::string("odpor"));
  CHECK(text(UNF_ORDER_RANDOM) == std::string("random"));
  CHECK(text(UNF_CUTOFFS_ERV) == std::string("erv"));
  CHECK(text(UNF_STATEMENT_TRY) == std::string("try"));
  CHECK(std::string(text(UNF_IMPURITY_INNER)).size() > 5);
  CHECK(unfold::algorithm_from_text("eager") == UNF_EAGER && !unfold::algorithm_from_text("lazy"));
  CHECK(unfold::order_from_text("bfs") == UNF_ORDER_BREADTH_FIRST);
  CHECK(!unfold::order_from_text(""));
  CHECK(unfold::cutoff_order_from_text("size") == UNF_CUTOFFS_SIZE);
  CHECK(!unfold::cutoff_order_from_text("weight"));
}

} // namespace

int main() {
  contexts();
  names();
  events();
  configurations();
  texts();
  labels();
  switches();
  alternatives();
  words();
}

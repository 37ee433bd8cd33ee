/* The ready families, with counts made by hand; and a family that uses parts of objects, is
 * hindered and refuses. */
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

#include "check.hpp"

namespace {

/* Threads with a list of operations each. */
struct listed {
  std::vector<unfold::thread> thread{};
  std::vector<std::vector<unfold::operation>> code;
  std::vector<size_t> at{};
  std::vector<unfold::action> seen{};

  listed(unfold::unfolding &in, std::vector<std::vector<unfold::operation>> of)
      : code(std::move(of)) {
    for (uint32_t i = 0; i < code.size(); i++)
      thread.push_back(in.initial_thread(i));
  }
  void restart() {
    at.assign(code.size(), 0);
  }
  unfold::operation next(unfold::thread who) const {
    return at.at(who) < code.at(who).size() ? code[who][at[who]] : unfold::op::exit();
  }
  void perform(const unfold::step &step) {
    seen.push_back(step.action);
    at.at(step.action.thread)++;
  }
};

/* Two senders of two messages and a receiver of four: 6 traces. */
void channels() {
  unfold::context context;
  unfold::unfolding u(context);
  const uint32_t family = unfold::channel::register_family(u);
  const auto c = unfold::channel::make(u, family, 0, 4);
  listed program(u, {{c.send(1), c.send(2)},
                     {c.send(3), c.send(4)},
                     {c.receive(), c.receive(), c.receive(), c.receive()}});
  unfold::explorer explorer(u);
  CHECK(explorer.explore(program).traces == 6);
  uint64_t received = 0;
  for (const unfold::action &action : program.seen) {
    const unfold::channel_event did = unfold::channel::did(action);
    CHECK(did.number < 4);
    received += did.outcome == UNF_CHANNEL_RECEIVED;
  }
  CHECK(received >= 4);
  CHECK(status_of([&] { return unfold::channel::make(u, family, 1, 0); }) == UNF_INVALID);
}

/* A try finds the channel full, or a message gone, or closed. */
void tries() {
  unfold::context context;
  unfold::unfolding u(context);
  const auto c = unfold::channel::make(u, unfold::channel::register_family(u), 0, 1);
  listed program(u, {{c.try_send(1), c.try_send(2), c.close()}, {c.try_receive()}});
  unfold::explorer explorer(u);
  const unfold::counts counts = explorer.explore(program);
  CHECK(counts.traces == counts.complete && counts.traces > 1 && counts.redundant == 0);
}

/* Two senders, each with a message that the receiver takes in any order: 2 traces. */
void mailboxes() {
  unfold::context context;
  unfold::unfolding u(context);
  const unfold::thread owner = u.initial_thread(0);
  const auto box = unfold::mailbox::make(u, unfold::mailbox::register_family(u), owner, 0);
  listed program(u, {{box.receive(), box.receive(1u << 5)}, {box.send(1, 5)}, {box.send(2, 5)}});
  unfold::explorer explorer(u);
  CHECK(explorer.explore(program).traces == 2);
  for (const unfold::action &action : program.seen) {
    const unfold::mailbox_event did = unfold::mailbox::did(action);
    CHECK(did.outcome == (action.thread == owner ? UNF_MAILBOX_RECEIVED : UNF_MAILBOX_SENT));
    CHECK(did.message.tag == 5 && did.message.number == 0);
  }
  unfold::unfolding empty(context);
  const auto e = unfold::mailbox::make(empty, unfold::mailbox::register_family(empty),
                                       empty.initial_thread(0), 0);
  listed alone(empty, {{e.try_receive()}});
  unfold::explorer second(empty);
  CHECK(second.explore(alone).traces == 1);
  CHECK(unfold::mailbox::did(alone.seen[0]).outcome == UNF_MAILBOX_EMPTY);
}

/* All who wait read it: 1 trace; a poll is before or after: 2. */
void futures() {
  unfold::context context;
  unfold::unfolding u(context);
  const auto f = unfold::future::make(u, unfold::future::register_family(u), 0);
  listed program(u, {{f.set(7)}, {f.get()}, {f.poll()}});
  unfold::explorer explorer(u);
  CHECK(explorer.explore(program).traces == 2);
  CHECK(unfold::future::did(program.seen[0]) == UNF_FUTURE_SET);
}

/* A box with two slots, its parts 0 and 1: an action writes the slot of its number, and a look at
 * slot 0 says how often it was written, and when last; it finds nothing until then. */
struct slots {
  mutable uint64_t seen = 0, hinted = 0;
  const char *name() const noexcept {
    return "slot";
  }
  void uses(const unfold::action &action, unfold::uses &use) const {
    if (action.value >= 0)
      use.part(action.target, static_cast<uint64_t>(action.value));
    else
      use.part(action.target, 0, UNF_MODE_READ);
  }
  void concerns(const unfold::operation &operation, unfold::uses &use) const {
    use.part(operation.target, operation.low >= 0 ? static_cast<uint64_t>(operation.low) : 0);
  }
  void outcomes(const unfold::view &before, unfold::thread, const unfold::operation &operation,
                unfold::outcomes &can_have) const {
    if (operation.low > 1) before.refuse(operation.second, "there are two slots");
    if (operation.low >= 0) {
      can_have(operation.low);
      return;
    }
    const auto writes = before.history(operation.target, uint64_t{0});
    const unfold::event last = before.last_write(operation.target, 0);
    CHECK(writes.empty() == (last == UNF_EVENT_BOTTOM));
    CHECK(before.last_write(operation.target) == UNF_EVENT_BOTTOM);
    seen += writes.size();
    can_have(writes.empty() ? -1 : -2);
  }
  std::string label(const unfold::action &action) const {
    if (action.value > 1) throw std::runtime_error("no slot");
    return action.value < 0 ? "looked" : "slot " + std::to_string(action.value);
  }
  void hinders(const unfold::view &before, unfold::thread, const unfold::operation &operation,
               unfold::hindrances &in_the_way) const {
    if (operation.low >= 0) return;
    for (unfold::event event : before.history(operation.target, uint64_t{0}))
      if (in_the_way(event)) hinted++;
  }
};

struct boxes {
  std::string_view object(unfold::object_name) const {
    return "box";
  }
};

void parts() {
  slots family;
  unfold::context context;
  unfold::unfolding u(context);
  const uint32_t number = unfold::register_effect(u, family);
  const unfold::object_name box = u.object(UNF_CUSTOM, 0);
  listed program(u, {{unfold::op::custom(number, box, 0)},
                     {unfold::op::custom(number, box, 1)},
                     {unfold::op::custom(number, box, -1)}});
  unfold::explorer explorer(u);
  /* The writer of the other slot is independent of both. */
  CHECK(explorer.explore(program).traces == 2 && family.seen > 0 && family.hinted > 0);

  const boxes called;
  const unfold::names by(called);
  unfold::action did{UNF_DID_CUSTOM, 0, box, number, 1};
  CHECK(u.label(by, did) == "box slot 1");
  did.value = 7;
  try {
    static_cast<void>(u.label(by, did));
    CHECK(false);
  } catch (const std::runtime_error &) {
  }

  unfold::unfolding other(context);
  const uint32_t there = unfold::register_effect(other, family);
  const unfold::thread t = other.initial_thread(0);
  unfold::configuration c(other);
  c.offer(t, unfold::op::custom(there, other.object(UNF_CUSTOM, 0), 2));
  try {
    static_cast<void>(c.actions());
    CHECK(false);
  } catch (const unfold::error &refusal) {
    CHECK(refusal.status() == UNF_INVALID);
    CHECK(std::string(refusal.what()).find("there are two slots") != std::string::npos);
  }
}

} // namespace

int main() {
  channels();
  tries();
  mailboxes();
  futures();
  parts();
}

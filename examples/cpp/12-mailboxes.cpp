/*
 * 12. Effects of your own: message passing (../api/12-mailboxes.c, in C++).
 *
 * A family is a class with a name that says which objects an action uses, and which actions an
 * operation can have after what happened before. Here: mailboxes. To send puts a message at the end
 * of a box, to receive waits for a message and takes the first. Two clients send to a server's box,
 * the server answers each.
 */
#include <array>
#include <iostream>
#include <vector>
#include <unfold/unfold.hpp>

namespace {

enum { send, receive };
constexpr uint32_t clients = 2, server = clients, threads = 3;

/* The value of an action is what is sent, or what was received; sending is odd. */
struct mailboxes {
  const char *name() const noexcept {
    return "mailbox";
  }
  void uses(const unfold::action &action, unfold::uses &use) const {
    use(action.target);
  }
  void outcomes(const unfold::view &before, unfold::thread, const unfold::operation &operation,
                unfold::outcomes &can_have) const {
    if (operation.low == send) {
      can_have(2 * operation.high + 1);
      return;
    }
    std::vector<int64_t> messages;
    size_t received = 0;
    for (unfold::event event : before.history(operation.target)) {
      const int64_t value = before.action(event).value;
      if (value % 2 == 0)
        received++;
      else
        messages.push_back(value / 2);
    }
    if (received < messages.size()) can_have(2 * messages[received]); /* otherwise it waits */
  }
};

/* A client sends its number and waits for the answer; the server receives as often as there are
 * clients and answers whom it got the message from. */
struct program {
  unfold::unfolding &unfolding;
  unfold::explorer &explorer;
  uint32_t family;
  std::array<unfold::thread, threads> thread{};
  std::array<unfold::object_name, threads> box{}; /* of each thread */
  std::array<uint32_t, threads> counter{};
  uint32_t received = 0;
  unfold::configuration checked;

  program(unfold::unfolding &in, unfold::explorer &by, uint32_t number)
      : unfolding(in), explorer(by), family(number), checked(in) {
    for (uint32_t i = 0; i < threads; i++) {
      thread[i] = in.initial_thread(i);
      box[i] = in.object(UNF_CUSTOM, i);
    }
  }

  uint32_t number_of(unfold::thread of) const {
    uint32_t who = 0;
    while (thread[who] != of)
      who++;
    return who;
  }

  void restart(const unfold::run &run) {
    counter = {};
    std::cout << "run " << run.number << ":\n";
  }
  unfold::operation next(unfold::thread of) const {
    const uint32_t who = number_of(of), at = counter[who];
    if (who != server) {
      if (at == 0) return unfold::op::custom(family, box[server], send, who);
      if (at == 1) return unfold::op::custom(family, box[who], receive);
    } else if (at < 2 * clients) {
      return at % 2 == 0 ? unfold::op::custom(family, box[server], receive)
                         : unfold::op::custom(family, box[received], send, 100);
    }
    return unfold::op::exit();
  }
  void perform(const unfold::step &step) {
    /* While a family is new: do actions that it calls independent commute? Before each step, since
     * at the end of an execution nothing is possible. */
    explorer.configuration(checked);
    checked.check_independence();
    const uint32_t who = number_of(step.action.thread);
    if (who == server && step.action.value % 2 == 0)
      received = static_cast<uint32_t>(step.action.value / 2);
    counter[who]++;
  }
  void ended(const unfold::verdict &, const unfold::explorer &ended) const {
    for (unfold::event event : ended.path())
      std::cout << "  " << event << ": " << unfolding.text(unfolding.action(event)) << '\n';
  }
};

} // namespace

int main() {
  mailboxes family;
  unfold::context context;
  unfold::unfolding unfolding(context);
  const uint32_t number = unfold::register_effect(unfolding, family);
  unfold::explorer explorer(unfolding);
  static_cast<void>(explorer.explore(program(unfolding, explorer, number)));
}

/*
 * 10. Schedules and drawings (../api/10-output.c, in C++).
 *
 * Text of the library is a std::string, or goes to a stream. The steps of a schedule are a range.
 */
#include <array>
#include <iostream>
#include <string>
#include <unfold/unfold.hpp>

namespace {

/* What the program calls its threads and objects. */
struct program_names {
  std::array<unfold::thread, 2> threads;
  const char *thread(unfold::thread which) const {
    return which == threads[0] ? "producer" : "consumer";
  }
  const char *object(unfold::object_name) const {
    return "queue.lock"; /* there is one */
  }
};

} // namespace

int main() {
  unfold::context context;
  std::string file;
  {
    unfold::unfolding unfolding(context);
    const std::array thread{unfolding.initial_thread(0), unfolding.initial_thread(1)};
    const unfold::object_name mutex = unfolding.object(UNF_MUTEX, 0);

    /* Write three steps. After a run of an explorer, append_run() does that at once. */
    unfold::schedule schedule(unfolding, "two threads");
    schedule.append({UNF_DID_ACQUIRE, thread[1], mutex, 0, 0});
    schedule.append({UNF_DID_RELEASE, thread[1], mutex, 0, 0});
    schedule.append({UNF_DID_ACQUIRE, thread[0], mutex, 0, 0});
    file = schedule.write();
  }
  std::cout << file;

  /* Read it where nothing of it is known, and perform it. Handles may differ; names do not. */
  unfold::unfolding unfolding(context);
  const std::array thread{unfolding.initial_thread(0), unfolding.initial_thread(1)};
  unfold::configuration c(unfolding);
  auto schedule = unfold::schedule::read(unfolding, file);
  std::cout << "\nread: " << schedule.steps().size() << " steps of " << schedule.program() << '\n';
  for (const unfold::action &action : schedule.steps())
    c.perform(action);

  /* A damaged file is recognised. */
  try {
    static_cast<void>(unfold::schedule::read(unfolding, file.substr(0, file.size() - 10)));
  } catch (const unfold::error &damaged) {
    std::cout << "cut short: " << unfold::text(damaged.status()) << "\n\n";
  }

  const program_names called{thread};
  c.dot(unfold::names(called), std::cout);
}

/* The program of client.c in C++: two threads that want one mutex, explored against the installed
 * library and its header for C++. Two executions are expected. */
#include <array>
#include <cstring>
#include <iostream>
#include <unfold/unfold.hpp>

struct two_threads {
  std::array<unfold::thread, 2> thread;
  unfold::object_name mutex;
  std::array<int, 2> counter{};

  void restart() {
    counter = {};
  }
  unfold::operation next(unfold::thread who) const {
    switch (counter[who == thread[1]]) {
    case 0:
      return unfold::op::lock(mutex);
    case 1:
      return unfold::op::unlock(mutex);
    default:
      return unfold::op::exit();
    }
  }
  void perform(const unfold::step &step) {
    counter[step.action.thread == thread[1]]++;
  }
};

int main() {
  if (unfold::version() != UNF_VERSION) return 1;
  if (std::strcmp(unfold::version_text(), UNF_VERSION_STRING) != 0) return 1;
  unfold::context context;
  unfold::unfolding unfolding(context);
  unfold::explorer explorer(unfolding);
  const unfold::counts counts = explorer.explore(two_threads{
      {unfolding.initial_thread(0), unfolding.initial_thread(1)}, unfolding.object(UNF_MUTEX, 0)});
  std::cout << "libunfold " << unfold::version_text() << " in C++: " << counts.traces
            << " executions\n";
  return counts.traces == 2 && counts.redundant == 0 ? 0 : 1;
}

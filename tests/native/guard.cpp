// A local static variable whose initialisation takes a lock, reached by two threads. With an argument
// one of them holds that lock when it gets there, which is a deadlock.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex lock;
static int made;

struct counted {
  counted() {
    std::lock_guard<std::mutex> guard(lock);
    made++;
  }
  int value = 3;
};

static int get() {
  static counted only;
  return only.value;
}

int main(int argc, char **) {
  std::thread other([] { get(); });
  if (argc > 1) {
    std::lock_guard<std::mutex> guard(lock);
    get();
  } else {
    get();
  }
  other.join();
  assert(made == 1 && get() == 3);
}

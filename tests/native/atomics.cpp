// The guard of a static variable is read atomically, and locked; the variable is made once. An
// atomic object on the stack is another one each time.
#include <atomic>
#include <cstdlib>
#include <thread>

static int made;

struct Counted {
  Counted() {
    made++;
  }
  ~Counted() {
  }
};

static std::atomic<int> sum{0};
static std::atomic_flag flag = ATOMIC_FLAG_INIT;

static int counted(int from) {
  std::atomic<int> mine{from};
  std::thread([&mine] { mine++; }).join();
  return mine;
}

static void work() {
  sum++;
  static Counted once;
  if (made != 1) std::abort();
  if (!flag.test_and_set()) flag.clear();
}

int main() {
  std::thread first(work), second(work);
  first.join();
  second.join();
  return sum != 2 || counted(1) != 2 || counted(5) != 6;
}

// A local static variable whose initialisation takes a lock, reached by two threads. With an
// argument one of them holds that lock when it gets there, which is a deadlock. With "throws": the
// first attempt at what is done once ends with an exception; with "heap": a mutex in a block, which
// is initialised by no call, and which two threads come to first.
#include <cassert>
#include <cstring>
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

static std::once_flag flag;
static int tried;

static void try_once() {
  try {
    std::call_once(flag, [] {
      if (tried++ == 0) throw tried;
    });
  } catch (int) {
    get();
  }
}

static void throws() {
  std::thread other(try_once);
  try_once();
  other.join();
  assert(tried == 2 && made == 1);
}

struct locked {
  std::mutex lock;
  int value = 0;
};

static void heap() {
  locked *const one = new locked;
  auto add = [one] {
    std::lock_guard<std::mutex> guard(one->lock);
    one->value++;
  };
  std::thread first(add), second(add);
  first.join();
  second.join();
  assert(one->value == 2);
  delete one;
}

int main(int argc, char **argv) {
  if (argc > 1 && std::strcmp(argv[1], "throws") == 0) return throws(), 0;
  if (argc > 1 && std::strcmp(argv[1], "heap") == 0) return heap(), 0;
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

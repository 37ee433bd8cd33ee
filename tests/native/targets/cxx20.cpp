/* What C++20 has for threads: cxx20 CASE [wrong]. */
#include <atomic>
#include <barrier>
#include <cassert>
#include <cstring>
#include <future>
#include <latch>
#include <semaphore>
#include <thread>

static bool wrong;
static std::atomic<int> word{0};
static int value;

/* Wrong: one that never counts is waited for. */
static void latch() {
  std::latch done(wrong ? 3 : 2);
  std::jthread one([&] { done.count_down(); }), two([&] { done.count_down(); });
  done.wait();
}

/* Wrong: one that never comes is counted. */
static void barrier() {
  std::barrier<> meet(wrong ? 3 : 2);
  std::jthread one([&] { meet.arrive_and_wait(); });
  meet.arrive_and_wait();
}

/* Wrong: what is waited for comes once. */
static void semaphore() {
  std::counting_semaphore<2> items(0);
  std::jthread one([&] { items.release(); });
  items.acquire();
  if (wrong) items.acquire();
}

/* A lock. It is right, and libstdc++ 12 is not: what a thread sleeps at was loaded before it tried,
 * so that it may sleep for ever while the lock is free. */
static void lock() {
  std::binary_semaphore free(1);
  std::jthread one([&] {
    free.acquire();
    value++;
    free.release();
  });
  free.acquire();
  value++;
  free.release();
}

/* Wrong: it is said first, and done later. */
static void wait() {
  std::jthread one([] {
    if (wrong) word.notify_one();
    word.fetch_add(1);
    if (!wrong) word.notify_one();
  });
  word.wait(0);
}

/* Wrong: who comes second thinks that the promise was kept by the other one. */
static void future() {
  std::promise<int> promise;
  std::future<int> kept = promise.get_future();
  std::jthread one([&] {
    if (!wrong || word.exchange(1) == 0) promise.set_value(3);
  });
  if (wrong) word.exchange(1);
  assert(kept.get() == 3);
}

/* Wrong: a read and a write, where one step was meant. */
static void jthread() {
  {
    auto add = [] {
      if (wrong)
        word.exchange(word.fetch_add(0) + 1);
      else
        word.fetch_add(1);
    };
    std::jthread one(add), two(add);
  }
  assert(word.load() == 2);
}

int main(int argc, char **argv) {
  const struct {
    const char *name;
    void (*run)();
  } cases[] = {{"latch", latch}, {"barrier", barrier}, {"semaphore", semaphore}, {"lock", lock},
               {"wait", wait},   {"future", future},   {"jthread", jthread}};
  wrong = argc > 2;
  for (const auto &one : cases)
    if (std::strcmp(argv[1], one.name) == 0) one.run();
}

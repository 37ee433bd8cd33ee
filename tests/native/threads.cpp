// The standard library's threads, conditions and locks: a queue that two consumers empty.
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <queue>
#include <shared_mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable filled;
static std::queue<int> queue;
static std::shared_mutex table;
static int sum;

static void consume() {
  std::unique_lock<std::mutex> held(lock);
  filled.wait(held, [] { return !queue.empty(); });
  int item = queue.front();
  queue.pop();
  held.unlock();
  std::unique_lock<std::shared_mutex> writing(table);
  sum += item;
}

int main() {
  std::thread consumers[] = {std::thread(consume), std::thread(consume)};
  for (int i = 1; i <= 2; i++) {
    std::lock_guard<std::mutex> held(lock);
    queue.push(i);
    filled.notify_one();
  }
  for (std::thread &t : consumers)
    t.join();
  std::shared_lock<std::shared_mutex> reading(table);
  assert(sum == 3);
  std::timed_mutex timed;
  assert(timed.try_lock_for(std::chrono::seconds(1)));
  return 0;
}

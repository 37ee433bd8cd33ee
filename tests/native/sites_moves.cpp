/* What the compiler of C++ makes of objects: calls through tables, exceptions, containers, streams;
 * and one flag between two threads. */
#include <atomic>
#include <cassert>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

struct shape {
  virtual int corners() const { return 0; }
  virtual ~shape() = default;
};
struct square : shape {
  int corners() const override { return 4; }
};

static int thrown(const std::map<std::string, int> &numbers) {
  try {
    return numbers.at("none");
  } catch (const std::out_of_range &) {
    return 1;
  }
}

int main() {
  std::map<std::string, int> numbers;
  for (int i = 0; i < 50; i++)
    numbers["n" + std::to_string(i)] = i;
  std::ostringstream text;
  text << 3.25 << ' ' << numbers.size() << ' ' << thrown(numbers);
  assert(text.str() == "3.25 50 1");
  const std::shared_ptr<shape> one = std::make_shared<square>();
  std::atomic<int> corners{0};
  std::thread other([&corners, &numbers, one] {
    corners.store(one->corners() + thrown(numbers), std::memory_order_release);
  });
  const int seen = corners.load();
  assert(seen == 0 || seen == 5);
  other.join();
  assert(corners.load() == 5);
}

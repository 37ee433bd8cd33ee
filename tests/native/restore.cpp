// Local statics, exceptions, thread-local objects and streams of C++, found anew by each execution.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::mutex m;
static std::map<std::string, int> table{{"before main", 1}};
static thread_local std::vector<int> own(3, 7);

static void require(bool holds) {
  if (!holds) abort();
}

static const std::string &single() {
  static const std::string text("constructed once, too long for its own object");
  return text;
}

static int deep(int depth) {
  if (depth == 0) throw std::runtime_error("number " + std::to_string(errno));
  return deep(depth - 1) + 1;
}

static void body(int number) {
  require(own.size() == 3);
  own.push_back(number);
  errno = number;
  {
    std::lock_guard<std::mutex> guard(m);
    table["thread " + std::to_string(number)]++;
  }
  try {
    deep(10);
    abort();
  } catch (const std::runtime_error &error) {
    require(error.what() == "number " + std::to_string(number));
  }
  require(single().size() > 20 && strlen(strerror(12345 + number)) > 0);
}

int main() {
  require(table.size() == 1 && getenv("ADDED") == nullptr);
  setenv("ADDED", "1", 1);
  std::thread first(body, 1), second(body, 2);
  first.join();
  second.join();
  require(table.size() == 3);
  std::cout << "size " << table.size() << " without an end of line";
  table.clear();
}

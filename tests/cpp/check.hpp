/* What the tests of the C++ header share: a check that says where it failed, and the status with
 * which a call fails. */
#ifndef TESTS_CPP_CHECK_HPP
#define TESTS_CPP_CHECK_HPP

#include <cstdio>
#include <cstdlib>
#include <memory_resource>
#include <unfold/unfold.hpp>

inline void require(bool good, const char *what, const char *file, int line) {
  if (good) return;
  std::fprintf(stderr, "%s:%d: %s\n", file, line, what);
  std::exit(EXIT_FAILURE);
}
#define CHECK(...) require(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

/* The status that a call throws, or UNF_OK. */
template <class Call> unf_status status_of(Call &&call) {
  try {
    static_cast<void>(call());
  } catch (const unfold::error &e) {
    return e.status();
  }
  return UNF_OK;
}

/* Memory that is counted, and refused from the request of a number on, `refusals` times. */
class counted_memory : public std::pmr::memory_resource {
public:
  uint64_t bytes = 0, requests = 0;
  uint64_t refused_from = UINT64_MAX, refusals = 0;

private:
  void *do_allocate(size_t size, size_t alignment) override {
    const uint64_t number = requests++;
    if (number >= refused_from && number - refused_from < refusals) throw std::bad_alloc();
    void *block = std::pmr::new_delete_resource()->allocate(size, alignment);
    bytes += size;
    return block;
  }
  void do_deallocate(void *block, size_t size, size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(block, size, alignment);
    bytes -= size;
  }
  bool do_is_equal(const memory_resource &other) const noexcept override {
    return this == &other;
  }
};

/* Threads that lock a mutex and unlock it: as many traces as orders of them. */
struct lockers {
  std::vector<unfold::thread> thread;
  unfold::object_name mutex;
  std::vector<int> counter;

  lockers(unfold::unfolding &in, uint32_t threads) : mutex(in.object(UNF_MUTEX, 0)) {
    for (uint32_t i = 0; i < threads; i++)
      thread.push_back(in.initial_thread(i));
    counter.resize(threads);
  }
  void restart() {
    counter.assign(counter.size(), 0);
  }
  unfold::operation next(unfold::thread who) const {
    return counter.at(who) == 0   ? unfold::op::lock(mutex)
           : counter.at(who) == 1 ? unfold::op::unlock(mutex)
                                  : unfold::op::exit();
  }
  void perform(const unfold::step &step) {
    counter.at(step.action.thread)++;
  }
};

#endif

/*
 * 9. Allocator, limits, interruption, and going on (../api/09-limits.c, in C++).
 *
 * Here the classes of `unfold::expected` are used, whose functions return a value or an error.
 * Memory comes from a std::pmr::memory_resource. A limit, an interruption or an exception of a
 * callback ends a call without losing anything: the same call goes on.
 */
#include <array>
#include <iostream>
#include <memory_resource>
#include <unfold/unfold.hpp>

namespace {

using namespace unfold::expected;

constexpr uint32_t threads = 4;

/* Memory with an account; and one day it has nothing more to give. */
class account : public std::pmr::memory_resource {
public:
  uint64_t bytes = 0;
  int refusals = 0; /* that many requests will fail */

private:
  void *do_allocate(size_t size, size_t alignment) override {
    if (refusals > 0) {
      refusals--;
      throw std::bad_alloc();
    }
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

/* Makes a call until it succeeds. */
template <class Call> auto again(context &context, Call call) {
  for (;;) {
    auto result = call();
    if (result) return std::move(*result);
    const unf_status status = result.error().status();
    std::cout << "met: " << unfold::text(status) << '\n';
    if (status == UNF_LIMIT)
      context.set_limits({}).value();
    else if (status != UNF_MEMORY && status != UNF_INTERRUPTED)
      throw result.error();
  }
}

/* Each thread locks the mutex and unlocks it. */
struct machine {
  std::array<unfold::thread, threads> thread;
  unfold::object_name mutex;
  std::array<int, threads> counter{};

  void restart() {
    counter = {};
  }
  unfold::operation next(unfold::thread who) const {
    return counter[who] == 0   ? unfold::op::lock(mutex)
           : counter[who] == 1 ? unfold::op::unlock(mutex)
                               : unfold::op::exit();
  }
  void perform(const unfold::step &step) {
    counter[step.action.thread]++;
  }
};

} // namespace

int main() {
  account mine;
  {
    unfold::context_options options;
    options.allocate_from(mine);
    options.limits.events = 50;
    /* After 10 executions: enough, for now. */
    auto progress = [](const unfold::progress &so_far) { return so_far.runs != 10; };
    options.report_to(progress, 5);
    context context = std::move(context::make(options).value());
    unfolding unfolding = std::move(unfolding::make(context).value());

    machine program{};
    for (uint32_t i = 0; i < threads; i++)
      program.thread[i] = unfolding.initial_thread(i).value();
    program.mutex = unfolding.object(UNF_MUTEX, 0).value();

    mine.refusals = 2;
    explorer explorer = again(context, [&] { return explorer::make(unfolding); });

    /* Another thread, or the handler of a signal, may do this at any time. */
    context.interrupt();
    const unfold::counts counts = again(context, [&] { return explorer.explore(program); });
    std::cout << counts.traces << " traces, all the same\n";
    std::cout << "the context's account is ours: " << (mine.bytes == context.bytes() ? "yes" : "no")
              << '\n';
  }
  std::cout << "bytes left at the end: " << mine.bytes << '\n';
}

/* Threading Building Blocks: tbb CASE [wrong]. Linked with libtbbmalloc, which libtbb would load
 * later: what is loaded then is not changed, and its locks are not seen. */
#include <atomic>
#include <cassert>
#include <cstring>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#include <thread>

using range = tbb::blocked_range<int>;

static bool wrong;
static std::atomic<int> sum;

/* Wrong: a step of its own for reading, and one for writing. */
static void add(int parts) {
  if (wrong) {
    const int seen = sum.load();
    sum.store(seen + parts);
  } else {
    sum += parts;
  }
}

/* Two threads in one arena, in which either may take the other's part. No worker joins them, whose
 * polling has more traces than can be explored. */
static void shared() {
  tbb::global_control none(tbb::global_control::max_allowed_parallelism, 1);
  tbb::task_arena arena(2, 2);
  arena.initialize();
  const auto all = [&] {
    arena.execute([] {
      tbb::parallel_for(
          range(0, 2), [](const range &part) { add(static_cast<int>(part.size())); },
          tbb::simple_partitioner());
    });
  };
  std::thread other(all);
  all();
  other.join();
  assert(sum == 4);
}

/* A thread and a worker. Wrong: the body is thought to be called by this thread alone. */
static void worker() {
  const auto caller = std::this_thread::get_id();
  tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
  tbb::parallel_for(
      range(0, 2),
      [&](const range &part) {
        if (wrong) assert(std::this_thread::get_id() == caller);
        sum += static_cast<int>(part.size());
      },
      tbb::simple_partitioner());
  assert(sum == 2);
}

int main(int argc, char **argv) {
  wrong = argc > 2;
  if (std::strcmp(argv[1], "for") == 0) shared();
  if (std::strcmp(argv[1], "worker") == 0) worker();
}

/* Threading Building Blocks: tbb for [wrong]. Linked with libtbbmalloc, which libtbb would load
 * later: what is loaded then is not changed, and its locks are not seen. */
#include <atomic>
#include <cassert>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <thread>

int main(int argc, char **) {
  std::atomic<int> sum{0};
  const auto caller = std::this_thread::get_id();
  tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
  tbb::parallel_for(tbb::blocked_range<int>(0, 2), [&](const tbb::blocked_range<int> &part) {
    /* Wrong: it is thought to be called by this thread alone. */
    if (argc > 2) assert(std::this_thread::get_id() == caller);
    sum += static_cast<int>(part.size());
  });
  assert(sum == 2);
}

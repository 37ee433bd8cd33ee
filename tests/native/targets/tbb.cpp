/* Threading Building Blocks: tbb for [wrong]. */
#include <atomic>
#include <cassert>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

int main(int argc, char **) {
  std::atomic<int> sum{0};
  tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
  tbb::parallel_for(tbb::blocked_range<int>(0, 2), [&](const tbb::blocked_range<int> &part) {
    for (int i = part.begin(); i < part.end(); i++) {
      if (argc > 2)
        sum.exchange(sum.fetch_add(0) + 1); /* wrong: not one step */
      else
        sum.fetch_add(1);
    }
  });
  assert(sum == 2);
}

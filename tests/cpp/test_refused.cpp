/* Every allocation refused: of the library, by the memory resource of its context, and of C++, by
 * operator new. The call fails with UNF_MEMORY or std::bad_alloc, is made again, and comes to the
 * same; nothing is leaked. */
#include <cstdlib>
#include <new>
#include <sstream>
#include <string>

#include "check.hpp"

namespace {

/* Of operator new: refused from the request of a number on, once. */
uint64_t requested = 0, refused_at = UINT64_MAX;

void *allocate(size_t size) {
  if (requested++ == refused_at) throw std::bad_alloc();
  void *block = std::malloc(size > 0 ? size : 1);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

} // namespace

void *operator new(size_t size) {
  return allocate(size);
}
void operator delete(void *block) noexcept {
  std::free(block);
}
void operator delete(void *block, size_t) noexcept {
  std::free(block);
}

namespace {

/* Makes a call until it is not refused. */
template <class Call> auto again(uint64_t &refusals, Call call) {
  for (;;) {
    try {
      return call();
    } catch (const std::bad_alloc &) {
    } catch (const unfold::error &e) {
      CHECK(e.status() == UNF_MEMORY);
    }
    CHECK(++refusals < 10);
  }
}

/* An exploration and what can be asked of it; the number of refusals that it met. */
uint64_t work(counted_memory &memory) {
  uint64_t refusals = 0;
  unfold::context_options options;
  options.allocate_from(memory);
  {
    auto context = again(refusals, [&] { return unfold::context(options); });
    auto u = again(refusals, [&] { return unfold::unfolding(context); });
    auto program = again(refusals, [&] { return lockers(u, 3); });
    auto explorer = again(refusals, [&] { return unfold::explorer(u); });
    auto schedule = again(refusals, [&] { return unfold::schedule(u, "refused, in a long name"); });
    const auto counts = again(refusals, [&] { return explorer.explore(program); });
    CHECK(counts.traces == 6 && counts.redundant == 0);
    const auto path = again(refusals, [&] { return explorer.path(); });
    const auto history = again(refusals, [&] { return u.history(path.back()); });
    CHECK(path.size() == 6 && history == path);
    const auto picture = again(refusals, [&] { return u.dot(); });
    CHECK(picture.starts_with("digraph") && picture.ends_with("}\n"));
    again(refusals, [&] { schedule.append_run(explorer); });
    const auto text = again(refusals, [&] { return schedule.write(); });
    const auto read = again(refusals, [&] { return unfold::schedule::read(u, text); });
    CHECK(read.steps().size() == 6);
    auto c = again(refusals, [&] { return unfold::configuration(u); });
    again(refusals, [&] { c.add(path.back()); });
    const auto reversals = again(refusals, [&] { return unfold::execution_reversals(u, path); });
    CHECK(reversals.size() == 2 && c.size() == 6);
    const auto J = again(refusals, [&] {
      const std::array D{path.front()};
      return unfold::find_alternative(u, std::span(&reversals[0].event, 1),
                                      unfold::configuration(u), D);
    });
    CHECK(J.has_value());
  }
  CHECK(memory.bytes == 0);
  return refusals;
}

} // namespace

int main() {
  counted_memory whole;
  requested = 0;
  CHECK(work(whole) == 0);
  const uint64_t of_cpp = requested, of_library = whole.requests;
  std::printf("%llu allocations of the library and %llu of C++\n",
              static_cast<unsigned long long>(of_library), static_cast<unsigned long long>(of_cpp));
  CHECK(of_library > 50 && of_cpp > 15);
  for (uint64_t times : {uint64_t{1}, uint64_t{3}})
    for (uint64_t at = 0; at < of_library; at++) {
      counted_memory memory;
      memory.refused_from = at;
      memory.refusals = times;
      CHECK(work(memory) > 0);
    }
  for (uint64_t at = 0; at < of_cpp; at++) {
    counted_memory memory;
    requested = 0;
    refused_at = at;
    CHECK(work(memory) == 1);
    refused_at = UINT64_MAX;
  }
}

/* Explorations that are written down and gone on with: through a string, a stream and a callable,
 * at each execution at which one can stop. */
#include <algorithm>
#include <cstring>
#include <sstream>
#include <string>

#include "check.hpp"

namespace {

constexpr uint32_t threads = 3;

/* The bytes of an exploration of which so many executions were made. */
std::string stopped_after(uint64_t executions, unf_algorithm algorithm) {
  unfold::context context;
  unfold::limits limits{};
  limits.runs = executions;
  context.set_limits(limits);
  unfold::unfolding u(context);
  lockers program(u, threads);
  unfold::explorer explorer(u, unfold::explorer_options(algorithm));
  CHECK(status_of([&] { return explorer.explore(program); }) == UNF_LIMIT);
  std::ostringstream stream;
  explorer.write(stream);
  const std::string bytes = explorer.write();
  CHECK(stream.str() == bytes && !bytes.empty());
  return bytes;
}

void gone_on_with() {
  for (unf_algorithm algorithm : {UNF_QPOR, UNF_ODPOR, UNF_EAGER})
    for (uint64_t executions = 1; executions < 6; executions++) {
      const std::string bytes = stopped_after(executions, algorithm);
      const unfold::explorer_options options(algorithm);
      for (int way = 0; way < 3; way++) {
        unfold::context context;
        unfold::unfolding u(context);
        std::istringstream stream(bytes);
        size_t at = 0;
        const auto piece = [&](std::span<std::byte> to) { /* one byte at a time */
                                                          if (at == bytes.size()) return size_t{0};
                                                          to[0] =
                                                              static_cast<std::byte>(bytes[at++]);
                                                          return size_t{1};
        };
        unfold::explorer explorer = way == 0   ? unfold::explorer::read(u, bytes, options)
                                    : way == 1 ? unfold::explorer::read(u, stream, options)
                                               : unfold::explorer::read(u, piece, options);
        CHECK(explorer.counts().executions == executions);
        lockers program(u, threads);
        const unfold::counts counts = explorer.explore(program);
        CHECK(counts.traces == 6 && counts.redundant == 0 && counts.executions == 6);
      }
    }
}

void refused() {
  const std::string bytes = stopped_after(2, UNF_QPOR);
  const auto read = [](std::string_view from) {
    unfold::context context;
    unfold::unfolding u(context);
    return status_of([&] { return unfold::explorer::read(u, from); });
  };
  CHECK(read(bytes) == UNF_OK && read("") != UNF_OK);
  std::string damaged = bytes;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
  CHECK(read(damaged) != UNF_OK && read(std::string_view(bytes).substr(0, 20)) != UNF_OK);
  unfold::context context;
  unfold::unfolding u(context);
  std::istringstream broken(bytes);
  broken.setstate(std::ios::badbit);
  CHECK(status_of([&] { return unfold::explorer::read(u, broken); }) == UNF_READ);
  unfold::unfolding other(context);
  try {
    static_cast<void>(unfold::explorer::read(
        other, [](std::span<std::byte>) -> size_t { throw std::string("no disk"); }));
    CHECK(false);
  } catch (const std::string &thrown) {
    CHECK(thrown == "no disk");
  }
}

} // namespace

int main() {
  gone_on_with();
  refused();
}

/* The classes that return std::expected: values, errors with their detail, exceptions of callbacks,
 * which pass through, and both forms together. */
#include <string>
#include <type_traits>

#include "check.hpp"

namespace {

namespace e = unfold::expected;
static_assert(!std::is_constructible_v<e::unfolding, unfold::handle<unf_context> &>);

struct machine : lockers {
  using lockers::lockers;
  bool throws = false;
  void perform(const unfold::step &step) {
    if (std::exchange(throws, false)) throw 7;
    lockers::perform(step);
  }
};

} // namespace

int main() {
  counted_memory memory;
  {
    unfold::context_options options;
    options.allocate_from(memory);
    memory.refused_from = 0;
    memory.refusals = 1;
    const auto refused = e::context::make(options);
    CHECK(!refused && refused.error().status() == UNF_MEMORY);
    e::context context = std::move(e::context::make(options).value());
    e::unfolding u = std::move(e::unfolding::make(context).value());
    CHECK(context.left()->runs == UINT64_MAX && context.set_limits({}));

    const auto unknown = u.action(12);
    CHECK(!unknown && unknown.error().status() == UNF_UNKNOWN);
    CHECK(std::string(unknown.error().what()) == context.detail().text);
    const unfold::thread t = u.initial_thread(0).value(), other = u.initial_thread(1).value();
    const unfold::object_name m = u.object(UNF_MUTEX, 0).value();

    e::configuration c = std::move(e::configuration::make(u).value());
    const auto performed = c.perform({UNF_DID_ACQUIRE, t, m, 0, 0});
    CHECK(performed && c.contains(*performed).value());
    const auto disabled = c.perform({UNF_DID_ACQUIRE, other, m, 0, 0});
    CHECK(!disabled && disabled.error().status() == UNF_DISABLED);
    CHECK(u.history(*performed)->size() == 1 && c.dot()->starts_with("digraph"));
    std::string text;
    CHECK(c.json(text) && !text.empty());
    CHECK(c.dot([](std::string_view) { return false; }).error().status() == UNF_WRITE);
    CHECK(e::schedule::read(u, "no schedule").error().status() == UNF_FORMAT);

    /* The other form, of the same objects. */
    unfold::borrowed<unfold::unfolding> throwing(u.get(), context.get());
    CHECK(throwing->action(*performed).thread == t);
    CHECK(c.equal(unfold::configuration(*throwing)).value() == false);

    CHECK(c.check() && u.check());
  }
  CHECK(memory.bytes == 0);
  e::context context = std::move(e::context::make().value());
  unfold::borrowed<unfold::context> lent(context.get(), context.get());
  unfold::unfolding of(*lent);
  machine program(of, 3);
  e::explorer explorer = std::move(e::explorer::make(of).value());
  context.interrupt();
  CHECK(explorer.explore(program).error().status() == UNF_INTERRUPTED);
  program.throws = true;
  try {
    static_cast<void>(explorer.explore(program));
    CHECK(false);
  } catch (int thrown) {
    CHECK(thrown == 7);
  }
  const auto counts = explorer.explore(program);
  CHECK(counts && counts->traces == 6 && explorer.next()->finished);
}

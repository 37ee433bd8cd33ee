/* Who owns what: objects are moved, never copied, freed once, given away and taken over. Memory is
 * counted, so what is freed twice or not at all shows; run it under AddressSanitizer as well. */
#include <optional>
#include <type_traits>
#include <utility>

#include "check.hpp"

namespace {

template <class... T>
inline constexpr bool
    move_only = ((std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T> &&
                  std::is_nothrow_destructible_v<T> && !std::is_copy_constructible_v<T> &&
                  !std::is_copy_assignable_v<T>)&&...);
static_assert(move_only<unfold::context, unfold::unfolding, unfold::configuration, unfold::cutoffs,
                        unfold::explorer, unfold::schedule, unfold::tree, unfold::races,
                        unfold::sleep_sets, unfold::wakeup_trees, unfold::flow, unfold::purity>);
static_assert(std::is_nothrow_copy_constructible_v<unfold::error>);
/* A handle and the context that its details are in: nothing else. */
static_assert(sizeof(unfold::explorer) == 2 * sizeof(void *));

struct world {
  counted_memory memory;
  unfold::context_options options = unfold::context_options().allocate_from(memory);
};

/* Moves, and moves over what there is. */
template <class T, class Make> void moves(Make make) {
  T one = make();
  auto *handle = one.get();
  T two = std::move(one);
  CHECK(!one && one.get() == nullptr && two.get() == handle && two);
  one = std::move(two);
  CHECK(one.get() == handle && !two);
  T &self = one;
  one = std::move(self);
  CHECK(one.get() == handle);
  T other = make();
  auto *replaced = other.get();
  CHECK(replaced != handle);
  other = std::move(one); /* frees what it had */
  CHECK(other.get() == handle && !one);
  std::swap(one, other);
  CHECK(one.get() == handle && !other);
  T released = make();
  T adopted(released.release(), released.home());
  CHECK(adopted && !released);
  T empty(nullptr, nullptr);
  CHECK(!empty);
}

void all_kinds() {
  world w;
  moves<unfold::context>([&] { return unfold::context(w.options); });
  CHECK(w.memory.bytes == 0);
  {
    unfold::context context(w.options);
    moves<unfold::unfolding>([&] { return unfold::unfolding(context); });
    moves<unfold::flow>([&] { return unfold::flow(context); });
    unfold::flow flow(context);
    static_cast<void>(flow.block());
    moves<unfold::purity>([&] { return unfold::purity(flow); });
    unfold::unfolding u(context);
    moves<unfold::configuration>([&] { return unfold::configuration(u); });
    moves<unfold::cutoffs>([&] { return unfold::cutoffs(u, UNF_CUTOFFS_ERV); });
    moves<unfold::explorer>([&] { return unfold::explorer(u); });
    moves<unfold::schedule>([&] { return unfold::schedule(u, "p"); });
    moves<unfold::tree>([&] { return unfold::tree(u); });
    moves<unfold::races>([&] { return unfold::races(u); });
    moves<unfold::sleep_sets>([&] { return unfold::sleep_sets(u); });
    moves<unfold::wakeup_trees>([&] { return unfold::wakeup_trees(u); });
  }
  CHECK(w.memory.bytes == 0);
}

/* What was moved away answers as NULL does, and says nothing of an older error. */
void moved_away() {
  unfold::context context;
  unfold::unfolding u(context);
  CHECK(status_of([&] { return u.action(99); }) == UNF_UNKNOWN);
  unfold::unfolding there = std::move(u);
  CHECK(u.events().empty() && u.threads().empty());
  try {
    static_cast<void>(u.precedes(0, 0));
    CHECK(false);
  } catch (const unfold::error &e) {
    CHECK(e.status() == UNF_INVALID && std::string(e.what()) == unfold::text(UNF_INVALID));
  }
  CHECK(status_of([&] { return unfold::explorer(u); }) == UNF_INVALID);
  CHECK(there.context() == context.get());
}

/* Beside functions of C: their objects are used and taken over here, and ours there. */
void beside_c() {
  world w;
  unf_context *made = nullptr;
  CHECK(unf_context_new(&w.options, &made) == UNF_OK);
  unfold::context context(made);
  unf_unfolding *of_c = nullptr;
  CHECK(unf_unfolding_new(context.get(), nullptr, &of_c) == UNF_OK);
  {
    unfold::borrowed<unfold::unfolding> lent(of_c, context.get());
    CHECK(lent && lent->initial_thread(0) == 0);
    unfold::explorer explorer(*lent);
    CHECK(explorer.home() == context.get());
    unfold::borrowed<unfold::unfolding> further = std::move(lent);
    CHECK(further && !lent && further->threads().size() == 1);
  }
  CHECK(unf_unfolding_threads(of_c) == 1); /* it is still there */
  unfold::unfolding owned(of_c, context.get());
  unf_configuration *given = unfold::configuration(owned).release();
  CHECK(unf_configuration_size(given) == 0);
  unf_configuration_free(given);
}

/* An exploration whose objects move while it goes on. */
void moved_while_in_use() {
  world w;
  {
    std::optional<unfold::context> context(std::in_place, w.options);
    std::optional<unfold::unfolding> elsewhere, u(std::in_place, *context);
    lockers program(*u, 3);
    unfold::explorer_options options;
    unfold::explorer first(*u, options);
    context->interrupt();
    CHECK(status_of([&] { return first.explore(program); }) == UNF_INTERRUPTED);
    unfold::explorer second = std::move(first);
    elsewhere = std::move(*u);
    u.reset();
    CHECK(second.explore(program).traces == 6);
    CHECK(status_of([&] { return first.explore(program); }) == UNF_INVALID);
  }
  CHECK(w.memory.bytes == 0);
}

} // namespace

int main() {
  all_kinds();
  moved_away();
  beside_c();
  moved_while_in_use();
}

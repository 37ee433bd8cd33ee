/* Compiled twice: one unit makes an exploration, whose engine throws in the other. */
#include <cstdlib>
#include <unfold/unfold.hpp>

struct thrown_between {};
bool explore_over_there();

#ifdef SECOND

namespace {

struct machine {
  bool done = false, thrown = false;
  void restart() {
    done = false;
  }
  unfold::operation next(unfold::thread) const {
    return done ? unfold::op::exit() : unfold::op::local(1, 3);
  }
  void perform(const unfold::step &) {
    if (!std::exchange(thrown, true)) throw thrown_between();
    done = true;
  }
};

} // namespace

bool explore_over_there() {
  static machine program;
  unfold::context context;
  unfold::unfolding u(context);
  static_cast<void>(u.initial_thread(0));
  unfold::explorer explorer(u);
  return explorer.explore(program).traces == 3;
}

#else

int main() {
  try {
    static_cast<void>(explore_over_there());
    return EXIT_FAILURE;
  } catch (const thrown_between &) {
  }
  unfold::context context;
  unfold::unfolding u(context);
  try {
    static_cast<void>(u.action(1));
    return EXIT_FAILURE;
  } catch (const std::exception &) {
  }
  return explore_over_there() ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif

/*
 * 2. Performing actions: events and their predecessors (../api/02-events.c, in C++).
 *
 * Objects are freed in the reverse order of their declaration, which is the order that the library
 * asks for. What fails throws; what is listed is a range.
 */
#include <iostream>
#include <unfold/unfold.hpp>

namespace {

void print(const unfold::unfolding &unfolding, unfold::event event) {
  std::cout << "  " << event << ": ";
  if (event == UNF_EVENT_BOTTOM)
    std::cout << "the beginning\n";
  else
    std::cout << unfolding.text(unfolding.action(event)) << '\n';
}

} // namespace

int main() {
  unfold::context context;
  unfold::unfolding unfolding(context);
  const unfold::thread left = unfolding.initial_thread(0), right = unfolding.initial_thread(1);
  const unfold::object_name m = unfolding.object(UNF_MUTEX, 0);

  /* left takes the mutex and gives it back, then right takes it. */
  unfold::configuration one(unfolding);
  one.perform({UNF_DID_ACQUIRE, left, m, 0, 0});
  one.perform({UNF_DID_RELEASE, left, m, 0, 0});
  const unfold::event second = one.perform({UNF_DID_ACQUIRE, right, m, 0, 0});

  /* The immediate predecessors of right's acquire: left's release, because they are about
   * the same mutex. */
  std::cout << "right's acquire comes directly after\n";
  for (unfold::event event : unfolding.predecessors(second))
    print(unfolding, event);
  std::cout << "and its history is\n";
  for (unfold::event event : unfolding.history(second))
    print(unfolding, event);

  /* An action that is not possible is refused: left cannot take what right holds. */
  try {
    one.perform({UNF_DID_ACQUIRE, left, m, 0, 0});
  } catch (const unfold::error &refused) {
    std::cout << "left acquires it, too: " << unfold::text(refused.status()) << '\n';
  }

  /* In another execution right is first. Its acquire is another event, for it has other causes. */
  unfold::configuration other(unfolding);
  const unfold::event first = other.perform({UNF_DID_ACQUIRE, right, m, 0, 0});
  std::cout << "right's acquire at once is a different event: " << (first != second ? "yes" : "no")
            << '\n';
  for (unfold::event event : unfolding.predecessors(first))
    print(unfolding, event);

  /* Doing what was done before makes nothing new: events are interned. */
  const auto before = unfolding.events().size();
  one.clear();
  one.perform({UNF_DID_ACQUIRE, left, m, 0, 0});
  std::cout << "events before and after repeating left's acquire: " << before << ", "
            << unfolding.events().size() << '\n';
}

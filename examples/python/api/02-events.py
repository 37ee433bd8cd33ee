"""2. Performing actions: events and their predecessors (examples/api/02-events.c)."""
import unfold
from unfold import ActionKind


def show(events):
    """The events, one in a line."""
    for event in events:
        print(f"  {int(event)}: {'the beginning' if event == event.unfolding.bottom else event}")


with unfold.Context() as context:
    unfolding = unfold.Unfolding(context)
    left, right = (unfolding.thread(i, start=True) for i in range(2))
    m = unfolding.mutex(0)

    # left takes the mutex and gives it back, then right takes it.
    one = unfold.Configuration(unfolding)
    one.perform(unfold.Action(ActionKind.ACQUIRE, left, m))
    one.perform(unfold.Action(ActionKind.RELEASE, left, m))
    second = one.perform(unfold.Action(ActionKind.ACQUIRE, right, m))
    print("right's acquire comes directly after")
    show(second.predecessors)
    print("and its history is")
    show(second.history)

    # An action that is not possible is refused.
    try:
        one.perform(unfold.Action(ActionKind.ACQUIRE, left, m))
    except unfold.Disabled as error:
        print("left acquires it, too:", str(error).split(":")[0])

    # In another execution right is first. Its acquire is another event, for it has other causes.
    first = unfold.Configuration(unfolding).perform(unfold.Action(ActionKind.ACQUIRE, right, m))
    print("right's acquire at once is a different event:", "yes" if first != second else "no")
    show(first.predecessors)

    # Doing what was done before makes nothing new: events are interned.
    before = len(unfolding)
    one.clear()
    one.perform(unfold.Action(ActionKind.ACQUIRE, left, m))
    print(f"events before and after repeating left's acquire: {before}, {len(unfolding)}")

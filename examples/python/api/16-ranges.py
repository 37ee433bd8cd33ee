"""16. Memory in bytes: locations that overlap, and their values (examples/api/16-ranges.c)."""
import unfold
from unfold import ActionKind
from unfold import operations as op

with unfold.Context() as context:
    unfolding = unfold.Unfolding(context)
    p, q = (unfolding.thread(i, start=True) for i in range(2))

    # Four bytes, and names for the first and for the last two of them.
    word, low, high = (unfolding.location(i) for i in range(3))
    for location, first, size in ((word, 0, 4), (low, 0, 1), (high, 2, 2)):
        unfolding.place(location, word, first, size)
    unfolding.set_initial(word, 65536 + 255)
    C = unfold.Configuration(unfolding)

    def perform(thread, operation):
        """A thread writes."""
        C.offer(thread, operation)
        C.perform(unfold.Action(ActionKind.WRITE, thread, operation.target))

    def values():
        """What is there."""
        print(f"word {C.value(word)}, low {C.value(low)}, high {C.value(high)}")

    values()
    # The byte wraps alone; an addition to the word carries.
    perform(p, op.fetch_add(low, 1))
    perform(q, op.store(high, -1))
    values()
    perform(p, op.fetch_add(word, 65536 + 7))
    values()
    for event in C:
        print(f"  {int(event)}: {event}")
    one, two, three = C
    print(f"1 and 2 concurrent: {'yes' if one.concurrent(two) else 'no'}; "
          f"2 before 3: {'yes' if two < three else 'no'}")

    # Too late for another half of what was used as a whole.
    try:
        unfolding.place(unfolding.location(3), word, 3, 1)
    except unfold.State as error:
        print(error)

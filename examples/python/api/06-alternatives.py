"""6. Alternatives to D after C, and what k changes (examples/api/06-alternatives.c)."""
import unfold
from unfold import ActionKind

with unfold.Context() as context:
    unfolding = unfold.Unfolding(context)
    thread = [unfolding.thread(i, start=True) for i in range(4)]
    m, n = unfolding.mutex(0), unfolding.mutex(1)

    def event(who, mutex):
        """A thread takes a mutex at once."""
        return unfolding.intern(unfold.Action(ActionKind.ACQUIRE, thread[who], mutex), [])

    def look(what, U, D, k=unfold.K_OPTIMAL):
        """Looks for an alternative, without greed, so that the effect of k alone is seen."""
        options = unfold.AlternativeOptions(k=k, greedy=False)
        found = unfold.find_alternative(U, C, D, options).configuration
        print(f"{what}: {'none' if found is None else 'found'}")
        for member in found or []:
            print(f"  {int(member)}: {member}")

    # Threads 0 and 1 compete for m, threads 2 and 3 for n.
    zero, one, two, three = event(0, m), event(1, m), event(2, n), event(3, n)
    C = unfold.Configuration(unfolding)

    # After nothing, instead of both 0 and 2 being first: 1 and 3 are.
    look("instead of 0 and 2, from 1 and 3", [one, three], [zero, two])
    # If only 1 is known, 2 stays without contradiction.
    look("instead of 0 and 2, from 1", [one], [zero, two])
    # One contradiction is enough for k = 1; nothing then keeps 0 from being taken again.
    look("instead of 0 and 2, from 1 and 3, k = 1", [one, three], [zero, two], 1)
    # When C has 3 already, D's event 2 is in conflict with it and needs nothing more.
    C.add(three)
    look("after 3, instead of 0 and 2, from 1", [one], [zero, two])

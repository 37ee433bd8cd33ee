"""5. What can happen next, and what could have happened instead (examples/api/05-extensions.c)."""
import unfold
from unfold import operations as op


def show(events):
    """The events, one in a line."""
    for event in events:
        print(f"  {int(event)}: {event}")


with unfold.Context() as context:
    unfolding = unfold.Unfolding(context)
    thread = [unfolding.thread(i, start=True) for i in range(2)]
    mutex = [unfolding.mutex(i) for i in range(2)]

    def acquire(who, what):
        """A thread takes a mutex."""
        c.perform(unfold.Action(unfold.ActionKind.ACQUIRE, thread[who], mutex[what]))

    # Without knowing what every started thread is about to do, there is no answer.
    c = unfold.Configuration(unfolding)
    c.offer(thread[0], op.lock(mutex[0]))
    try:
        c.enabled()
    except unfold.Missing as error:
        print("with one offer:", str(error).split(":")[0])
    c.offer(thread[1], op.lock(mutex[1]))
    print("enabled at the start")
    show(c.enabled())

    # Each takes its first mutex and wants the other's.
    acquire(0, 0)
    c.offer(thread[0], op.lock(mutex[1]))
    print("enabled after thread 0 has its first")
    show(c.enabled())
    acquire(1, 1)
    c.offer(thread[1], op.lock(mutex[0]))
    print(f"enabled after both have their first: {len(c.enabled())}, the deadlock")
    print("what could have happened instead")
    show(c.conflicting())

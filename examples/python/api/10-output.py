"""10. Schedules and drawings (examples/api/10-output.c)."""
import unfold
from unfold import ActionKind


def start():
    """A fresh unfolding, as another process would have one, and two threads."""
    made = unfold.Unfolding(context)
    return made, [made.thread(i, start=True) for i in range(2)]


with unfold.Context() as context:
    unfolding, thread = start()
    mutex = unfolding.mutex(0)
    schedule = unfold.Schedule(unfolding, "two threads")
    for kind, who in ((ActionKind.ACQUIRE, 1), (ActionKind.RELEASE, 1), (ActionKind.ACQUIRE, 0)):
        schedule.append(unfold.Action(kind, thread[who], mutex))
    text = str(schedule)
    print(text, end="")

    # Read it where nothing of it is known, and perform it. Handles may differ; names do not.
    unfolding, thread = start()
    schedule = unfold.Schedule.read(unfolding, text)
    print(f"\nread: {len(schedule)} steps of {schedule.program}")
    c = unfold.Configuration(unfolding)
    for action in schedule:
        c.perform(action)

    # A damaged file is recognised.
    try:
        unfold.Schedule.read(unfolding, text[:-10])
    except unfold.Error as error:
        print(f"cut short: {unfold.raw.unf_status_text(error.status).decode()}\n")
    # What the program calls its threads and objects.
    names = unfold.Names({thread[0]: "producer", thread[1]: "consumer"}, {mutex: "queue.lock"})
    print(c.dot(names), end="")

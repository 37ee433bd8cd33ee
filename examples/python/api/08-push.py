"""8. The explorer, whole executions at a time: prefix and feed (examples/api/08-push.c)."""
import unfold
from unfold import ActionKind
from unfold import operations as op


class Machine:
    """Two threads that each lock one mutex, unlock it and exit; a third that only tries it. It
    runs "elsewhere": it knows of no explorer."""

    def __init__(self):
        self.pc, self.owner, self.trace = [0, 0, 0], None, []

    def about_to(self, who):
        """What a thread does next."""
        if self.pc[who] == 0:
            return op.trylock(mutex) if who == 2 else op.lock(mutex)
        return op.unlock(mutex) if self.pc[who] == 1 and self.owner == who else op.exit()

    def move(self, who):
        """Runs one thread for a step and records it; False if it cannot move."""
        operation, did = self.about_to(who), ActionKind.ACQUIRE
        if operation.kind == unfold.OperationKind.EXIT:
            return False
        if operation.kind == unfold.OperationKind.UNLOCK:
            did, self.owner = ActionKind.RELEASE, None
        elif self.owner is None:
            self.owner = who
        elif operation.kind == unfold.OperationKind.TRYLOCK:
            did = ActionKind.TRYFAIL
        else:
            return False
        self.pc[who] += 1
        self.trace.append(unfold.Traced(unfold.Action(did, thread[who], mutex), operation))
        return True


with unfold.Context() as context:
    unfolding = unfold.Unfolding(context)
    thread = [unfolding.thread(i, start=True) for i in range(3)]
    mutex = unfolding.mutex(0)
    explorer = unfold.Explorer(unfolding)
    while True:
        run, prefix = explorer.prefix()
        if run.finished:
            break
        machine = Machine()
        for action in prefix:
            machine.move(action.thread)
        # And then freely, until no thread can move.
        while any(machine.move(who) for who in range(3)):
            pass
        ends = [unfold.Pending(thread[who], machine.about_to(who)) for who in range(3)]
        verdict = explorer.feed(machine.trace, ends)
        print(f"run {run.number}: {len(prefix)} steps given, {len(machine.trace)} done,",
              "redundant" if verdict.redundant else "a new trace")
    print(f"{explorer.counts.traces} traces, {explorer.counts.redundant} redundant")

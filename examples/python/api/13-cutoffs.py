"""13. Cutoffs: programs that run for ever (examples/api/13-cutoffs.c)."""
import unfold
from unfold import CutoffOrder
from unfold import operations as op

NUMBER, INSIDE = 0, 1  # locations


class Engine:
    """Each thread adds 1 modulo 3 to a shared number, under a mutex, without end."""

    def restart(self, _run):
        """The initial state."""
        self.number, self.inside = 0, [False, False]

    def next(self, thread):
        """In and out."""
        return op.unlock(mutex) if self.inside[thread] else op.lock(mutex)

    def perform(self, step):
        """Keeps what the step changes."""
        thread = step.action.thread
        self.change = unfold.Fingerprint()
        self.change.replace(INSIDE + thread, bytes([self.inside[thread], 0, 0, 0]),
                            bytes([not self.inside[thread], 0, 0, 0]))
        self.inside[thread] = not self.inside[thread]
        if self.inside[thread]:
            before, self.number = self.number, (self.number + 1) % 3
            self.change.replace(NUMBER, bytes([before, 0, 0, 0]), bytes([self.number, 0, 0, 0]))

    def changed(self):
        """What the last step changed."""
        return self.change


with unfold.Context() as context:
    unfolding = unfold.Unfolding(context)
    for number in range(2):
        unfolding.thread(number, start=True)
    mutex = unfolding.mutex(0)
    for order, name in ((CutoffOrder.SIZE, "size"), (CutoffOrder.ERV, "total order")):
        explorer = unfold.Explorer(unfolding, cutoffs=order)
        print(f"{name}: {explorer.explore(Engine()).truncated} executions, each ended by cutoffs")
        counts = explorer.cutoffs.counts
        print(f"  {counts.kept} kept events, {counts.cutoffs} cutoffs, {counts.states} states")
        explorer.close()

"""18. Executions for all values of the inputs (examples/api/18-branches.c)."""
import itertools

import unfold
from unfold import ActionKind, Answer
from unfold import operations as op


class Solver:
    """Tries all values of x and y."""

    def holds(self, witness, event):
        """Whether values satisfy the literal of a branch."""
        x, y = witness
        test = x < y if event.literal.term == 0 else y < x
        return test == (event.literal.outcome == 1)

    def consistent(self, events, known):
        """Whether some values satisfy all of them."""
        for values in itertools.product(range(3), repeat=2):
            if all(self.holds(values, event) for event in events):
                return unfold.Satisfied(values)
        return Answer.NO


class Engine:
    """Two threads test the inputs and lock a mutex if the test is true; a third locks it anyway."""

    def restart(self, run):
        """The third thread begins behind the test."""
        self.done, self.outcome = [0, 0, 1], [0, 0, 1]
        print(f"run {run.number}:", end="")

    def next(self, thread):
        """What a thread does after so many steps."""
        if self.done[thread] == 0:
            return op.branch(thread, 2)
        if self.outcome[thread] == 0:
            return op.exit()
        return [op.lock(mutex), op.unlock(mutex), op.exit()][self.done[thread] - 1]

    def perform(self, step):
        """Says what happens."""
        thread = step.action.thread
        if step.action.kind == ActionKind.BRANCH:
            self.outcome[thread] = step.action.value
            print("" if self.outcome[thread] else " not", "x < y;" if thread == 0 else "y < x;",
                  end="")
        elif step.action.kind == ActionKind.ACQUIRE:
            print(f" thread {thread} locks;", end="")
        self.done[thread] += 1

    def ended(self, verdict, _explorer):
        """Says what it came to."""
        print(" complete" if verdict.complete else " not complete")


with unfold.Context() as context:
    unfolding = unfold.Unfolding(context)
    unfolding.set_consistency(Solver())
    for number in range(3):
        unfolding.thread(number, start=True)
    mutex = unfolding.mutex(0)
    counts = unfold.Explorer(unfolding).explore(Engine())
    asked = unfolding.consistency_counts
    print(f"{counts.traces} traces, {counts.redundant} redundant, {counts.infeasible} infeasible")
    print(f"{asked.calls} calls of the solver, of which {asked.no} said no")

"""15. An optimal DPOR of your own (examples/api/15-optimal-dpor.c)."""
import unfold
from unfold import Algorithm
from unfold import operations as op

traces = reversals = inserted = 0


def configuration_of(path):
    """The configuration of a path, with what each thread does next."""
    made, pc = unfold.Configuration(unfolding), dict.fromkeys(threads, 0)
    for event in path:
        made.extend(event)
        pc[event.action.thread] += 1
    for thread in threads:
        made.offer(thread, code[thread][pc[thread]])
    return made


def explore(path):
    """Everything that begins with a path: Algorithm 2 of "Source Sets" (JACM 2017)."""
    global traces, reversals, inserted
    event = trees.take(len(path))
    C = configuration_of(path)
    if event is None:
        enabled = C.enabled()
        event = next((one for one in enabled if one not in sleeping), None)
        if not enabled:
            traces += 1
            for one in unfold.execution_reversals(unfolding, path):
                reversals += 1
                if not sleeping.initial(one.position, one.sequence):
                    inserted += trees.insert(one.position, one.sequence)
    while event is not None:
        sleeping.push(event)
        explore([*path, event])
        sleeping.pop()
        sleeping.add(event)
        event = trees.take(len(path))


class Engine:
    """The same program for the library's explorer."""

    def restart(self, _run):
        """All threads at their beginning."""
        self.done = dict.fromkeys(threads, 0)

    def next(self, thread):
        """The operation at the counter of a thread."""
        return code[thread][self.done[thread]]

    def perform(self, step):
        """Moves the counter."""
        self.done[step.action.thread] += 1


with unfold.Context() as context:
    unfolding = unfold.Unfolding(context)
    threads = [unfolding.thread(i, start=True) for i in range(3)]
    x, y, m = unfolding.location(0), unfolding.location(1), unfolding.mutex(0)
    code = [[op.store(x, 1), op.lock(m), op.unlock(m), op.exit()],
            [op.lock(m), op.load(x), op.store(y, 2), op.exit()],  # it never unlocks
            [op.load(y), op.store(x, 3), op.exit()]]
    sleeping, trees = unfold.SleepSets(unfolding), unfold.WakeupTrees(unfolding)
    explore([])
    print(f"here: {traces} traces, {reversals} reversals, of which {inserted} were inserted")
    found = [unfold.Explorer(unfolding, algorithm=one).explore(Engine()).traces
             for one in (Algorithm.ODPOR, Algorithm.QPOR)]
    print(f"the library: {found[0]} by wakeup trees, {found[1]} by alternatives")

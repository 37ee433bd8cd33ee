"""20. One exploration by several workers (examples/api/20-workers.c)."""
import unfold
from unfold import operations as op

THREADS, WORKERS = 4, 2


class Worker:
    """Nothing of it is shared with others: it could be on another machine."""

    def __init__(self):
        self.context = unfold.Context()
        unfolding = unfold.Unfolding(self.context)
        threads = [unfolding.thread(i, start=True) for i in range(THREADS)]
        mutex = unfolding.mutex(0)

        def thread(_shared):
            yield op.lock(mutex)
            yield op.unlock(mutex)
        self.program = unfold.Program({one: thread for one in threads})
        self.explorer = unfold.Explorer(unfolding, algorithm=unfold.Algorithm.ODPOR)
        self.item = self.executions = self.reports = 0  # item 0: none

    def execute(self):
        """Makes one execution, unless there is none left below the item."""
        before = self.explorer.counts.executions
        self.context.set_limits(unfold.Limits(runs=before + 1))
        try:
            self.explorer.explore(self.program)
        except unfold.Limit:
            pass
        self.context.set_limits(unfold.Limits())
        self.executions += self.explorer.counts.executions - before


# The ledger needs neither the program nor its executions.
with unfold.Context() as names:
    ledger = unfold.Ledger(unfold.Unfolding(names))
    workers = [Worker() for _ in range(WORKERS)]
    traces, lost = 0, False
    while ledger.state.open + ledger.state.given > 0:
        for i, worker in enumerate(workers):
            if worker.item == 0:
                worker.item, item = ledger.give()
                if worker.item != 0:
                    unfold.begin_item(worker.explorer, item)
                continue
            worker.execute()
            # What a worker did and did not report is explored by others.
            if i == 1 and not lost:
                ledger.take_back(worker.item)
                workers[i], lost = Worker(), True
                continue
            report = unfold.make_report(worker.explorer, split=True)
            ledger.report(worker.item, report.data)
            worker.reports += 1
            traces += report.counts.traces
            if report.finished:
                worker.item = 0
    state = ledger.state
    print(f"{traces} traces; {state.finished} items finished, {state.lost} taken back")
    for i, worker in enumerate(workers, 1):
        print(f"worker {i}: {worker.executions} executions, {worker.reports} reports")

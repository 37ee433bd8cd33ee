"""7. The explorer step by step, in a loop of its own (examples/api/07-explorer.c)."""
import unfold
from unfold import operations as op

with unfold.Context() as context:
    unfolding = unfold.Unfolding(context)
    threads = [unfolding.thread(i, start=True) for i in range(2)]
    a, b = unfolding.mutex(0), unfolding.mutex(1)
    program = [[op.lock(a), op.lock(b), op.unlock(b), op.unlock(a), op.exit()],
               [op.lock(b), op.lock(a), op.unlock(a), op.unlock(b), op.exit()]]
    explorer = unfold.Explorer(unfolding)
    for run in explorer.runs():
        pc = [0, 0]
        for thread in threads:
            explorer.offer(thread, program[thread][0])
        for step in explorer.steps():
            thread = step.action.thread
            pc[thread] += 1
            explorer.commit()
            explorer.offer(thread, program[thread][pc[thread]])
        verdict = explorer.finish()
        print(f"run {run.number}:", "redundant" if verdict.redundant else
              "complete" if verdict.complete else "deadlock" if verdict.deadlock else "blocked")
        for event in explorer.path if verdict.deadlock else []:
            print(f"  {int(event)}: {event}")
    counts = explorer.counts
    print(f"{counts.traces} traces, {counts.deadlocks} deadlocks, {counts.redundant} redundant "
          f"runs, {counts.events} events")

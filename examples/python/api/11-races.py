"""11. Data races between plain accesses (examples/api/11-races.c)."""
import unfold
from unfold import operations as op

LOOK_FIRST, ADD, LOOK_AFTER = 10, 12, 14  # lines of the program
SILENT = [(False, LOOK_FIRST), (True, ADD), (False, LOOK_AFTER)]  # before each operation


class Engine:
    """Two threads add to a counter under a mutex, and look at it before and after without one."""
    stepped = False

    def restart(self, run):
        """Starts over each time, so it resumes at step 0."""
        races.begin(run.shared)
        self.at, self.stepped = dict.fromkeys(threads, 0), False

    def next(self, thread):
        """Runs a thread silently up to its next operation."""
        if self.stepped:  # first the event, then the accesses that follow it
            races.step(explorer.last)
        self.stepped = False
        write, line = SILENT[self.at[thread]]
        races.access(unfold.Access(thread, write, 0x1000, 4, line))
        return [op.lock(mutex), op.unlock(mutex), op.exit()][self.at[thread]]

    def perform(self, step):
        """The interpreter has no state but its counters."""
        self.at[step.action.thread] += 1
        self.stepped = True


def text(access):
    """An access for people."""
    return f"{'write' if access.write else 'read'} at line {access.place}"


with unfold.Context() as context:
    unfolding = unfold.Unfolding(context)
    threads = [unfolding.thread(i, start=True) for i in range(2)]
    mutex = unfolding.mutex(0)
    explorer, races = unfold.Explorer(unfolding), unfold.Races(unfolding)
    explorer.explore(Engine())
    print(f"{races.counts.executions} executions, {len(races)} races")
    for race in races:
        print(f"{text(race.first)}, {text(race.second)}: in {race.count} executions, first in "
              f"number {race.execution} after {race.steps} steps")

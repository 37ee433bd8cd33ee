"""12. Effects of your own: message passing (examples/api/12-mailboxes.c)."""
import unfold
from unfold import Mode
from unfold import operations as op

SEND, RECEIVE = 0, 1
CLIENTS = 2
SERVER = CLIENTS


class Mailboxes:
    """To send puts a message at the end of a box, to receive waits for one and takes the first.
    The value of an action is what is sent, or what was received; sending is odd."""
    name = "mailbox"

    def uses(self, action):
        """Both change the box."""
        return [(action.target, Mode.WRITE)]

    def outcomes(self, view, thread, operation):
        """A receive takes the first message that was not received yet."""
        if operation.low == SEND:
            return [2 * operation.high + 1]
        values = [action.value for action in view.history(operation.target)]
        sent = [value // 2 for value in values if value % 2]
        received = len(values) - len(sent)
        return [2 * sent[received]] if received < len(sent) else []


class Engine:
    """A client sends its number and waits for the answer; the server answers each."""

    def restart(self, run):
        """All threads at their beginning."""
        self.pc, self.received = dict.fromkeys(threads, 0), None
        print(f"run {run.number}:")

    def next(self, thread):
        """The operation at the counter of a thread."""
        pc = self.pc[thread]
        if thread != SERVER:
            return [unfold.operate(family, box[SERVER], SEND, thread),
                    unfold.operate(family, box[thread], RECEIVE), op.exit()][pc]
        if pc == 2 * CLIENTS:
            return op.exit()
        return (unfold.operate(family, box[self.received], SEND, 100) if pc % 2 else
                unfold.operate(family, box[SERVER], RECEIVE))

    def perform(self, step):
        """While a family is new: do actions that it calls independent commute?"""
        explorer.configuration().check_independence()
        if step.action.thread == SERVER and step.action.value % 2 == 0:
            self.received = step.action.value // 2
        self.pc[step.action.thread] += 1

    def ended(self, _verdict, given):
        """Prints what happened."""
        for event in given.path:
            print(f"  {int(event)}: {event}")


with unfold.Context() as context:
    unfolding = unfold.Unfolding(context)
    family = unfolding.register(Mailboxes())
    threads = [unfolding.thread(i, start=True) for i in range(CLIENTS + 1)]
    box = [unfolding.custom(i) for i in range(CLIENTS + 1)]
    explorer = unfold.Explorer(unfolding)
    explorer.explore(Engine())

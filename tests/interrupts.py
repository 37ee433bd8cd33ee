"""Signals sent to a program at a moment that does not depend on how fast the machine is."""
import signal
import time

# Under nohup, or in the background of a shell, programs would ignore them, as they should.
for ignored in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    signal.signal(ignored, signal.SIG_DFL)


def wait_until(child, there):
    """Until something can be seen, or the process has ended before."""
    while child.poll() is None and not there():
        time.sleep(0.001)


def in_mask(child, number, *names):
    """Whether the signal is in one of these masks of the process; of one that has ended in none."""
    try:
        with open(f"/proc/{child.pid}/status", encoding="ascii") as file:
            masks = [int(line.split()[1], 16) for line in file if line.startswith(names)]
    except OSError:
        return False
    return any(mask >> number - 1 & 1 for mask in masks)


def taken(child, number):
    """Whether the process does something of its own with the signal by now, or holds it back."""
    return in_mask(child, number, "SigCgt:", "SigBlk:")


def interrupt(child):
    """Sends SIGINT to a process that holds it back, and waits until it was taken from there."""
    child.send_signal(signal.SIGINT)
    wait_until(child, lambda: not in_mask(child, signal.SIGINT, "ShdPnd:"))


def has_children(child):
    """Whether the process has started others: unfold holds interrupts back before it does, and then
    waits for them in a call during which they do not count as held back."""
    try:
        with open(f"/proc/{child.pid}/task/{child.pid}/children", encoding="ascii") as file:
            return file.read() != ""
    except OSError:
        return False


def wait_until_taken(child):
    """Until interrupts no longer end the process as such."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
    wait_until(child, lambda: has_children(child) or all(taken(child, number) for number in numbers))

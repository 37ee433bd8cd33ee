"""9. Allocator, limits, interruption, and going on (examples/api/09-limits.c)."""
import ctypes

import unfold
from unfold import operations as op

libc = ctypes.CDLL(None)
libc.realloc.restype = ctypes.c_void_p
libc.realloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]


class Account:
    """An allocator that keeps an account; and one day it has nothing more to give."""
    held, refusals = 0, 0

    def reallocate(self, block, old_size, new_size):
        """As realloc() and free(); 0 where there is no memory."""
        if new_size > old_size and self.refusals > 0:
            self.refusals -= 1
            return 0
        self.held += new_size - old_size
        if new_size == 0:
            libc.free(block)
            return 0
        return libc.realloc(block or None, new_size)


def again(call):
    """Makes a call until it succeeds, and removes what is in its way."""
    while True:
        try:
            return call()
        except (unfold.Limit, unfold.Memory, unfold.Interrupted) as error:
            print("met:", unfold.raw.unf_status_text(error.status).decode())
            if isinstance(error, unfold.Limit):
                context.set_limits(unfold.Limits())


def worker(_shared):
    """Each thread locks the mutex and unlocks it."""
    yield op.lock(mutex)
    yield op.unlock(mutex)


account = Account()
with unfold.Context(unfold.Limits(events=50), reallocate=account.reallocate, progress_interval=5,
                    progress=lambda so_far: so_far.runs != 10) as context:
    unfolding = unfold.Unfolding(context)
    threads = [unfolding.thread(i, start=True) for i in range(4)]
    mutex = unfolding.mutex(0)
    account.refusals = 2
    explorer = again(lambda: unfold.Explorer(unfolding))
    context.interrupt()  # another thread may do this at any time
    program = unfold.Program({thread: worker for thread in threads})
    counts = again(lambda: explorer.explore(program))
    print(f"{counts.traces} traces, all the same")
    print("the context's account is ours:", "yes" if account.held == context.bytes else "no")
print(f"bytes left at the end: {account.held}")

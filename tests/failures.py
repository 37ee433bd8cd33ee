"""What a script finds wrong: said at once, since what follows may not end. Where the environment
has FIRST_FAILURE_ENDS, the script ends with it: tests/mutation asks for no more."""
import os
import sys

FIRST_ENDS = 'FIRST_FAILURE_ENDS' in os.environ


class Failures(list):
    part = None  # what the command line can name, so that it alone is performed

    def append(self, what):
        super().append(what)
        print('FAIL', what, flush=True)
        if self.part is not None:
            print('in part', self.part, flush=True)
        if FIRST_ENDS:
            sys.exit(1)

    def chosen(self, parts, names):
        """Each of the parts that the command line names, or all of them, while it is performed."""
        unknown = sorted(set(names) - set(parts))
        if unknown:
            self.append(f'there is no part {", ".join(unknown)}')
        for part in parts:
            if not names or part in names:
                self.part = part
                yield part
        self.part = None

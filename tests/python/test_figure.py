"""examples/python/figures: what the pictures show, and that they are pictures."""
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

FIGURES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python" / "figures"


class Figures(unittest.TestCase):
    """The scripts as people run them."""

    def test_redundant_runs(self):
        """The traces and the runs of SDPOR are those of tests/golden/counts.csv; with k they fall,
        and none is left in the end."""
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "figure.svg")
            done = subprocess.run([sys.executable, FIGURES / "redundant_runs.py", "--quick", "--out",
                                   out], capture_output=True, text=True, check=True)
            root = xml.etree.ElementTree.parse(out).getroot()
        rows = [line.rsplit(None, 7)[1:] for line in done.stdout.splitlines()[1:]]
        rows = [list(map(int, row)) for row in rows]
        self.assertEqual([row[:2] for row in rows],
                         [[12, 171], [137, 1031], [60, 428], [160, 241]])
        for _, *redundant in rows:
            self.assertEqual(redundant, sorted(redundant, reverse=True))
            self.assertEqual(redundant[-1], 0)
        self.assertGreater(sum(row[2] for row in rows), 0)
        self.assertEqual(len(root.findall("{*}polyline")), 4)
        self.assertEqual(len(root.findall("{*}circle")), 24)


if __name__ == "__main__":
    unittest.main()

"""The programs of examples/python/api print what those of examples/api print; the code of pages
prints what the page says."""
import pathlib
import subprocess
import sys
import unittest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


class Ports(unittest.TestCase):
    """Each program in Python and the output of the one in C."""

    def test_same_output(self):
        """All of them."""
        programs = sorted((EXAMPLES / "python" / "api").glob("*.py"))
        self.assertGreater(len(programs), 10)
        for program in programs:
            with self.subTest(program.name):
                expected = EXAMPLES / "api" / (program.stem + ".expected")
                done = subprocess.run([sys.executable, "-W", "error", program], text=True,
                                      capture_output=True, check=False, timeout=60)
                self.assertEqual((done.stderr, done.returncode), ("", 0))
                self.assertEqual(done.stdout, expected.read_text(encoding="utf-8"))

    def test_pages(self):
        """doc/python.md, and the first screen of the package's README."""
        folder = EXAMPLES.parent / "doc"
        for page in (folder / "python.md", EXAMPLES / "python" / "README.md"):
            with self.subTest(page.name):
                code, said = (subprocess.run([sys.executable, folder / "extract.py", page, language],
                                             capture_output=True, text=True, check=True).stdout
                              for language in ("python", "output"))
                done = subprocess.run([sys.executable, "-W", "error", "-c", code], text=True,
                                      capture_output=True, check=False, timeout=60)
                self.assertEqual((done.stderr, done.stdout), ("", said))


if __name__ == "__main__":
    unittest.main()

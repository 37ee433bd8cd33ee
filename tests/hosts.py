#!/usr/bin/env python3
"""--mpi over two hosts, which are namespaces of this machine: each has a network and a name of its
own, a pair of devices is between them, and in place of ssh a script enters the other one.

    hosts.py MPIRUN ROOT UNFOLD_MODEL [UNFOLD]

Skipped, with the reason, where that is not allowed, or the launcher is not that of Open MPI.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import ranks  # noqa: E402 (in this folder)

SKIPPED = 77
NAMES = ("unfold-host-1", "unfold-host-2")
NETWORK = "10.213.77"
AGENT = """#!/bin/sh
# agent HOST COMMAND: as ssh, on the other host.
shift
exec nsenter --net --uts --target %d sh -c "$*"
"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def run(*words):
    return subprocess.run([*map(str, words)], capture_output=True, text=True)


class Hosts:
    """Each is there as long as a process in it that sleeps."""

    def __init__(self):
        self.sleeping = []

    def begin(self):
        """None, or why there are none."""
        if os.geteuid() != 0:
            return "only root makes namespaces of networks here"
        for tool in ("unshare", "nsenter", "ip"):
            if shutil.which(tool) is None:
                return f"there is no {tool}"
        if "Open MPI" not in run(ranks.MPIRUN, "--version").stdout:
            return "the launcher is not that of Open MPI"
        for name in NAMES:
            child = subprocess.Popen(["unshare", "--net", "--uts", "sh", "-c", f"hostname {name} && echo ready && exec sleep 600"],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.sleeping.append(child)
            if child.stdout.readline() != "ready\n":
                return f"unshare: {child.communicate()[1].strip()}"
        devices = [f"uh{os.getpid() % 100000}-{i}" for i in (1, 2)]
        made = run("ip", "link", "add", devices[0], "netns", self.sleeping[0].pid, "type", "veth", "peer", "name", devices[1], "netns",
                   self.sleeping[1].pid)
        if made.returncode != 0:
            return f"ip link add: {made.stderr.strip()}"
        for i, device in enumerate(devices):
            for words in (("addr", "add", f"{NETWORK}.{i + 1}/24", "dev", device), ("link", "set", device, "up"), ("link", "set", "lo", "up")):
                done = run(*self.enter(i), "ip", *words)
                if done.returncode != 0:
                    return f"ip {' '.join(words)}: {done.stderr.strip()}"
        return None

    def enter(self, host):
        return ["nsenter", "--net", "--uts", "--target", str(self.sleeping[host].pid)]

    def end(self):
        for child in self.sleeping:
            child.send_signal(signal.SIGKILL)
            child.communicate()


HOSTS = Hosts()


class Two(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        agent = self.path / "agent"
        agent.write_text(AGENT % HOSTS.sleeping[1].pid)
        agent.chmod(0o755)
        network = f"{NETWORK}.0/24"
        self.launcher = [*HOSTS.enter(0), ranks.MPIRUN, "-n", "3", "--host", f"{NETWORK}.1:2,{NETWORK}.2:2", "--map-by", "node",
                         "--mca", "plm_rsh_agent", str(agent), "--mca", "btl", "self,tcp", "--mca", "btl_tcp_if_include", network,
                         "--mca", "oob_tcp_if_include", network]

    def over_hosts(self, *words):
        done = subprocess.run([*self.launcher, *ranks.together(words)], capture_output=True, text=True, timeout=300,
                              env=ranks.ENVIRONMENT | {"TMPDIR": str(self.path)}, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout, done.stderr

    def same(self, words, undisturbed):
        wanted = ranks.alone(*undisturbed)[1]
        status, output, errors = self.over_hosts(*words)
        result = ranks.result_of(output)
        self.assertIsNotNone(result, errors)
        for key in ranks.SAME:
            self.assertEqual(result[key], wanted[key], key)
        self.assertEqual(sum(w["executions"] for w in result["jobs"]["workers"]), wanted["executions"])
        self.assertEqual(status, 1 if wanted["defects"] else 0)

    def test_names(self):
        """They are two."""
        self.assertEqual(sorted(self.over_hosts("hostname")[1].split()), [NAMES[0], NAMES[0], NAMES[1]])

    def test_models(self):
        for name in ("families/disp-5-2", "programs/abba"):
            path = ranks.ROOT / "examples/model" / f"{name}.unf"
            self.same([ranks.MODEL, "--json", "--mpi", path], [ranks.MODEL, "--json", path, "--algorithm", "odpor", "--probes", 0])

    def test_programs(self):
        if ranks.NATIVE is None:
            self.skipTest("unfold is not built")
        program = self.path / "disp"
        subprocess.run([*os.environ.get("CC", "cc").split(), "-g", "-O0", "-pthread", "-DPARAM1=5", "-DPARAM2=2",
                        ranks.ROOT / "examples/native/programs/disp.c", "-o", program], check=True)
        own = [ranks.NATIVE, "--json", "--atomics", "off", "--backend", "fibers"]
        self.same([*own, "--mpi", "--", program], [*own, "--algorithm", "odpor", "--probes", 0, "--", program])


if __name__ == "__main__":
    ranks.MPIRUN, ranks.ROOT, ranks.MODEL = sys.argv[1], pathlib.Path(sys.argv[2]), str(pathlib.Path(sys.argv[3]).resolve())
    ranks.NATIVE = str(pathlib.Path(sys.argv[4]).resolve()) if len(sys.argv) > 4 else None
    try:
        reason = HOSTS.begin()
        if reason is not None:
            skip(reason)
        unittest.main(argv=sys.argv[:1])
    finally:
        HOSTS.end()

#!/usr/bin/env python3
"""packages.py SOURCE-ROOT BUILD-ROOT: that a list of Debian packages to install is enough for what
is built with it.

Each header of the system that was read when something was built belongs to a package, which a list
names, or on which a package that it names depends. On a machine where more is installed a list that
is too short makes no difference otherwise. Headers of compilers do not count, since any will do."""
import collections
import pathlib
import re
import shutil
import subprocess
import sys

# A list, and the folders of what is built with it; '' is everything.
LISTS = {"examples/packages": ("src/", "examples/native/"), ".ci/packages": ("",)}
OF_COMPILERS = ("/usr/lib/gcc/", "/usr/lib/llvm-")
SKIPPED = 77


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout


def headers_read(build):
    """Of each object, the headers of the system."""
    read, target = collections.defaultdict(set), None
    for line in output("ninja", "-C", build, "-t", "deps").splitlines():
        if match := re.match(r"(\S+): #deps", line):
            target = match[1]
        elif line.strip().startswith("/usr/include/") or line.strip().startswith("/usr/lib/"):
            read[target].add(line.strip())
    return read


def owners(headers):
    """The packages of each header; none of what no package has."""
    found = {}
    for line in output("dpkg-query", "-S", *sorted(headers)).splitlines():
        names, _, header = line.rpartition(": ")
        found[header] = {name.split(":")[0] for name in names.split(", ")}
    return found


def needed_by_each():
    """What each package that is installed depends on, by names, and who provides a name."""
    needs, provides = {}, collections.defaultdict(set)
    for line in output("dpkg-query", "-W", "-f", "${Package}\t${Depends}, ${Pre-Depends}\t${Provides}\n").splitlines():
        name, depends, provided = line.split("\t")
        needs[name] = set(re.findall(r"(?:^|[,|])\s*([a-z0-9][a-z0-9+.-]*)", depends))
        provides[name].add(name)
        for word in re.findall(r"(?:^|,)\s*([a-z0-9][a-z0-9+.-]*)", provided):
            provides[word].add(name)
    return needs, provides


def brought(names, needs, provides):
    """What is there when these are installed."""
    there, left = set(), list(names)
    while left:
        for package in provides[left.pop()] - there:
            there.add(package)
            left += needs[package]
    return there


def main(root, build):
    if shutil.which("dpkg-query") is None or shutil.which("ninja") is None:
        return SKIPPED
    read = headers_read(build)
    of_header, (needs, provides) = owners(set().union(*read.values())), needed_by_each()
    missing = set()
    for name, folders in LISTS.items():
        there = brought((root / name).read_text().split(), needs, provides)
        for target, headers in read.items():
            for header in headers if target.startswith(folders) else ():
                packages = of_header.get(header, set())
                if packages and not packages & there and not header.startswith(OF_COMPILERS):
                    missing.add(f"{name} does not name {' or '.join(sorted(packages))}, of which {target} reads {header}")
    print(*sorted(missing), sep="\n")
    print(f"{len(of_header)} headers of {len(set().union(*of_header.values()))} packages, {len(missing)} missing")
    return 1 if missing or not of_header else 0


if __name__ == "__main__":
    sys.exit(main(*map(pathlib.Path, sys.argv[1:])))

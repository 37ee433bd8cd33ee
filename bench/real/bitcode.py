"""Links objects of bitcode as a linker does: of an archive only the members that are needed."""
import os
import re
import subprocess

NM, AR, LINK = "llvm-nm-19", "llvm-ar-19", "llvm-link-19"


def symbols(file):
    """What is defined and what is undefined, by object of a file or archive."""
    found, current = {}, file
    for line in subprocess.run([NM, file], capture_output=True, text=True, check=True).stdout.splitlines():
        if line.endswith(":"):
            current = line[:-1]
        elif m := re.search(r"\b([A-Za-z]) (\S+)$", line):
            defined, missing = found.setdefault(current, (set(), set()))
            if m.group(1) == "U":
                missing.add(m.group(2))
            elif m.group(1).isupper() and m.group(1) not in "VW":
                defined.add(m.group(2))
    return found


def members(archive, folder):
    """The objects of an archive, each of whose names is there once or more often."""
    os.makedirs(folder, exist_ok=True)
    names = subprocess.run([AR, "t", archive], capture_output=True, text=True, check=True).stdout.split()
    paths, seen = [], {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        path = os.path.join(folder, f"{seen[name]}-{name}")
        subprocess.run([AR, "xN", str(seen[name]), "--output", folder, archive, name], check=True)
        os.rename(os.path.join(folder, name), path)
        paths.append(path)
    return paths


def link(output, objects, archives, folder):
    """Links objects with what they need of archives."""
    defined, missing = set(), set()
    chosen = list(objects)
    for o in objects:
        for have, lack in symbols(o).values():
            defined |= have
            missing |= lack
    offered = []
    for number, archive in enumerate(archives):
        for path in members(archive, os.path.join(folder, str(number))):
            have, lack = (set.union(*(s[i] for s in symbols(path).values())) if symbols(path) else set() for i in (0, 1))
            offered.append((path, have, lack))
    more = True
    while more:
        more = False
        for path, have, lack in offered:
            if path not in chosen and have & (missing - defined):
                chosen.append(path)
                defined |= have
                missing |= lack
                more = True
    subprocess.run([LINK, "-o", output, *chosen], check=True)

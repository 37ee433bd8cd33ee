"""Links objects of bitcode as a linker does: of an archive only the members that are needed."""
import os
import re
import subprocess

NM, AR, LINK = "llvm-nm-19", "llvm-ar-19", "llvm-link-19"


def symbols(files):
    """By file: what is defined in it, and what is undefined."""
    found = {file: (set(), set()) for file in files}
    if not files:
        return found
    current = files[0]  # of one alone no name is printed
    for line in subprocess.run([NM, *files], capture_output=True, text=True, check=True).stdout.splitlines():
        if line.endswith(":"):
            current = line[:-1]
        elif m := re.search(r"\b([A-Za-z]) (\S+)$", line):
            defined, missing = found[current]
            if m.group(1) == "U":
                missing.add(m.group(2))
            elif m.group(1).isupper() and m.group(1) not in "VW":
                defined.add(m.group(2))
    return found


def members(archive, folder):
    """The objects of an archive, each of whose names is there once or more often."""
    os.makedirs(folder, exist_ok=True)
    names = subprocess.run([AR, "t", archive], capture_output=True, text=True, check=True).stdout.split()
    paths, once = [], [name for name in names if names.count(name) == 1]
    if once:
        subprocess.run([AR, "x", "--output", folder, archive, *once], check=True)
    seen = {}
    for name in names:
        path = os.path.join(folder, name)
        if name not in once:
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
    for have, lack in symbols(chosen).values():
        defined |= have
        missing |= lack
    offered = []
    for number, archive in enumerate(archives):
        found = symbols(members(archive, os.path.join(folder, str(number))))
        offered += [(path, have, lack) for path, (have, lack) in found.items()]
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

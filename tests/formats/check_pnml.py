#!/usr/bin/env python3
"""check_pnml.py UNFOLD_MODEL SOURCE [SEED COUNT]: the prefix as a net (--pnml), by a reader of its
own. Small models and random programs: the file follows the grammar of PNML, the net is an
occurrence net, its causality and conflicts are those of --dot, and the markings at which it ends
are the maximal configurations of the prefix, each once, found by definition."""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

NS = "{http://www.pnml.org/version-2009/grammar/pnml}"
# Elements with what they may hold, from ISO/IEC 15909-2 for place/transition nets; and attributes.
GRAMMAR = {
    "pnml": ({"net"}, set()),
    "net": ({"name", "page", "toolspecific"}, {"id", "type"}),
    "page": ({"name", "place", "transition", "arc", "toolspecific"}, {"id"}),
    "place": ({"name", "initialMarking", "toolspecific"}, {"id"}),
    "transition": ({"name", "toolspecific"}, {"id"}),
    "arc": ({"name", "inscription", "toolspecific"}, {"id", "source", "target"}),
    "name": ({"text"}, set()),
    "initialMarking": ({"text"}, set()),
    "inscription": ({"text"}, set()),
    "text": (set(), set()),
}
ONCE = {"name", "initialMarking", "inscription", "text"}
MOST = 3000  # markings


class Net:
    def __init__(self, path):
        root = xml.parse(path).getroot()
        assert root.tag == NS + "pnml"
        self.ids, self.check_ids = {}, []
        self.follow_grammar(root)
        for source, target in self.check_ids:
            kinds = {self.ids[source], self.ids[target]}
            assert kinds == {"place", "transition"}, (source, target)
        net, = root
        assert net.get("type") == "http://www.pnml.org/version-2009/grammar/ptnet"
        page, = net.findall(NS + "page")
        self.places = {p.get("id"): self.tokens(p) for p in page.findall(NS + "place")}
        self.cutoffs, self.before, self.after = set(), {}, {}
        for t in page.findall(NS + "transition"):
            self.before[t.get("id")], self.after[t.get("id")] = set(), set()
            if t.find(f"{NS}toolspecific/{NS}cutoff") is not None:
                self.cutoffs.add(t.get("id"))
        for arc in page.findall(NS + "arc"):
            source, target = arc.get("source"), arc.get("target")
            if source in self.places:
                self.before[target].add(source)
            else:
                self.after[source].add(target)

    @staticmethod
    def tokens(place):
        text = place.findtext(f"{NS}initialMarking/{NS}text")
        return int(text) if text is not None else 0

    def follow_grammar(self, element):
        name = element.tag.removeprefix(NS)
        inside, attributes = GRAMMAR[name]
        assert set(element.attrib) == attributes, element.attrib
        held = [child.tag.removeprefix(NS) for child in element]
        assert set(held) <= inside and all(held.count(n) <= 1 for n in ONCE), (name, held)
        if "id" in attributes:
            assert re.fullmatch(r"[A-Za-z_][\w.-]*", element.get("id"))
            assert element.get("id") not in self.ids, element.get("id")
            self.ids[element.get("id")] = name
        if name == "arc":
            self.check_ids.append((element.get("source"), element.get("target")))
        for child in element:
            if child.tag == NS + "toolspecific":
                assert set(child.attrib) == {"tool", "version"}
            else:
                self.follow_grammar(child)

    def relations(self):
        """Causes of each transition, and pairs in conflict, from the net's structure."""
        makers = {}
        for transition, places in self.after.items():
            for place in places:
                assert place not in makers, f"{place} has two transitions before it"
                makers[place] = transition
        for place, tokens in self.places.items():
            assert tokens == (0 if place in makers else 1), place
        causes, order = {}, []

        def visit(t, path):
            assert t not in path, f"{t} is on a cycle"
            if t not in causes:
                direct = {makers[p] for p in self.before[t] if p in makers}
                for cause in direct:
                    visit(cause, path | {t})
                causes[t] = direct.union(*(causes[c] for c in direct))
                order.append(t)
        for t in self.before:
            visit(t, frozenset())
        return causes, self.inherit(causes, order, lambda a, b: self.before[a] & self.before[b])

    @staticmethod
    def inherit(causes, order, at_once):
        """Conflicts of pairs, and of all that comes after them."""
        conflict = {t: set() for t in order}
        for j, b in enumerate(order):
            for a in order[:j]:
                if at_once(a, b) or any(x in conflict[y] for x in causes[a] | {a}
                                        for y in causes[b] | {b} if (x, y) != (a, b)):
                    conflict[a].add(b)
                    conflict[b].add(a)
        return conflict

    def ends(self):
        """The markings at which nothing can happen, each with what happened; None: too many."""
        start = frozenset(p for p, tokens in self.places.items() if tokens)
        seen, work, dead = {(start, frozenset())}, [(start, frozenset())], []
        while work:
            marking, fired = work.pop()
            enabled = [t for t, places in self.before.items() if places <= marking]
            if not enabled:
                dead.append((marking, fired))
            for t in enabled:
                rest = marking - self.before[t]
                assert not rest & self.after[t], "a second token"
                assert t not in fired
                state = rest | self.after[t], fired | {t}
                if state not in seen:
                    seen.add(state)
                    work.append(state)
            if len(seen) > MOST:
                return None
        return dead


def read_dot(path):
    """Immediate causes of each event, and pairs in immediate conflict."""
    causes, conflicts = {}, set()
    for line in path.read_text().splitlines():
        if node := re.match(r"\s*(e\d+) \[label=", line):
            causes.setdefault(node.group(1), set())
        if edge := re.match(r"\s*(e\d+) -> (e\d+)( \[dir=none.*\])?;", line):
            source, target, dashed = edge.groups()
            if dashed:
                conflicts.add(frozenset((source, target)))
            else:
                causes.setdefault(target, set()).add(source)
    return causes, conflicts


def maximal(events, causes, conflict):
    """The maximal configurations, by definition."""
    seen, work, out = {frozenset()}, [frozenset()], set()
    while work:
        c = work.pop()
        more = [e for e in events if e not in c and causes[e] <= c and not conflict[e] & c]
        if not more:
            out.add(c)
        for e in more:
            if c | {e} not in seen:
                seen.add(c | {e})
                work.append(c | {e})
    return out


def check(model, program, folder, totals, extra=()):
    pnml, dot = folder / "x.pnml", folder / "x.dot"
    pnml.unlink(missing_ok=True)
    done = subprocess.run([model, "--cutoffs", "erv", "--max-executions", "300", "--json", *extra,
                           "--pnml", pnml, "--dot", dot, program], capture_output=True, text=True)
    assert done.returncode in (0, 1, 2, 3), (program, done.stderr)
    if done.returncode == 2 or not pnml.exists():
        return
    net = Net(pnml)
    immediate, conflicts = read_dot(dot)
    assert set(net.before) <= set(immediate), program
    causes, conflict = net.relations()
    expected = {}
    for e in sorted(net.before, key=lambda e: int(e[1:])):
        direct = immediate[e] - {"e0"}
        assert direct <= set(net.before), (program, "a cause is not in the net")
        expected[e] = direct.union(*(expected[c] for c in direct))
    assert causes == expected, (program, "causality")
    order = sorted(net.before, key=lambda e: int(e[1:]))
    theirs = Net.inherit(expected, order, lambda a, b: frozenset((a, b)) in conflicts)
    assert conflict == theirs, (program, "conflicts")
    at_once = {frozenset((a, b)) for a in order for b in conflict[a]
               if not any(x in conflict[b] for x in causes[a])
               and not any(x in conflict[a] for x in causes[b])}
    assert at_once == {c for c in conflicts if c <= set(order)}, (program, "immediate conflicts")
    counts = json.loads(done.stdout)
    assert counts["cutoffs"] == len(net.cutoffs), program
    assert counts["kept"] == len(net.before) - len(net.cutoffs), program
    for e in order:
        assert not causes[e] & net.cutoffs, (program, e, "is after a cutoff")
    totals["nets"] += 1
    totals["events"] += len(order)
    dead = net.ends()
    if dead is None:
        return
    configurations = {fired for _, fired in dead}
    assert configurations == maximal(order, expected, theirs), (program, "configurations")
    assert len({marking for marking, _ in dead}) == len(dead) == len(configurations), program
    totals["ends"] += len(dead)


STATEMENTS = ["lock(m); r = load(x); unlock(m);", "lock(n); unlock(n);", "r = trylock(m); if (r) "
              "unlock(m);", "store(x, {n});", "r = load(x);", "add(y, {n});", "r = load(y);",
              "fetch_add(y, {n});", "store(y, {n});", "r = cas(x, 0, {n});", "post(S);",
              "sem_wait(S);", "r = trywait(S);", "rdlock(L); unlock(L);", "wrlock(L); unlock(L);",
              "r = trywrlock(L); if (r) unlock(L);", "r = choose(0, 1); if (r) post(S);",
              "lock(m); signal(c); unlock(m);", "lock(m); wait(c, m); unlock(m);",
              "lock(m); r = timedwait(c, m); unlock(m);", "broadcast(c);",
              "r = futex_wait(x, 0);", "r = futex_wake(x, 1);", "store(low, {n});",
              "r = load(word);"]


def draw(chance):
    """A program; `add` stands for a fetch_add whose result is not used."""
    out = ["mutex m, n; cond c; rwlock L; semaphore S = 1; atomic int x, y;",
           "atomic int word : 4; overlay low = word[0..0];"]
    for t in range(chance.randint(2, 3)):
        body = " ".join(chance.choice(STATEMENTS).format(n=chance.randint(1, 2))
                        for _ in range(chance.randint(1, 3)))
        body = re.sub(r"\badd\(", "fetch_add(", body)
        out.append(f"thread t{t} {{ int r; {body} }}")
    return "\n".join(out) + "\n"


def check_names(model, folder):
    """What ends up in the file is text, and what cannot be asked for is refused."""
    program = folder / "n.unf"
    program.write_text("mutex m; thread p { lock(m); unlock(m); } thread q { lock(m); }\n")
    pnml = folder / "n.pnml"
    subprocess.run([model, "--cutoffs", "size", "--pnml", pnml, program], capture_output=True)
    names = [t.findtext(f"{NS}name/{NS}text") for t in xml.parse(pnml).iter(NS + "transition")]
    assert "p acq m" in names and "q acq m" in names, names
    for wrong in (["--pnml", pnml], ["--cutoffs", "erv", "--pnml", folder / "no" / "folder"]):
        done = subprocess.run([model, *wrong, program], capture_output=True, text=True)
        assert done.returncode in (1, 2) and done.stderr, wrong  # 1: a deadlock was found, too
    done = subprocess.run([model, "--cutoffs", "erv", "--max-executions", "1", "--pnml", pnml,
                           program], capture_output=True, text=True)
    assert done.returncode == 3 and "a part of the prefix" in done.stderr, done


def main():
    model, source = sys.argv[1], pathlib.Path(sys.argv[2])
    seed, count = (int(sys.argv[3]), int(sys.argv[4])) if len(sys.argv) > 4 else (1, 60)
    totals = {"nets": 0, "events": 0, "ends": 0}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_names(model, folder)
        programs = source / "examples/model/programs"
        small = ["abba", "assertion", "broadcast", "buffer", "check-then-act", "choice",
                 "futex-wakeup", "handshake", "one-signal", "phases", "race", "readers", "timeout",
                 "trylock", "upgrade", "cyclic/futex-2", "cyclic/mutex-2", "cyclic/buffer-2",
                 "cyclic/peterson"]
        for program in small:
            check(model, programs / f"{program}.unf", folder, totals)
        for number in range(seed, seed + count):
            program = folder / f"random-{number}.unf"
            program.write_text(draw(random.Random(number)))
            check(model, program, folder, totals, ["--ifaa"] if number % 2 else [])
    print(f"{totals['nets']} nets, {totals['events']} transitions, {totals['ends']} ends")
    assert totals["nets"] > 10 + count * 2 / 3 and totals["ends"] > 10


main()

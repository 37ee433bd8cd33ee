"""14. Iterations of a spin lock that do nothing (examples/api/14-purity.c)."""
import unfold
from unfold import Operator, StatementKind

with unfold.Context() as context:
    flow = unfold.Flow(context)
    start, spin, locked = flow.block(), flow.block(), flow.block()
    old = flow.register("old")
    flow.statement(spin, StatementKind.EXCHANGE, result=old, a=flow.constant(1))
    flow.statement(locked, StatementKind.STORE)
    flow.edge(start, spin)
    flow.edge(spin, spin, flow.apply(Operator.EQ, flow.value(old), flow.constant(1)))
    flow.edge(spin, locked)
    for one in unfold.Purity(flow).insertions:
        print(f"stopped in block {one.block} before statement {one.before} if "
              f"{flow.text(one.condition)}")
        for value in range(2):
            stopped = flow.evaluate(one.condition, lambda register: value)
            print(f"  found {value}: {'stopped' if stopped else 'goes on'}")
        if one.await_ and one.operand != unfold.TERM_NONE:
            print("or the exchange waits until what it finds is",
                  "not" if one.relation == Operator.NE else "in another relation to",
                  flow.text(one.operand) +
                  ("; if it does so for ever, the loop would have turned for ever"
                   if one.livelock else ""))

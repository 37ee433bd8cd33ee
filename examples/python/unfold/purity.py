"""Loops of one thread: when an iteration does nothing, and where to stop the thread then."""
from __future__ import annotations

import ctypes
import sys
from typing import Callable, NewType

from . import raw
from .base import pack
from .context import Context
from .lifetime import NOTHING, RAISED, Handle, checked, must, text_of
from .values import (TERM_NONE, Insertion, Loop, Operator, PurityOptions, Remark, StatementKind,
                     TermNode)

Block = NewType("Block", int)
Block.__doc__ = "A basic block of a flow; the first one is where the thread begins."
Register = NewType("Register", int)
Register.__doc__ = "A register of a flow."
Term = NewType("Term", int)
Term.__doc__ = "An expression over registers and constants; equal ones are equal numbers."
NO_TERM = Term(TERM_NONE)

EVALUATE = raw.unf_term_evaluate_value


class Flow(Handle):
    """The control flow of one thread: a graph of basic blocks in static single assignment form."""

    def __init__(self, context: Context) -> None:
        out = ctypes.c_void_p()
        checked(context, Context)._call(raw.unf_flow_new, ctypes.byref(out))
        self.context = context
        self._own(context._guard, context, out, raw.unf_flow_free)

    def block(self, name: str | None = None) -> Block:
        """Adds a block."""
        given = None if name is None else name.encode()
        return Block(self._get(raw.unf_flow_block, ctypes.c_uint32, given))

    def register(self, name: str | None = None) -> Register:
        """Adds a register."""
        given = None if name is None else name.encode()
        return Register(self._get(raw.unf_flow_register, ctypes.c_uint32, given))

    def statement(self, block: Block, kind: StatementKind, *, result: Register | None = None,
                  a: Term | None = None, b: Term | None = None, where: Term | None = None,
                  flags: int = 0, place: int = 0) -> None:
        """Appends a statement to a block; see unf_statement for the operands."""
        made = raw.unf_statement()
        must(raw.unf_statement_init(ctypes.byref(made), ctypes.sizeof(made), kind))
        for name, value in (("result", result), ("a", a), ("b", b), ("where", where)):
            if value is not None:
                setattr(made, name, value)
        made.flags, made.place = flags, place
        self._call(raw.unf_flow_statement, block, ctypes.byref(made))

    def phi(self, block: Block, result: Register) -> None:
        """Makes a register a phi of a block."""
        self._call(raw.unf_flow_phi, block, result)

    def phi_operand(self, phi: Register, source: Block, value: Term) -> None:
        """The value of a phi for the edges from one block."""
        self._call(raw.unf_flow_phi_operand, phi, source, value)

    def edge(self, source: Block, target: Block, condition: Term = NO_TERM) -> None:
        """Adds an edge behind those that already leave the block."""
        self._call(raw.unf_flow_edge, source, target, condition)

    def constant(self, value: int) -> Term:
        """A constant."""
        return Term(self._get(raw.unf_term_constant, ctypes.c_uint32, value))

    def value(self, register: Register) -> Term:
        """The value of a register."""
        return Term(self._get(raw.unf_term_register, ctypes.c_uint32, register))

    def apply(self, op: Operator, left: Term, right: Term) -> Term:
        """An operator applied to two terms; constants are folded."""
        return Term(self._get(raw.unf_term_apply, ctypes.c_uint32, op, left, right))

    def view(self, term: Term) -> TermNode:
        """Operator and operands of a term."""
        return TermNode.of(self._get(raw.unf_term_view, raw.unf_term_node, term))

    def evaluate(self, term: Term, value: Callable[[Register], int]) -> int:
        """The value of a term, with the values of its registers from a function."""
        guard, out = self._guard, ctypes.c_int64()

        def call(_user: int, register: int) -> int:
            found = guard.back(NOTHING, lambda: pack("q", value(Register(register))))
            return 0 if found is RAISED else int.from_bytes(found, sys.byteorder, signed=True)
        guard.shield(self._call, raw.unf_term_evaluate, term, EVALUATE(call), None,
                     ctypes.byref(out))
        return out.value

    def text(self, term: Term) -> str:
        """A term with the names of its registers."""
        return text_of(raw.unf_term_text, self.pointer, term)


class Purity(Handle):
    """An analysis of all loops of a flow."""

    def __init__(self, flow: Flow, options: PurityOptions | None = None) -> None:
        given, out = (options or PurityOptions()).raw, ctypes.c_void_p()
        checked(flow, Flow)._call(raw.unf_purity_new, ctypes.byref(given), ctypes.byref(out))
        self.flow = flow
        self._own(flow._guard, flow, out, raw.unf_purity_free)

    @property
    def loops(self) -> list[Loop]:
        """The loops, outer ones before inner ones."""
        return [Loop.of(self._get(raw.unf_purity_loop, raw.unf_loop, i))
                for i in range(self._value(raw.unf_purity_loops))]

    def contains(self, loop: int, block: Block) -> bool:
        """Whether a block belongs to a loop."""
        return bool(self._value(raw.unf_purity_contains, loop, block))

    def edge(self, loop: int, source: Block, target: Block) -> bool:
        """Whether an edge goes back to the header of an inner loop of a loop."""
        return bool(self._value(raw.unf_purity_edge, loop, source, target))

    @property
    def insertions(self) -> list[Insertion]:
        """Where the thread is to be stopped in pure iterations."""
        return [Insertion.of(self._get(raw.unf_purity_insertion, raw.unf_insertion, i))
                for i in range(self._value(raw.unf_purity_insertions))]

    @property
    def remarks(self) -> list[Remark]:
        """Why ways through iterations are not pure."""
        return [Remark.of(self._get(raw.unf_purity_remark, raw.unf_remark, i))
                for i in range(self._value(raw.unf_purity_remarks))]

    def __str__(self) -> str:
        return self._text(raw.unf_purity_write)

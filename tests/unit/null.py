#!/usr/bin/env python3
"""null.py HEADER...: writes, as C for test_null.c, a test for every public function that takes a
pointer, which calls it with each of its pointers NULL in turn. A function or a type that this does
not know how to call is an error, so that none is left out."""
import re
import sys

# What makes the other arguments, by type. Handles come from the world that test_null.c sets up.
HANDLES = {name: f"w->{name}" for name in (
    "unf_context unf_unfolding unf_configuration unf_explorer unf_ledger unf_cutoffs unf_races unf_flow unf_purity unf_schedule unf_std unf_std_writer unf_tree "
    "unf_sleep_sets unf_wakeup_trees unf_view").split()}
VALUES = {"unf_hash": "UNF_HASH_FAST", "unf_event": "w->event", "unf_thread": "w->thread", "unf_object": "w->object", "unf_cutoff_order": "UNF_CUTOFFS_ERV"}
NUMBERS = ("bool int64_t uint32_t uint64_t size_t unf_block unf_register unf_term unf_hash unf_object_class unf_operator "
           "unf_operation_kind unf_action_kind unf_mode unf_status unf_std_name_kind unf_statement_kind unf_impurity").split()
FUNCTIONS = ("unf_event_visitor unf_action_visitor unf_thread_visitor unf_racing_visitor unf_reversal_visitor unf_wakeup_visitor "
             "unf_write unf_read").split()
RESULTS = {"unf_event": "UNF_EVENT_NONE", "bool": "false", "uint32_t": "0", "uint64_t": "0", "size_t": "0", "unf_channel_outcome": "UNF_CHANNEL_OUTCOMES", "unf_mailbox_outcome": "UNF_MAILBOX_OUTCOMES",
           "unf_future_outcome": "UNF_FUTURE_OUTCOMES"}

# Pointers that may be NULL, and arrays that may be without elements.
OPTIONAL = {(f, p) for f, parameters in {
    "unf_context_new": "options", "unf_unfolding_new": "options", "unf_explorer_new": "options", "unf_races_new": "options",
    "unf_purity_new": "options", "unf_std_read": "options", "unf_pnml_prefix": "names", "unf_alternative_find": "options statistics", "unf_configuration_perform": "out",
    "unf_configuration_blocked": "visit",
    "unf_cutoffs_add": "verdict", "unf_cutoffs_add_under": "verdict", "unf_explorer_commit": "happened", "unf_explorer_finish": "verdict", "unf_explorer_feed": "verdict",
    "unf_explorer_prefix": "run", "unf_explorer_read": "options", "unf_explore": "counts", "unf_flow_block": "name", "unf_flow_register": "name", "unf_wakeup_insert": "inserted",
    "unf_thread_describe": "parent index initial", "unf_location_describe": "space first size",
    "unf_channel_did": "number", "unf_mailbox_did": "message",
    "unf_object_describe": "object_class creator key", "unf_action_text": "buffer", "unf_operation_text": "buffer",
    "unf_thread_text": "buffer", "unf_term_text": "buffer", "unf_action_label": "names buffer", "unf_thread_label": "names buffer",
    "unf_dot_unfolding_named": "names", "unf_dot_configuration_named": "names", "unf_dot_tree_named": "names",
    "unf_tree_add_named": "names"}.items() for p in parameters.split()}
ARRAYS = {("unf_alternative_find", "U"): "U_count", ("unf_alternative_find", "D"): "D_count", ("unf_event_intern", "causes"): "count",
          ("unf_thread_set", "threads"): "count", ("unf_explorer_feed", "trace"): "count",
          ("unf_explorer_feed", "pending"): "pending_count", ("unf_schedule_read", "text"): "size", ("unf_std_read", "text"): "size",
          ("unf_execution_races", "execution"): "count", ("unf_execution_reversals", "execution"): "count",
          ("unf_weak_initial", "sequence"): "count", ("unf_sleep_initial", "sequence"): "count",
          ("unf_wakeup_insert", "sequence"): "count", ("unf_fingerprint_toggle", "value"): "size",
          ("unf_fingerprint_replace", "from"): "size", ("unf_fingerprint_replace", "to"): "size"}


class Parameter:
    def __init__(self, text):
        text = " ".join(text.split())
        function = re.match(r"(.*\(\*)(\w+)(\).*)", text)
        array = re.match(r"(\w+) (\w+)\[(\d+)\]$", text)
        self.count = array.group(3) if array else ""
        if function:
            self.type, self.name = "function", function.group(2)
        elif array:
            self.type, self.name = array.group(1) + " *", array.group(2)
        else:
            self.type, self.name = re.match(r"(.*?)(\w+)$", text).groups()
            self.type = self.type.replace("const ", "").strip()
        self.base = self.type.rstrip("* ")
        self.pointer = self.type == "function" or "*" in self.type or self.type in FUNCTIONS

    def value(self, function):
        """An argument that is in order, as far as NULL goes."""
        if self.name == "user" or (function, self.name) in OPTIONAL and self.name in ("options", "names"):
            return "NULL"
        if self.type == "function":
            return "no_value"
        if self.type in FUNCTIONS:
            return f"see_{self.type}"
        if self.type == "char *":
            return "w->text"
        if self.type == "void *":
            return "w->text"
        if self.type.endswith("**"):
            return f"&w->made.{self.base}"
        if self.pointer and self.base in HANDLES:
            return HANDLES[self.base]
        if self.pointer:
            return f"({self.base}[{self.count}]){{0}}" if self.count else f"&({self.base}){{0}}"
        if self.type in VALUES:
            return VALUES[self.type]
        if self.type in NUMBERS:
            return f"({self.type})1"
        sys.exit(f"null.py: {function}: do not know how to make {self.type} {self.name}")


def declarations(paths):
    for path in paths:
        with open(path, encoding="utf-8") as header:
            text = header.read()
        for match in re.finditer(r"(/\*\*(?:[^*]|\*(?!/))*\*/)\s*UNF_API\s+([^;()]*?)\b(unf_\w+)\(([^;]*)\);", text):
            comment, result, name, inside = match.groups()
            parameters = [] if inside.strip() == "void" else re.split(r",(?![^()]*\))", inside)
            yield comment, " ".join(result.replace("const ", "").split()), name, [Parameter(p) for p in parameters]
        declared = len(re.findall(r"^UNF_API\b", text, re.M))
        found = len(re.findall(r"\*/\s*UNF_API\b", text))
        if declared != found:
            sys.exit(f"null.py: {path}: {declared} functions, {found} of them with a comment")


def call(name, parameters, null, zero=None):
    arguments = ["NULL" if p is null else "0" if p.name == zero else p.value(name) for p in parameters]
    return f"{name}({', '.join(arguments)})"


def lines(comment, result, name, parameters):
    """The statements that test one function."""
    pointers = [p for p in parameters if p.pointer and p.name != "user"]
    handle = parameters[0] if parameters and parameters[0].base in HANDLES and parameters[0].pointer else None
    for p in pointers:
        optional = (name, p.name) in OPTIONAL
        if optional and "NULL" not in comment and not name.endswith("_text"):
            sys.exit(f"null.py: {name}: the comment does not say what NULL for {p.name} means")
        if result == "unf_status":
            if optional:
                yield f"allowed(w, {call(name, parameters, p)}, \"{p.name}\");"
            elif p is handle or handle is None:
                yield f"assert_int_equal({call(name, parameters, p)}, UNF_INVALID);"
            else:
                yield f"refused(w, {call(name, parameters, p)}, \"{p.name}\");"
            if (name, p.name) in ARRAYS:
                yield f"allowed(w, {call(name, parameters, p, ARRAYS[name, p.name])}, \"{p.name}\");"
        elif result == "void" or optional:
            yield f"{call(name, parameters, p)};"
        elif result.endswith("*"):
            yield f"assert_null({call(name, parameters, p)});"
        else:
            yield f"assert_int_equal({call(name, parameters, p)}, {RESULTS[result]});"


def main():
    tests = []
    print("/* Made by null.py of the headers. */")
    for comment, result, name, parameters in declarations(sys.argv[1:]):
        body = list(lines(comment, result, name, parameters))
        if not body:
            continue
        run = "run_in_view" if any(p.base == "unf_view" for p in parameters) else "run"
        print(f"\nstatic void body_{name}(struct world *w) {{")
        print("\n".join("  " + line for line in body))
        print(f"}}\nstatic void test_{name}(void **state) {{\n  {run}(body_{name});\n}}")
        tests.append(name)
    print("\nstatic const struct CMUnitTest tests[] = {")
    print("\n".join(f"    {{\"{name}\", test_{name}, NULL, NULL, NULL}}," for name in tests))
    print("};")


main()

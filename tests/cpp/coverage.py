#!/usr/bin/env python3
"""coverage.py --headers HEADER… --cpp HEADER… --programs PROGRAM…: what the C interface has
is in C++ too. Each function is called by the tests of the C++ header, which make all their calls
through it; each type is named there; each macro that makes an operation has a function of its name.
What is left out on purpose is listed here, with the reason."""
import argparse
import re
import subprocess
import sys

# C++ has the macros and inline functions of C; callers that do not read headers need these.
FOREIGN = "for languages that cannot read the headers of C"
LEFT_OUT = {name: FOREIGN for name in (
    "unf_constant unf_context_options_init unf_unfolding_options_init unf_explorer_options_init unf_engine_init "
    "unf_alternative_options_init unf_consistency_init unf_races_options_init unf_purity_options_init "
    "unf_statement_init unf_fingerprint_init unf_names_init unf_std_options_init unf_report_init "
    "unf_ledger_state_init").split()}
# Types that C++ does not name, with the reason.
WITHOUT_NAME = {}


def texts(paths):
    for path in paths:
        with open(path, encoding="utf-8") as header:
            yield header.read()


def called(program):
    """The functions of the library that a program calls."""
    lines = subprocess.run(["nm", "-D", "--undefined-only", program], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    return {line.split()[-1].split("@")[0] for line in lines}


def main():
    parser = argparse.ArgumentParser()
    for option in ("--headers", "--cpp", "--programs"):
        parser.add_argument(option, nargs="+", required=True)
    arguments = parser.parse_args()
    c, cpp = "\n".join(texts(arguments.headers)), "\n".join(texts(arguments.cpp))
    functions = set(re.findall(r"^UNF_API\s[^;(]*?\b(unf_\w+)\(", c, re.M))
    types = set(re.findall(r"^typedef (?:struct|enum) (unf_\w+)", c, re.M))
    operations = set(re.findall(r"^#define UNF_OP_(\w+)\(", c, re.M))
    calls = set().union(*map(called, arguments.programs))
    wrong = [f"{name}() is not called by tests/cpp: call it through the C++ header, or list it in coverage.py with a reason"
             for name in sorted(functions - calls - LEFT_OUT.keys())]
    wrong += [f"{name} is not named in include/unfold/cpp/" for name in sorted(types)
              if not re.search(rf"\b{name}\b", cpp) and name not in WITHOUT_NAME]
    wrong += [f"UNF_OP_{name} has no unfold::op::{name.lower()}()" for name in sorted(operations)
              if not re.search(rf"operation {name.lower()}\([^)]*\) noexcept \{{\s*return UNF_OP_{name}\(", cpp)]
    wrong += [f"coverage.py lists {name}, which does not exist, or is in C++ now"
              for name in sorted(LEFT_OUT.keys() | WITHOUT_NAME.keys()) if name not in (functions - calls) | types]
    print("\n".join(wrong) if wrong else
          f"{len(functions)} functions, {len(types)} types and {len(operations)} operations of C; {len(LEFT_OUT)} left out")
    return 1 if wrong or len(functions) < 150 or len(types) < 60 else 0


sys.exit(main())

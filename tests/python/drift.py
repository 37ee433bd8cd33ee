#!/usr/bin/env python3
"""drift.py LIBRARY INCLUDE... -- CXX...: what unfold.raw says of the library is what the compiler
reads in the headers: sizes and offsets of structs, signatures of functions and callbacks, numbers;
and the functions are those that the library exports. A C++ compiler is asked, which knows nothing
of the generator.

drift.py --changed INCLUDE... -- CXX...: changes copies of the headers and sees that each change is
noticed.
"""
import ctypes
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from unfold import loading, raw

# Prints the type of a function as codes, from the compiler's own reading of it.
PROGRAM = r"""
#include <cstdio>
#include <cstddef>
#include <string>
#include <type_traits>
#include <unfold/unfold.h>

template <class T, class = void> struct complete : std::false_type {};
template <class T> struct complete<T, std::void_t<decltype(sizeof(T))>> : std::true_type {};
template <class T> std::string code(bool inside);

template <class R, class... A> std::string function_code(R (*)(A...)) {
  std::string all = "f(" + code<R>(true) + ";";
  ((all += code<A>(true) + ","), ...);
  return all + ")";
}

template <class T> std::string code(bool inside) {
  if constexpr (std::is_void_v<T>) return "v";
  else if constexpr (std::is_same_v<T, bool>) return "b";
  else if constexpr (std::is_same_v<std::remove_const_t<T>, char>) return "c";
  else if constexpr (std::is_enum_v<T>) return "i" + std::to_string(8 * sizeof(T));
  else if constexpr (std::is_integral_v<T>)
    return (std::is_signed_v<T> ? "i" : "u") + std::to_string(8 * sizeof(T));
  else if constexpr (std::is_floating_point_v<T>) return "d";
  else if constexpr (std::is_pointer_v<T>) {
    using P = std::remove_pointer_t<T>;
    if constexpr (std::is_function_v<P>) return inside ? "p" : function_code(T(nullptr));
    else if (inside) return "p";
    else if constexpr (std::is_same_v<P, const char>) return "s";
    else if constexpr (std::is_void_v<P> || !complete<P>::value) return "p";
    else return "P" + code<std::remove_const_t<P>>(false);
  } else return "S" + std::to_string(sizeof(T));
}

template <class T> struct of;
template <class R, class... A> struct of<R (*)(A...)> {
  static std::string signature() {
    std::string all = code<R>(false) + ";";
    ((all += code<A>(false) + ","), ...);
    return all;
  }
};

template <class T> std::string field() {
  if constexpr (std::is_array_v<T>)
    return code<std::remove_extent_t<T>>(false) + "*" + std::to_string(std::extent_v<T>);
  else return code<T>(false);
}

int main() {
"""


def code(kind, inside=False):
    """The code of a type of ctypes."""
    plain = {None: "v", ctypes.c_bool: "b", ctypes.c_char: "c", ctypes.c_double: "d",
             ctypes.c_char_p: "s", ctypes.c_void_p: "p"}
    if isinstance(kind, type) and issubclass(kind, loading.Checked):
        kind = kind.kind
    if kind in plain:
        return "p" if inside and kind is ctypes.c_char_p else plain[kind]
    if issubclass(kind, ctypes.Structure):
        return f"S{ctypes.sizeof(kind)}"
    if issubclass(kind, ctypes.Array):
        return f"{code(kind._type_)}*{kind._length_}"
    if issubclass(kind, ctypes._CFuncPtr):
        parameters = "".join(code(one, True) + "," for one in kind._argtypes_)
        return f"f({code(kind._restype_, True)};{parameters})"
    if hasattr(kind, "contents"):
        return "P" + code(kind._type_)
    signed = kind(-1).value < 0
    return ("i" if signed else "u") + str(8 * ctypes.sizeof(kind))


def declared():
    """What unfold.raw says, as lines; and the statements that print the same from the headers."""
    lines, statements = [], []

    def fact(name, said, form, *arguments):
        lines.append(f"{name} {said}")
        statements.append(f'  std::printf("{name} {form}\\n", {", ".join(arguments)});')
    structs = {name: what for name, what in vars(raw).items()
               if isinstance(what, type) and issubclass(what, ctypes.Structure)
               and name.startswith("unf_")}
    for name, what in structs.items():
        fact(name, ctypes.sizeof(what), "%zu", f"sizeof({name})")
        for field, kind in what._fields_:
            fact(f"{name}.{field}", f"{getattr(what, field).offset} {code(kind)}", "%zu %s",
                 f"offsetof({name}, {field})", f"field<decltype({name}::{field})>().c_str()")
    for name in raw.CALLBACKS:
        fact(name, code(getattr(raw, name)), "%s", f"code<{name}>(false).c_str()")
    for name in raw.FUNCTIONS:
        what = getattr(raw, name)
        parameters = "".join(code(one) + "," for one in what.argtypes)
        fact(name, f"{code(what.restype)};{parameters}", "%s",
             f"of<decltype(&{name})>::signature().c_str()")
    for name, what in vars(raw).items():
        if name.startswith("UNF_"):
            kind = "long long" if what < 2**63 else "unsigned long long"
            fact(name, what, "%lld" if what < 2**63 else "%llu", f"({kind}){name}")
    return lines, statements


def differences(include, compiler):
    """Where the headers say something else than unfold.raw."""
    lines, statements = declared()
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "facts.cc")
        source.write_text(PROGRAM + "\n".join(statements) + "\n}\n", encoding="utf-8")
        done = subprocess.run([*compiler, "-std=c++17", "-w", *(f"-I{path}" for path in include),
                               str(source), "-o", f"{folder}/facts"], capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            errors = [line for line in done.stderr.split("\n") if "error" in line]
            return errors[:1] or [done.stderr]
        seen = subprocess.run([f"{folder}/facts"], capture_output=True, text=True,
                              check=True).stdout.splitlines()
    found = [f"unfold.raw: {mine}; the headers: {theirs}"
             for mine, theirs in zip(lines, seen) if mine != theirs]
    for path in include:
        for header in sorted(pathlib.Path(path, "unfold").glob("*.h")):
            text = re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.S)
            found += [f"{header.name} has {name}, and unfold.raw does not" for name in named(text)
                      if not known(name)]
    return found


def named(text):
    """What a header declares, by its text: functions, fields as struct.field, enumerators."""
    yield from re.findall(r"^UNF_(?:API|INLINE)\s[^;{]*?\b(unf_\w+)\(", text, re.M)
    for name, body in re.findall(r"^typedef struct (\w+) \{(.*?)^\}", text, re.S | re.M):
        body = re.sub(r"\(\*(\w+)\)\([^;]*\);", r" \1;", body)
        for field in re.findall(r"(\w+)(?:\[\d+\])?;", body):
            yield f"{name}.{field}"
    for body in re.findall(r"^typedef enum \w+ \{(.*?)^\}", text, re.S | re.M):
        for line in body.replace("\\\n", " ").split("\n"):
            if not line.lstrip().startswith("#") and "_TABLE" not in line:
                yield from re.findall(r"\b(UNF_\w+)\b", line)


def known(name):
    """Whether unfold.raw has a function, an enumerator or a field."""
    owner, _, field = name.partition(".")
    fields = getattr(vars(raw).get(owner), "_fields_", [])
    return any(given == field for given, _ in fields) if field else owner in vars(raw)


def exported(library):
    """The functions that the library exports."""
    done = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                          check=True)
    return set(re.findall(r" T (unf_\w+)", done.stdout))


# What is tried: file, what is changed, to what, and what is then reported.
CHANGES = [
    ("event.h", "uint32_t count, unf_event *out);", "uint64_t count, unf_event *out);",
     "unf_event_intern"),
    ("context.h", "  double seconds;  /**< 0:", "  uint64_t more;\n  double seconds;  /**< 0:",
     "unf_left"),
    ("explore.h", "  uint64_t run;     /**<", "  uint32_t run;     /**<", "unf_leaf.run"),
    ("explore.h", "  uint32_t blocked; /**<", "  bool between;\n  uint32_t blocked; /**<",
     "unf_verdict.between"),  # which does not change the size
    ("alternative.h", "UNF_SPIKES_RECENT = 1", "UNF_SPIKES_RECENT = 3", "UNF_SPIKES_RECENT"),
    ("explore.h", "UNF_BOUND_PREEMPTIONS = 2", "UNF_BOUND_PREEMPTIONS = 2,\n  UNF_BOUND_MORE = 4",
     "UNF_BOUND_MORE"),
    ("action.h", '  X(RWLOCK, "rwlock") ', '  X(NEW, "new") X(RWLOCK, "rwlock") ', "UNF_RWLOCK"),
    ("explore.h", "#define UNF_MAX_DEPTH 64", "#define UNF_MAX_DEPTH 65", "UNF_MAX_DEPTH"),
    ("event.h", "typedef bool (*unf_event_visitor)(void *user, unf_event event);",
     "typedef bool (*unf_event_visitor)(void *user, uint64_t event);", "unf_event_visitor"),
    ("drive.h", "unf_status (*next)(void *user, unf_thread thread,",
     "unf_status (*next)(void *user, uint64_t thread,", "unf_engine.next"),
    ("configuration.h", "UNF_API uint32_t unf_configuration_size(",
     "UNF_API uint32_t unf_configuration_length(const unf_configuration *c);\n"
     "UNF_API uint32_t unf_configuration_size(", "unf_configuration_length"),
    ("race.h", "  bool write;        /**<", "  uint8_t write;        /**<", "unf_access.write"),
    ("output.h", "unf_write write, void *user);\n\n/** The events of a conf",
     "void *user, unf_write write);\n\n/** The events of a conf", "unf_dot_unfolding"),
    ("thread.h", "UNF_API unf_status unf_thread_start(",
     "UNF_API void unf_thread_start(", "unf_thread_start"),
]
# This one does not compile, so it is tried by itself.
GONE = [("race.h", "UNF_API void unf_races_free(", "UNF_API void unf_races_gone(", "unf_races_free")]


def unnoticed(include, compiler, changes):
    """The changes of the headers that differences() does not see."""
    with tempfile.TemporaryDirectory() as folder:
        for path in include:
            shutil.copytree(pathlib.Path(path, "unfold"), pathlib.Path(folder, "unfold"),
                            dirs_exist_ok=True)
        for name, old, new, _ in changes:
            header = pathlib.Path(folder, "unfold", name)
            text = header.read_text(encoding="utf-8")
            if old not in text:
                yield f"{name} has no more: {old}"
            header.write_text(text.replace(old, new, 1), encoding="utf-8")
        found = differences([folder], compiler)
        for _, _, _, told in changes:
            line = next((line for line in found if re.search(rf"\b{told}\b", line)), None)
            print(line or f"{told}: NOT NOTICED")
            if line is None:
                yield f"the change of {told} is not noticed"


def main():
    """See above."""
    at = sys.argv.index("--")
    first, include, compiler = sys.argv[1], sys.argv[2:at], sys.argv[at + 1:]
    if first == "--changed":
        found = [*unnoticed(include, compiler, CHANGES), *unnoticed(include, compiler, GONE)]
        print("\n".join(found) if found else f"{len(CHANGES + GONE)} changes, all noticed")
        return 1 if found else 0
    found = differences(include, compiler)
    mine, theirs = set(raw.FUNCTIONS), exported(first)
    found += [f"unfold.raw has {name}, which the library does not export" for name in mine - theirs]
    found += [f"the library exports {name}, which unfold.raw lacks" for name in theirs - mine]
    number = ctypes.c_int64()
    for name, value in vars(raw).items():
        if name.startswith("UNF_") and raw.unf_constant(name.encode(), ctypes.byref(number)) == 0:
            if number.value % 2**64 != value % 2**64:
                found.append(f"{name} is {value}, and unf_constant() says {number.value}")
    print("\n".join(found) if found else f"{len(mine)} functions, {len(declared()[0])} facts, the same")
    return 1 if found or len(mine) < 200 else 0


if __name__ == "__main__":
    sys.exit(main())

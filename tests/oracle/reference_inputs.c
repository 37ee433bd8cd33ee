/* The programs with inputs and known counts, which an independent enumeration gave. */
#include "reference_inputs.h"

#define X      "input int x : 0..2; "
#define XY     "input int x : 0..2, y : 0..2; "
#define XYZ    "input int x : 0..2, y : 0..2, z : 0..2; "
#define IF(c)  "branch(" c ", 2); "
#define L      "lock(m); unlock(m); "
#define A(...) "thread a { " __VA_ARGS__ "} "
#define B(...) "thread b { " __VA_ARGS__ "} "
#define C(...) "thread c { " __VA_ARGS__ "} "
#define D(...) "thread d { " __VA_ARGS__ "} "
/* The body is performed if the test is true. */
#define WHEN(c, body)      "int r = branch(" c ", 2); if (r) { " body "} "
#define EITHER(c, yes, no) "int r = branch(" c ", 2); if (r) { " yes "} else { " no "} "
#define ASSUME(c)          "int r = branch(" c ", 2); assume(r); "

const reference_input reference_inputs[] = {
    {"same test", X A(IF("x == 0")) B(IF("x == 0")), 2, 0, 4},
    {"two that exclude each other", X A(IF("x < 1")) B(IF("x > 1")), 3, 0, 4},
    {"two inputs", XY A(IF("x == 0")) B(IF("y == 0")), 4, 0, 4},
    {"a cycle of three", XYZ A(IF("x < y")) B(IF("y < z")) C(IF("z < x")), 7, 0, 6},
    {"odd cycle",
     "input int x : 0..1, y : 0..1, z : 0..1; " A(IF("x != y")) B(IF("y != z")) C(IF("x != z")), 4,
     0, 6},
    {"four values",
     "input int x : 0..3; " A(IF("x == 0")) B(IF("x == 1")) C(IF("x == 2")) D(IF("x == 3")), 4, 0,
     8},
    {"five values",
     "input int x : 0..4; " A(IF("x == 0")) B(IF("x == 1")) C(IF("x == 2")) D(IF("x == 3")), 5, 0,
     8},
    {"switch and test", X A("branch(x, 3); ") B(IF("x > 1")), 3, 0, 5},
    {"switch", X "mutex m; " A("int r = branch(x, 3); if (r != 1) { " L "} ") B(L), 5, 0, 17},
    {"nested tests",
     X "mutex m; " A(EITHER("x == 0", L, "int q = branch(x == 1, 2); if (q == 0) { " L "} ")) B(L),
     5, 0, 18},
    {"same lock", X "mutex m; " A(WHEN("x == 0", L)) B(WHEN("x == 0", L)), 3, 0, 12},
    {"never both", X "mutex m; " A(WHEN("x == 0", L)) B(WHEN("x != 0", L)), 2, 0, 8},
    {"one of two", XY "mutex m; " A(WHEN("x < y", L)) B(WHEN("y < x", L)) C(L), 5, 0, 18},
    {"never all three", XYZ "mutex m; " A(WHEN("x < y", L)) B(WHEN("y < z", L)) C(WHEN("z < x", L)),
     10, 0, 24},
    {"through memory",
     X "mutex m; shared int s = 1; " A("lock(m); s = x; unlock(m); ")
         B("lock(m); int r = s; unlock(m); " IF("r == 0")),
     3, 0, 11},
    {"sum in memory",
     X "mutex m; shared int s; " A("lock(m); s = s + x; unlock(m); ")
         B("lock(m); s = s + 1; int r = s; unlock(m); " IF("r == 2")) C(IF("x == 1")),
     4, 0, 13},
    {"locks kept",
     X "mutex m; " A(EITHER("x > 1", "", "lock(m); ")) B("lock(m); ") C("lock(m); ")
         D(IF("x == 0")),
     0, 8, 7},
    {"two locks kept",
     "input int x : 0..1; mutex m, n; " A("lock(m); " WHEN("x == 0", "lock(n); "))
         B("lock(n); " WHEN("x == 0", "lock(m); ")),
     1, 3, 8},
    {"two locks",
     "input int x : 0..1; mutex m, n; " A(
         "lock(m); " WHEN("x == 0", "lock(n); unlock(n); ") "unlock(m); ")
         B("lock(n); " WHEN("x == 0", "lock(m); unlock(m); ") "unlock(n); "),
     3, 1, 24},
    {"assumptions that exclude each other", XY A(ASSUME("x < y")) B(ASSUME("y < x")), 0, 3, 4},
    {"assumption", X "mutex m; " A(ASSUME("x == 0") L) B(EITHER("x == 0", L, L)), 2, 1, 14},
    {"spawn and join",
     XY "thread main { spawn(t); " IF("x < y") "join(t); " IF("x == y") "} thread t { " IF(
         "y < x") "} ",
     3, 0, 11},
    {"atomics",
     XY "atomic int v; " A("store(v, x); ") B("store(v, y); ") C("int r = load(v); " IF("r == x")),
     10, 0, 23},
    {"implied", X A(IF("x == 0") IF("x == 0") IF("x == 0")) B(IF("x == 0")), 2, 0, 8},
    {"three, x + y < 2",
     "input int x : 0..2, y : 0..1; " A(IF("y < 1")) B(IF("x == y")) C(IF("x + y < 2")), 6, 0, 6},
};
const size_t reference_input_count = sizeof reference_inputs / sizeof reference_inputs[0];

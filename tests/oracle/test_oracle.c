/*
 * Tests of the oracle itself: the reference figures that two independent enumerators agree on, the
 * worked counts and families of the documentation, programs that must be refused, and for each
 * small program that the three ways to the same fact agree: what the walk performed, what the
 * relations say, and which sets of events are configurations.
 */
#include "families.h"
#include "lattice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT  200000u
#define UNTOLD UINT32_MAX

static unsigned passed, failed;

static void check(bool good, const char *what, const char *detail) {
  if (good) {
    passed++;
    return;
  }
  failed++;
  printf("FAILED %s: %s\n", what, detail);
}

static void check_number(uint64_t seen, uint64_t expected, const char *what, const char *column) {
  char detail[120];
  snprintf(detail, sizeof detail, "%s is %" PRIu64 ", expected %" PRIu64, column, seen, expected);
  check(expected == UNTOLD || seen == expected, what, detail);
}

/* Sum of |cex(C)| over maximal C; checks en(C) and conflict against the walk on the way. */
static uint64_t check_extensions(const lattice *l, const relations *r, const char *what) {
  uint32_t *extensions = oracle_allocate((l->event_count + 1) * sizeof *extensions);
  uint32_t *bigger = oracle_allocate((l->event_count + 1) * sizeof *bigger);
  bool *enabled = oracle_allocate((l->event_count + 1) * sizeof *enabled);
  bool good = true;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < l->configuration_count; i++) {
    const configuration *c = &l->configurations[i];
    uint32_t count = relations_extensions(l, r, i, extensions, enabled);
    bool stuck = true;
    for (uint32_t j = 0; j < count; j++) {
      uint32_t at = 0;
      while (at < c->count && c->events[at] < extensions[j]) {
        at++;
      }
      if (at != 0) memcpy(bigger, c->events, at * sizeof *bigger);
      bigger[at] = extensions[j];
      if (at != c->count) memcpy(bigger + at + 1, c->events + at, (c->count - at) * sizeof *bigger);
      good = good && enabled[j] == (lattice_find(l, bigger, c->count + 1) != ORACLE_NONE);
      stuck = stuck && !enabled[j];
      if (c->maximal) sum++;
    }
    good = good && stuck == c->maximal;
  }
  check(good, what, "the enabled events are not those that lead to configurations");
  free(extensions);
  free(bigger);
  free(enabled);
  return sum;
}

/* Conflict against its other definition: no configuration has both. */
static void check_conflict(const lattice *l, const relations *r, const char *what) {
  size_t words = r->words;
  uint64_t *together = oracle_allocate(r->events * words * sizeof *together);
  uint64_t *inside = oracle_allocate(words * sizeof *inside);
  for (size_t i = 0; i < l->configuration_count; i++) {
    const configuration *c = &l->configurations[i];
    memset(inside, 0, words * sizeof *inside);
    for (uint32_t j = 0; j < c->count; j++) {
      inside[c->events[j] / 64] |= UINT64_C(1) << (c->events[j] % 64);
    }
    for (uint32_t j = 0; j < c->count; j++) {
      for (size_t w = 0; w < words; w++) {
        together[c->events[j] * words + w] |= inside[w];
      }
    }
  }
  bool good = true;
  for (uint32_t a = 0; a < r->events; a++) {
    for (uint32_t b = 0; b < r->events; b++) {
      good = good && relations_conflict(r, a, b) != relations_bit(together, words, a, b);
    }
  }
  check(good, what, "two events are in conflict and in one configuration, or neither");
  free(together);
  free(inside);
}

typedef struct expected {
  uint32_t maximal, blocked, configurations, events, extensions;
} expected;

static void check_program(const char *what, const char *text, int64_t bound, const expected *x) {
  char error[ORACLE_ERROR_MAX];
  program_options options = {bound};
  program *p = program_read(text, &options, error);
  if (p == NULL) {
    check(false, what, error);
    return;
  }
  lattice *l = lattice_walk(p, LIMIT);
  check(l->status == LATTICE_WHOLE, what, l->machine.error ? l->machine.text : "too large or racy");
  check_number(l->counts.maximal, x->maximal, what, "maximal");
  check_number(l->counts.blocked, x->blocked, what, "blocked");
  check_number(l->counts.configurations, x->configurations, what, "configurations");
  check_number(l->counts.events, x->events, what, "events");
  if (l->event_count < 2000 && l->configuration_count < 4000) {
    relations *r = relations_make(l);
    check_number(check_extensions(l, r, what), x->extensions, what, "extensions");
    check_conflict(l, r, what);
    relations_free(r);
  }
  lattice_free(l);
  program_free(p);
}

#define L(m) "lock(" #m "); unlock(" #m ");"
#define U    UNTOLD
#define TRY  "int r = trylock(m); if (r) unlock(m);"

static const struct {
  const char *name, *text;
  expected expected;
} programs[] = {
    {"L|L", "mutex m; thread w[i:0..1] {" L(m) "}", {2, 0, 9, 8, 2}},
    {"3xL", "mutex m; thread w[i:0..2] {" L(m) "}", {6, 0, 31, 30, 18}},
    {"4xL", "mutex m; thread w[i:0..3] {" L(m) "}", {24, 0, 129, 128, 144}},
    {"2x[arar]", "mutex m; thread w[i:0..1] {" L(m) L(m) "}", {6, 0, 37, 36, 16}},
    {"ABBA",
     "mutex a, b; thread p { lock(a);" L(b) "unlock(a); }"
                                            "thread q { lock(b);" L(a) "unlock(b); }",
     {3, 1, 20, 16, 4}},
    {"three diners",
     "mutex f[3]; thread d[i:0..2] { lock(f[i]); lock(f[(i+1)%3]); unlock(f[(i+1)%3]); "
     "unlock(f[i]); }",
     {7, 1, 113, 54, 18}},
    {"choice",
     "mutex m; thread a { int r = choose(0,1); if (r) {" L(m) "} } thread b {" L(m) "}",
     {3, 0, U, 10, U}},
    {"T|T", "mutex m; thread w[i:0..1] {" TRY "}", {4, 0, U, 12, U}},
    {"T|L", "mutex m; thread w {" TRY "} thread v {" L(m) "}", {3, 0, U, 10, U}},
    {"T|T|L", "mutex m; thread w[i:0..1] {" TRY "} thread v {" L(m) "}", {15, 0, U, 55, U}},
    {"kept|L", "mutex m; thread a { lock(m); } thread b {" L(m) "}", {2, 1, U, 4, U}},
    {"3xkept", "mutex m; thread a[i:0..2] { lock(m); }", {3, 3, U, 3, U}},
    {"double|L", "mutex m; thread a { lock(m); lock(m); } thread b {" L(m) "}", {2, 2, U, 4, U}},
    {"two spawns",
     "thread main { spawn(a); spawn(b); } thread a { spawn(d); choose(1,1); }"
     "thread b { spawn(d); choose(2,2); } thread d { choose(1,1); }",
     {2, 2, U, 8, U}},
    {"data", "thread a { choose(0,2); } thread b { choose(-1,1); }", {9, 0, 16, 6, U}},
    {"assume", "thread a { int r = choose(0,2); assume(r != 1); choose(0,0); }", {3, 1, U, 5, U}},
    {"empty", "thread a { } thread b { ; }", {1, 0, 1, 0, 0}},
    {"joined", "thread main { spawn(a); join(a); } thread a { choose(0,1); }", {2, 0, 6, 5, 2}},
    {"foreign unlock", "mutex m; thread a { unlock(m); } thread b { lock(m); }", {1, 1, 2, 1, 0}},
    {"own trylock",
     "mutex m; thread a { lock(m); int r = trylock(m); if (r == 0) unlock(m); }",
     {1, 0, 4, 3, 0}},
};

static const struct {
  const char *name;
  int first, second;
  uint32_t traces, events;
} families[] = {
    {"LOCKS", 5, 0, 120, U}, {"COUNT", 3, 0, 6, 40}, {"COUNT", 4, 0, 8, U},  {"DISP", 2, 2, U, U},
    {"DISP", 2, 3, 150, U},  {"MPAT", 2, 0, 8, U},   {"MPAT", 3, 0, 48, U},  {"PI", 3, 0, 6, U},
    {"PI", 4, 0, 24, U},     {"POL", 2, 2, 14, U},   {"MPC", 2, 3, 66, U},   {"SSB3", 3, 2, 12, U},
    {"SSBEXP", 2, 0, 4, U},  {"SSBEXP", 3, 0, 6, U}, {"SSBEXP", 4, 0, 8, U}, {"SPAT", 4, 5, 24, U},
};

static const char *const refused[] = {
    "thread a { lock(m); }",
    "mutex m; thread a { lock(m) }",
    "mutex m; thread a { int r = lock(m); }",
    "mutex m[2]; thread a { lock(m); }",
    "mutex m; thread a { lock(m[0]); }",
    "mutex m, m; thread a { }",
    "cond c; thread a { signal(c); }",
    "atomic int x; thread a { store(x, 1); }",
    "atomic int x; thread a { x = 1; }",
    "thread a { break; }",
    "thread a { int r; int r; }",
    "thread a { int a; }",
    "thread a { { int r; } r = 1; }",
    "thread a { if (1) int r; r = 1; }",
    "thread a {",
    "shared int s; thread a { s = ; }",
    "shared int s = 99999999999999999999; thread a { }",
    "thread a[i : 3..1] { }",
    "thread a { } /* open",
    "thread a { int r = r; }",
};

static const struct {
  const char *text;
  lattice_status status;
} halted[] = {
    {"shared int s; thread a { s = 1; } thread b { s = 2; }", LATTICE_RACE},
    {"shared int s; mutex m; thread a { lock(m); s = 1; unlock(m); } thread b { int r = s; }",
     LATTICE_RACE},
    {"shared int s; mutex m; thread a { lock(m); s = 1; unlock(m); s = 2; } thread b { lock(m); s "
     "= 3; "
     "unlock(m); }",
     LATTICE_RACE},
    {"shared int s; mutex m[2]; thread a { s = 1; } thread b { lock(m[s]); }", LATTICE_RACE},
    {"shared int s; thread main { spawn(a); join(a); s = s + 1; } thread a { s = 5; }",
     LATTICE_WHOLE},
    {"shared int s; thread main { s = 1; spawn(a); } thread a { s = 5; choose(0, s); }",
     LATTICE_WHOLE},
    {"shared int s; thread main { spawn(a); spawn(b); join(a); s = 2; } thread a { s = 5; } thread "
     "b "
     "{ s = 7; }",
     LATTICE_RACE},
    {"thread a { int r = choose(0, 1); r = 1 / r; }", LATTICE_ERROR},
    {"mutex m[2]; thread a { lock(m[2]); }", LATTICE_ERROR},
    {"thread a { int r = 9223372036854775807; r = r + 1; }", LATTICE_ERROR},
    {"thread a { int r = 1; r = r << 63; }", LATTICE_ERROR},
    {"thread a { while (1) ; }", LATTICE_ERROR},
    {"thread a { int r = choose(1, 0); }", LATTICE_ERROR},
    {"mutex m; thread a { int i = 0; while (1) { lock(m); unlock(m); i = i + 1; } }",
     LATTICE_LIMIT},
    {"thread a { int r = -7 / 2; assert(r == -3); assert(-7 % 2 == -1); assert(-7 >> 1 == -4);"
     "assert(1 || 1 / 0); assert(!(0 && 1 / 0)); assert(2 + 3 * 4 == 14); assert((6 & 3 | 8) == "
     "10);"
     "assert(~0 == -1 && 1 << 4 == 16 && (5 ^ 1) == 4); }",
     LATTICE_WHOLE},
};

static void check_refused(void) {
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    char error[ORACLE_ERROR_MAX];
    program *p = program_read(refused[i], NULL, error);
    check(p == NULL && error[0] != '\0', "refused", refused[i]);
    program_free(p);
  }
}

static void check_halted(void) {
  for (size_t i = 0; i < sizeof halted / sizeof halted[0]; i++) {
    char error[ORACLE_ERROR_MAX];
    program *p = program_read(halted[i].text, NULL, error);
    if (p == NULL) {
      check(false, "halted", error);
      continue;
    }
    lattice *l = lattice_walk(p, 2000);
    check(l->status == halted[i].status && l->counts.errors == 0, "halted", halted[i].text);
    lattice_free(l);
    program_free(p);
  }
}

/* Two loops that spin are cut at the bound, as an assumption that fails; assertions are errors. */
static void check_outcomes(void) {
  char error[ORACLE_ERROR_MAX];
  program_options options = {2};
  program *p =
      program_read("shared int s; mutex m;"
                   "thread a { int i = 0; while (i < 3) { lock(m); unlock(m); i = i + 1; } }"
                   "thread b { int r = choose(0, 1); assert(r); }"
                   "thread c { while (0) { } while (1) { break; } int i = 0;"
                   "           while (i < 2) { i = i + 1; continue; } }",
                   &options, error);
  check(p != NULL, "outcomes", error);
  if (p == NULL) return;
  lattice *l = lattice_walk(p, 2000);
  check_number(l->counts.maximal, 2, "outcomes", "maximal");
  check_number(l->counts.complete, 0, "outcomes", "complete");
  check_number(l->counts.deadlocks, 0, "outcomes", "deadlocks");
  check_number(l->counts.errors, 1, "outcomes", "errors");
  check_number(l->counts.operations[ACTION_ACQUIRE], 2, "outcomes", "acq");
  check_number(l->configurations[0].paths, 10, "outcomes", "paths");
  char name[64];
  lattice_event_text(l, 0, name, sizeof name);
  check(strcmp(name, "0: a acq 0 {}") == 0, "text of an event", name);
  lattice_free(l);
  program_free(p);
}

int main(void) {
  for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
    check_program(programs[i].name, programs[i].text, -1, &programs[i].expected);
  }
  for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
    char *text = family_text(families[i].name, families[i].first, families[i].second);
    const expected x = {families[i].traces, 0, U, families[i].events, U};
    check_program(families[i].name, text, -1, &x);
    free(text);
  }
  check_refused();
  check_halted();
  check_outcomes();
  printf("%u passed, %u failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

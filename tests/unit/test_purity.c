/* Loop purity on the examples of the paper, and where it must not fire. Each program is built with
 * a few short helpers, and its listing is compared. */
#include "fixture.h"

struct flow {
  unf_context *context;
  unf_flow *f;
};

static void open_flow(struct flow *t, unsigned blocks) {
  unf_block block;
  ok(unf_context_new(NULL, &t->context));
  *watched() = t->context;
  ok(unf_flow_new(t->context, &t->f));
  for (unsigned i = 0; i < blocks; i++) {
    char name[2] = {(char)('A' + i), '\0'};
    ok(unf_flow_block(t->f, name, &block));
  }
}

static void close_flow(struct flow *t) {
  unf_context *empty;
  unf_flow_free(t->f);
  ok(unf_context_new(NULL, &empty));
  assert_int_equal(unf_context_bytes(t->context), unf_context_bytes(empty));
  unf_context_free(empty);
  unf_context_free(t->context);
  *watched() = NULL;
}

/* The blocks, by the names they get. */
enum { A, B, C, D, E, F, G };

static unf_register variable(struct flow *t, const char *name) {
  unf_register r;
  ok(unf_flow_register(t->f, name, &r));
  return r;
}

static unf_term number(struct flow *t, int64_t value) {
  unf_term term;
  ok(unf_term_constant(t->f, value, &term));
  return term;
}

static unf_term value(struct flow *t, unf_register r) {
  unf_term term;
  ok(unf_term_register(t->f, r, &term));
  return term;
}

static unf_term apply(struct flow *t, unf_operator op, unf_term left, unf_term right) {
  unf_term term;
  ok(unf_term_apply(t->f, op, left, right, &term));
  return term;
}

#define OP(op, left, right) apply(t, UNF_OPERATOR_##op, left, right)
/* A register against a number. */
#define IS(op, r, n) OP(op, value(t, r), number(t, n))

static void add(struct flow *t, unf_block block, unf_statement_kind kind, unf_register result,
                unf_term a, unf_term b, uint32_t flags) {
  unf_statement s = UNF_STATEMENT_INIT(kind);
  s.result = result;
  s.a = a;
  s.b = b;
  s.flags = flags;
  ok(unf_flow_statement(t->f, block, &s));
}

static unf_register result(struct flow *t, unf_block block, unf_statement_kind kind,
                           const char *name, unf_term a, unf_term b) {
  unf_register r = variable(t, name);
  add(t, block, kind, r, a, b, 0);
  return r;
}

static unf_register load(struct flow *t, unf_block block, const char *name) {
  return result(t, block, UNF_STATEMENT_LOAD, name, UNF_TERM_NONE, UNF_TERM_NONE);
}

static void store(struct flow *t, unf_block block) {
  add(t, block, UNF_STATEMENT_STORE, UNF_REGISTER_NONE, UNF_TERM_NONE, UNF_TERM_NONE, 0);
}

static void go(struct flow *t, unf_block from, unf_block to, unf_term condition) {
  ok(unf_flow_edge(t->f, from, to, condition));
}

#define ALWAYS_TAKEN UNF_TERM_NONE

static unf_register phi(struct flow *t, unf_block block, const char *name) {
  unf_register r = variable(t, name);
  ok(unf_flow_phi(t->f, block, r));
  return r;
}

static void from(struct flow *t, unf_register p, unf_block block, unf_term term) {
  ok(unf_flow_phi_operand(t->f, p, block, term));
}

static void listing_with(struct flow *t, const unf_purity_options *options, const char *expected) {
  struct collected text = {0};
  unf_purity *p;
  unf_status status = unf_purity_new(t->f, options, &p);
  if (status != UNF_OK) print_message("%s\n", unf_context_detail(t->context)->text);
  assert_int_equal(status, UNF_OK);
  ok(unf_purity_write(p, collect, &text));
  assert_string_equal(text.text == NULL ? "" : text.text, expected);
  free(text.text);
  unf_purity_free(p);
}

static void listing(struct flow *t, const char *expected) {
  listing_with(t, NULL, expected);
}

/* Figure 2: do a := x while a != 1. */
static void spin_loop(void **state) {
  struct flow flow, *t = &flow;
  open_flow(t, 3);
  go(t, A, B, ALWAYS_TAKEN);
  unf_register a = load(t, B, "a");
  go(t, B, B, IS(NE, a, 1));
  go(t, B, C, ALWAYS_TAKEN);
  listing(t, "loop 0: header B, blocks 1, depth 1, pure if a != 1\n"
             "  stopped after the load of a (B, statement 0) if a != 1; waits there for == 1, for "
             "ever only in a livelock\n");
  close_flow(t);
}

/* Figure 6: two loads, a store where a = 4, and the way back where a >= 4. */
static void partly_pure(void **state) {
  struct flow flow, *t = &flow;
  open_flow(t, 5);
  go(t, A, B, ALWAYS_TAKEN);
  unf_register a = load(t, B, "a");
  load(t, B, "b");
  go(t, B, C, IS(EQ, a, 4));
  go(t, B, D, ALWAYS_TAKEN);
  store(t, C);
  go(t, C, D, ALWAYS_TAKEN);
  go(t, D, B, IS(GE, a, 4));
  go(t, D, E, ALWAYS_TAKEN);
  listing(t, "loop 0: header B, blocks 3, depth 1, pure if a > 4\n"
             "  stopped after the load of a (B, statement 0) if a > 4; waits there for <= 4, for "
             "ever only in a livelock\n"
             "  not pure: the statement changes what others can see: store (C, statement 0)\n");
  close_flow(t);
}

/* while (exchange(x, 1) == 1) ; and the same by a try-operation and by compare-and-swap, whose
 * success is computed. */
static void locks(void **state) {
  struct flow flow, *t = &flow;
  open_flow(t, 4);
  go(t, A, B, ALWAYS_TAKEN);
  unf_register old = result(t, B, UNF_STATEMENT_EXCHANGE, "old", number(t, 1), UNF_TERM_NONE);
  go(t, B, B, IS(EQ, old, 1));
  go(t, B, C, ALWAYS_TAKEN);
  unf_register got = result(t, C, UNF_STATEMENT_TRY, "got", UNF_TERM_NONE, UNF_TERM_NONE);
  go(t, C, D, value(t, got));
  go(t, C, C, ALWAYS_TAKEN);
  unf_register seen = result(t, D, UNF_STATEMENT_CAS, "seen", number(t, 0), number(t, 7));
  unf_register done = result(t, D, UNF_STATEMENT_LOCAL, "done", IS(EQ, seen, 0), UNF_TERM_NONE);
  go(t, D, D, IS(EQ, done, 0));
  listing(t, "loop 0: header B, blocks 1, depth 1, pure if old == 1\n"
             "  stopped after the exchange of old (B, statement 0) if old == 1; waits there for != "
             "1, for ever only in a livelock\n"
             "loop 1: header C, blocks 1, depth 1, pure if got == 0\n"
             "  stopped after the try of got (C, statement 0) if got == 0; waits there for == 1, "
             "for ever only in a livelock\n"
             "loop 2: header D, blocks 1, depth 1, pure if seen != 0\n"
             "  stopped after the cas of seen (D, statement 0) if seen != 0; waits there for == 0, "
             "for ever only in a livelock\n");
  close_flow(t);
}

/* An exchange of another value than the one tested is not pure, a fetch-add of a register is where
 * that is 0. */
static void guards(void **state) {
  struct flow flow, *t = &flow;
  open_flow(t, 3);
  unf_register k = variable(t, "k");
  unf_register old = result(t, A, UNF_STATEMENT_EXCHANGE, "old", number(t, 2), UNF_TERM_NONE);
  go(t, A, A, IS(EQ, old, 1));
  go(t, A, B, ALWAYS_TAKEN);
  unf_register sum = result(t, B, UNF_STATEMENT_FETCH_ADD, "sum", value(t, k), UNF_TERM_NONE);
  go(t, B, B, IS(LT, sum, 3));
  listing(t, "loop 0: header A, blocks 1, depth 1, never pure\n"
             "  not pure: the statement changes what others can see: exchange of old (A, statement "
             "0)\n"
             "loop 1: header B, blocks 1, depth 1, pure if k == 0 && sum < 3\n"
             "  stopped after the fetch-add of sum (B, statement 0) if k == 0 && sum < 3\n");
  close_flow(t);
}

/* i = 0; do { a := x; i = i + 1; } while (a != 1), with i used behind the loop or not at all. */
static void counter(bool used, const char *expected) {
  struct flow flow, *t = &flow;
  open_flow(t, 3);
  go(t, A, B, ALWAYS_TAKEN);
  unf_register i = phi(t, B, "i"), a = load(t, B, "a");
  unf_register next = result(t, B, UNF_STATEMENT_LOCAL, "next", IS(ADD, i, 1), UNF_TERM_NONE);
  from(t, i, A, number(t, 0));
  from(t, i, B, value(t, next));
  go(t, B, B, IS(NE, a, 1));
  go(t, B, C, ALWAYS_TAKEN);
  if (used) add(t, C, UNF_STATEMENT_STORE, UNF_REGISTER_NONE, value(t, i), UNF_TERM_NONE, 0);
  listing(t, expected);
  close_flow(t);
}

static void counters(void **state) {
  counter(true, "loop 0: header B, blocks 1, depth 1, never pure\n"
                "  not pure: a register that is used later changes its value: i on the way back "
                "from B\n");
  counter(false, "loop 0: header B, blocks 1, depth 1, pure if a != 1\n"
                 "  stopped after the load of a (B, statement 0) if a != 1; waits there for == 1, "
                 "for ever only in a livelock\n");
}

/* A phi that gets the value it had on entry back on one way, and another value on a second way:
 * equal operands do not make it pure. */
static void phi_with_three_values(void **state) {
  struct flow flow, *t = &flow;
  open_flow(t, 5);
  go(t, A, B, ALWAYS_TAKEN);
  unf_register v = phi(t, B, "v"), a = load(t, B, "a");
  from(t, v, A, number(t, 0));
  from(t, v, C, number(t, 0));
  from(t, v, D, number(t, 1));
  go(t, B, C, IS(EQ, a, 0));
  go(t, B, D, IS(EQ, a, 1));
  go(t, B, E, ALWAYS_TAKEN);
  go(t, C, B, ALWAYS_TAKEN);
  go(t, D, B, ALWAYS_TAKEN);
  add(t, E, UNF_STATEMENT_STORE, UNF_REGISTER_NONE, value(t, v), UNF_TERM_NONE, 0);
  listing(t, "loop 0: header B, blocks 3, depth 1, pure if a == 0 && v == 0 || a == 1 && v == 1\n"
             "  stopped after the load of a (B, statement 0) if a == 0 && v == 0 || a == 1 && v == "
             "1; waits there, for ever only in a livelock\n");
  close_flow(t);
}

/* o = x; while (!cas(x, o, o + 1)) o = x: pure where the second load finds what the first did. */
static void confirmation(void **state) {
  struct flow flow, *t = &flow;
  open_flow(t, 4);
  unf_register first = load(t, A, "first");
  go(t, A, B, ALWAYS_TAKEN);
  unf_register o = phi(t, B, "o");
  unf_register old = result(t, B, UNF_STATEMENT_CAS, "old", value(t, o), IS(ADD, o, 1));
  unf_register again = load(t, C, "again");
  from(t, o, A, value(t, first));
  from(t, o, C, value(t, again));
  go(t, B, D, OP(EQ, value(t, old), value(t, o)));
  go(t, B, C, ALWAYS_TAKEN);
  go(t, C, B, ALWAYS_TAKEN);
  listing(t, "loop 0: header B, blocks 2, depth 1, pure if o == again && o != old\n"
             "  stopped after the load of again (C, statement 0) if o == again; waits there for != "
             "o\n");
  close_flow(t);
}

/* b := y; if (b) leave; a := x; if (a == 1) leave: what is known after the branch is not tested
 * again, and waiting for x for ever is no livelock, as y could have been read again. */
static void two_loads(void **state) {
  struct flow flow, *t = &flow;
  open_flow(t, 3);
  unf_register b = load(t, A, "b");
  go(t, A, C, value(t, b));
  go(t, A, B, ALWAYS_TAKEN);
  unf_register a = load(t, B, "a");
  go(t, B, C, IS(EQ, a, 1));
  go(t, B, A, ALWAYS_TAKEN);
  listing(t, "loop 0: header A, blocks 2, depth 1, pure if b == 0 && a != 1\n"
             "  stopped after the load of a (B, statement 0) if a != 1; waits there for == 1\n");
  close_flow(t);
}

/* done = 0; if (a == 1) done = 1; if (done) leave: decided where a is loaded, through the phi. */
static void through_a_phi(void **state) {
  struct flow flow, *t = &flow;
  open_flow(t, 4);
  unf_register a = load(t, A, "a");
  go(t, A, B, IS(EQ, a, 1));
  go(t, A, C, ALWAYS_TAKEN);
  go(t, B, C, ALWAYS_TAKEN);
  unf_register done = phi(t, C, "done");
  from(t, done, A, number(t, 0));
  from(t, done, B, number(t, 1));
  go(t, C, D, value(t, done));
  go(t, C, A, ALWAYS_TAKEN);
  listing(t, "loop 0: header A, blocks 3, depth 1, pure if a != 1\n"
             "  stopped after the load of a (A, statement 0) if a != 1; waits there for == 1, for "
             "ever only in a livelock\n");
  close_flow(t);
}

/* t = a == 0 && b == 0, computed on two ways and tested then, before c: that t holds implies that b
 * was loaded, and found 0. Not so where the other way gives 1. */
static void computed_truth(int64_t otherwise, const char *expected) {
  struct flow flow, *t = &flow;
  open_flow(t, 5);
  unf_register a = load(t, A, "a");
  go(t, A, B, IS(EQ, a, 0));
  go(t, A, C, ALWAYS_TAKEN);
  unf_register b = load(t, B, "b");
  go(t, B, C, ALWAYS_TAKEN);
  unf_register both = phi(t, C, "both");
  from(t, both, A, number(t, otherwise));
  from(t, both, B, IS(EQ, b, 0));
  go(t, C, D, value(t, both));
  go(t, C, E, ALWAYS_TAKEN);
  unf_register c = load(t, D, "c");
  go(t, D, A, IS(EQ, c, 0));
  listing(t, expected);
  close_flow(t);
}

static void short_circuits(void **state) {
  computed_truth(
      0, "loop 0: header A, blocks 4, depth 1, pure if a == 0 && b == 0 && c == 0\n"
         "  stopped after the load of c (D, statement 0) if c == 0; waits there for != 0\n");
  computed_truth(
      1, "loop 0: header A, blocks 4, depth 1, pure if a == 0 && b == 0 && c == 0 || a != 0 "
         "&& c == 0\n"
         "  stopped after the load of c (D, statement 0) if a == 0 && b == 0 && c == 0 || a "
         "!= 0 && c == 0; waits there\n");
}

/* An inner loop that stores, and a test behind it: only while the inner loop did not go round. */
static void inner_loop(void **state) {
  struct flow flow, *t = &flow;
  open_flow(t, 5);
  go(t, A, B, ALWAYS_TAKEN);
  unf_register b = load(t, B, "b");
  go(t, B, C, value(t, b));
  go(t, B, D, ALWAYS_TAKEN);
  store(t, C);
  go(t, C, B, ALWAYS_TAKEN);
  unf_register a = load(t, D, "a");
  go(t, D, A, IS(NE, a, 1));
  go(t, D, E, ALWAYS_TAKEN);
  listing(t, "loop 0: header A, blocks 4, depth 1, pure if b == 0 && a != 1\n"
             "  stopped after the load of a (D, statement 0) if a != 1, unless an inner loop went "
             "round\n"
             "  not pure: an inner loop goes round: C\n"
             "loop 1: header B, blocks 2, depth 2, never pure\n"
             "  not pure: the statement changes what others can see: store (C, statement 0)\n");
  close_flow(t);
}

/* An access that may fail, an assertion and an await stand between the load and the way back: a
 * thread is not stopped before them. */
static void barriers(void **state) {
  struct flow flow, *t = &flow;
  open_flow(t, 7);
  unf_register a = load(t, A, "a");
  unf_register p = variable(t, "p");
  add(t, A, UNF_STATEMENT_LOAD, p, UNF_TERM_NONE, UNF_TERM_NONE, UNF_STATEMENT_MAY_FAIL);
  go(t, A, A, IS(EQ, a, 0));
  go(t, A, B, ALWAYS_TAKEN);
  unf_register b = load(t, B, "b");
  add(t, B, UNF_STATEMENT_ASSERT, UNF_REGISTER_NONE, IS(NE, b, 5), UNF_TERM_NONE, 0);
  go(t, B, B, IS(GT, b, 3));
  go(t, B, C, ALWAYS_TAKEN);
  unf_register c = load(t, C, "c");
  add(t, C, UNF_STATEMENT_AWAIT, UNF_REGISTER_NONE, UNF_TERM_NONE, UNF_TERM_NONE, 0);
  go(t, C, C, IS(EQ, c, 0));
  listing(t, "loop 0: header A, blocks 1, depth 1, pure if a == 0\n"
             "  stopped after the load of p (A, statement 1) if a == 0\n"
             "loop 1: header B, blocks 1, depth 1, pure if b != 5 && b > 3\n"
             "  stopped after the load of b (B, statement 0) if b != 5 && b > 3; waits there, for "
             "ever only in a livelock\n"
             "loop 2: header C, blocks 1, depth 1, pure if c == 0\n"
             "  stopped after the await (C, statement 1) if c == 0\n");
  close_flow(t);
}

/* A cycle with two entries is not treated, nor is a loop around it; a loop within it is. */
static void irreducible(void **state) {
  struct flow flow, *t = &flow;
  open_flow(t, 5);
  unf_register n = variable(t, "n");
  go(t, A, B, ALWAYS_TAKEN);
  go(t, B, C, IS(EQ, n, 0));
  go(t, B, D, ALWAYS_TAKEN);
  go(t, C, D, ALWAYS_TAKEN);
  unf_register a = load(t, D, "a");
  go(t, D, D, IS(EQ, a, 0));
  go(t, D, C, IS(EQ, a, 1));
  go(t, D, B, IS(EQ, a, 2));
  go(t, D, E, ALWAYS_TAKEN);
  unf_purity *p;
  unf_loop loop;
  ok(unf_purity_new(t->f, NULL, &p));
  assert_int_equal(unf_purity_loops(p), 3);
  ok(unf_purity_loop(p, 0, &loop));
  assert_true(loop.irreducible && loop.header == B && loop.blocks == 3);
  ok(unf_purity_loop(p, 2, &loop));
  assert_true(!loop.irreducible && loop.header == D && loop.blocks == 1 && loop.parent == 1);
  assert_int_equal(loop.insertions, 1);
  assert_int_equal(unf_purity_insertions(p), 1);
  assert_false(unf_purity_edge(p, 2, D, D));
  assert_true(unf_purity_edge(p, 0, D, D));
  assert_false(unf_purity_edge(p, 0, C, D));
  unf_purity_free(p);
  close_flow(t);
}

/* A switch with many ways back: too many ways, too many comparisons. */
static void bounds(void **state) {
  struct flow flow, *t = &flow;
  unf_purity_options options = UNF_PURITY_OPTIONS_INIT;
  open_flow(t, 3);
  unf_register a = load(t, A, "a");
  for (int i = 0; i < 4; i++)
    go(t, A, B, IS(EQ, a, 10 * i));
  go(t, A, C, IS(LT, a, 40));
  go(t, A, A, ALWAYS_TAKEN);
  go(t, B, A, ALWAYS_TAKEN);
  options.disjuncts = 4;
  listing_with(t, &options,
               "loop 0: header A, blocks 2, depth 1, never pure\n"
               "  not pure: more ways than the bound on disjuncts allows: A\n");
  options.disjuncts = 5;
  options.conjuncts = 1;
  listing_with(t, &options,
               "loop 0: header A, blocks 2, depth 1, pure if a == 0 || a == 10 || a == 20 || a == "
               "30 || a >= 40\n"
               "  stopped after the load of a (A, statement 0) if a == 0 || a == 10 || a == 20 || "
               "a == 30 || a >= 40; waits there, for ever only in a livelock\n");
  options.disjuncts = 65;
  unf_purity *p;
  fails(UNF_INVALID, unf_purity_new(t->f, &options, &p));
  close_flow(t);
}

static void too_long(void **state) {
  struct flow flow, *t = &flow;
  unf_purity_options options = UNF_PURITY_OPTIONS_INIT;
  open_flow(t, 2);
  unf_register a = load(t, A, "a"), b = load(t, A, "b");
  go(t, A, A, OP(AND, IS(EQ, a, 0), IS(EQ, b, 0)));
  options.conjuncts = 1;
  listing_with(t, &options,
               "loop 0: header A, blocks 1, depth 1, never pure\n"
               "  not pure: more comparisons than the bound on conjuncts allows: A\n");
  close_flow(t);
}

/* while (1) ; and a loop that tests what it does not change. */
static void without_statements(void **state) {
  struct flow flow, *t = &flow;
  open_flow(t, 3);
  unf_register n = variable(t, NULL);
  go(t, A, A, IS(LT, n, 0));
  go(t, A, B, ALWAYS_TAKEN);
  go(t, B, B, ALWAYS_TAKEN);
  listing(t, "loop 0: header A, blocks 1, depth 1, pure if r0 < 0\n"
             "  stopped at the start of A if r0 < 0\n"
             "loop 1: header B, blocks 1, depth 1, pure if 1\n"
             "  stopped at the start of B if 1\n");
  close_flow(t);
}

/* The element that is loaded depends on a register that changes. */
static void moving_index(void **state) {
  struct flow flow, *t = &flow;
  open_flow(t, 3);
  go(t, A, B, ALWAYS_TAKEN);
  unf_register i = phi(t, B, "i"), a = variable(t, "a");
  unf_statement s = UNF_STATEMENT_INIT(UNF_STATEMENT_LOAD);
  s.result = a;
  s.where = value(t, i);
  s.place = 12;
  ok(unf_flow_statement(t->f, B, &s));
  from(t, i, A, number(t, 0));
  from(t, i, B, OP(SUB, number(t, 1), value(t, i)));
  go(t, B, B, IS(EQ, a, 0));
  listing(t, "loop 0: header B, blocks 1, depth 1, pure if i == 1 - i && a == 0\n"
             "  stopped after the load of a (B, statement 0, place 12) if i == 1 - i && a == 0; "
             "waits there, for ever only in a livelock\n");
  close_flow(t);
}

static int64_t seven(void *user, unf_register r) {
  return 7 + (int64_t)r;
}

static void terms(void **state) {
  struct flow flow, *t = &flow;
  unf_term_node node;
  char text[64];
  int64_t is;
  open_flow(t, 1);
  unf_register a = variable(t, "a"), b = variable(t, "b");
  assert_int_equal(IS(ADD, a, 0), value(t, a));
  assert_int_equal(OP(ADD, IS(SUB, a, 3), number(t, 5)), IS(ADD, a, 2));
  assert_int_equal(OP(MUL, number(t, INT64_MAX), number(t, 2)), number(t, -2));
  assert_int_equal(OP(AND, value(t, a), number(t, 0)), number(t, 0));
  unf_term term = OP(SUB, OP(BIT_XOR, value(t, a), value(t, b)), OP(MUL, value(t, b), value(t, a)));
  assert_int_equal(unf_term_text(t->f, term, text, sizeof text), 15);
  assert_string_equal(text, "(a ^ b) - b * a");
  assert_int_equal(unf_term_text(t->f, term, text, 4), 15);
  assert_string_equal(text, "(a ");
  ok(unf_term_evaluate(t->f, term, seven, NULL, &is));
  assert_int_equal(is, (7 ^ 8) - 56);
  ok(unf_term_view(t->f, term, &node));
  assert_int_equal(node.op, UNF_OPERATOR_SUB);
  ok(unf_term_view(t->f, node.left, &node));
  ok(unf_term_view(t->f, node.right, &node));
  assert_true(node.op == UNF_OPERATOR_REGISTER && node.variable == b);
  fails(UNF_INVALID, unf_term_view(t->f, 99, &node));
  fails(UNF_INVALID, unf_term_apply(t->f, UNF_OPERATOR_CONSTANT, term, term, &term));
  unf_status status = UNF_OK;
  for (int i = 0; i < 8 && status == UNF_OK; i++)
    status = unf_term_apply(t->f, UNF_OPERATOR_MUL, term, term, &term);
  assert_int_equal(status, UNF_INVALID);
  close_flow(t);
}

/* What a description must satisfy, and that refused calls change nothing. */
static void wrong_descriptions(void **state) {
  struct flow flow, *t = &flow;
  unf_purity *p;
  unf_statement s = UNF_STATEMENT_INIT(UNF_STATEMENT_LOAD);
  open_flow(t, 0);
  fails(UNF_INVALID, unf_purity_new(t->f, NULL, &p));
  close_flow(t);
  open_flow(t, 3);
  unf_register a = variable(t, "a"), b = variable(t, "b");
  s.result = a;
  fails(UNF_INVALID, unf_flow_statement(t->f, 3, &s));
  ok(unf_flow_statement(t->f, B, &s));
  fails(UNF_INVALID, unf_flow_statement(t->f, B, &s));
  fails(UNF_INVALID, unf_flow_phi(t->f, B, a));
  fails(UNF_INVALID, unf_flow_phi(t->f, A, b));
  s.kind = UNF_STATEMENT_EXCHANGE;
  s.result = b;
  fails(UNF_INVALID, unf_flow_statement(t->f, B, &s));
  s.a = 1000;
  fails(UNF_INVALID, unf_flow_statement(t->f, B, &s));
  fails(UNF_INVALID, unf_flow_phi_operand(t->f, b, A, value(t, a)));
  ok(unf_flow_phi(t->f, C, b));
  from(t, b, A, number(t, 1));
  fails(UNF_INVALID, unf_flow_phi_operand(t->f, b, A, number(t, 2)));
  fails(UNF_INVALID, unf_flow_edge(t->f, A, 7, ALWAYS_TAKEN));
  go(t, A, B, IS(EQ, b, 0));
  fails(UNF_INVALID, unf_purity_new(t->f, NULL, &p));
  assert_non_null(strstr(unf_context_detail(t->context)->text, "register b has no value"));
  close_flow(t);
  open_flow(t, 3);
  unf_register c = phi(t, B, "c");
  go(t, A, B, ALWAYS_TAKEN);
  fails(UNF_INVALID, unf_flow_edge(t->f, A, C, ALWAYS_TAKEN));
  from(t, c, C, number(t, 0));
  fails(UNF_INVALID, unf_purity_new(t->f, NULL, &p));
  assert_non_null(strstr(unf_context_detail(t->context)->text, "phi c has no operand"));
  from(t, c, A, number(t, 0));
  ok(unf_purity_new(t->f, NULL, &p));
  unf_loop loop;
  unf_insertion insertion;
  unf_remark remark;
  assert_int_equal(unf_purity_loops(p), 0);
  fails(UNF_INVALID, unf_purity_loop(p, 0, &loop));
  fails(UNF_INVALID, unf_purity_insertion(p, 0, &insertion));
  fails(UNF_INVALID, unf_purity_remark(p, 0, &remark));
  assert_false(unf_purity_contains(p, 0, 0));
  unf_purity_free(p);
  close_flow(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spin_loop),
      cmocka_unit_test(partly_pure),
      cmocka_unit_test(locks),
      cmocka_unit_test(guards),
      cmocka_unit_test(counters),
      cmocka_unit_test(phi_with_three_values),
      cmocka_unit_test(confirmation),
      cmocka_unit_test(two_loads),
      cmocka_unit_test(through_a_phi),
      cmocka_unit_test(short_circuits),
      cmocka_unit_test(inner_loop),
      cmocka_unit_test(barriers),
      cmocka_unit_test(irreducible),
      cmocka_unit_test(bounds),
      cmocka_unit_test(too_long),
      cmocka_unit_test(without_statements),
      cmocka_unit_test(moving_index),
      cmocka_unit_test(terms),
      cmocka_unit_test(wrong_descriptions),
  };
  return cmocka_run_group_tests_name("purity", tests, NULL, NULL);
}

/*
 * unfold-solver: answers questions of unfold-model with Z3 (solver.h has the protocol). Each is
 * asked in a context of its own, so that the answer under a limit of steps is a function of the
 * question. An integer is a bit-vector; of a term that is a truth value both forms are made as they
 * are needed. Z3 cannot recover from running out of memory: then this process ends.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <z3.h>

#include "solver.h"

enum { WIDTH = 64, HEAD_WORDS = 3 };
/* Z3 counts no steps while it makes bits of a product or a quotient, which take as long as these.
 */
enum { STEPS_OF_PRODUCT = 20000 };

struct translated {
  bool wanted, truth;     /* truth: it is made as a Boolean, and the number from that */
  Z3_ast number, boolean; /* NULL: not made yet */
};

struct process {
  struct term_node *nodes;
  struct translated *made;
  uint32_t *wanted; /* terms of the question at hand, ascending once all are there */
  size_t wanted_count;
  uint32_t count, room;
  int64_t *message;
  size_t room_of_message; /* in bytes */
};

struct question {
  struct process *process;
  uint32_t inputs;
  int64_t steps;
  bool core;
  const int64_t *list;
  size_t count;
  Z3_context z3;
  Z3_solver solver;
  Z3_sort word;
};

static bool read_all(void *data, size_t size) {
  for (char *at = data; size > 0;) {
    const ssize_t done = read(STDIN_FILENO, at, size);
    if (done <= 0) return false;
    at += done;
    size -= (size_t)done;
  }
  return true;
}

static bool write_all(const void *data, size_t size) {
  for (const char *at = data; size > 0;) {
    const ssize_t done = write(STDOUT_FILENO, at, size);
    if (done <= 0) return false;
    at += done;
    size -= (size_t)done;
  }
  return true;
}

/* ---- terms ---- */

static Z3_ast number_of(struct question *q, int64_t value) {
  return Z3_mk_int64(q->z3, value, q->word);
}

static Z3_ast as_boolean(struct question *q, uint32_t at) {
  struct translated *t = &q->process->made[at];
  if (t->boolean == NULL)
    t->boolean = Z3_mk_not(q->z3, Z3_mk_eq(q->z3, t->number, number_of(q, 0)));
  return t->boolean;
}

static Z3_ast as_number(struct question *q, uint32_t at) {
  struct translated *t = &q->process->made[at];
  if (t->number == NULL) t->number = Z3_mk_ite(q->z3, t->boolean, number_of(q, 1), number_of(q, 0));
  return t->number;
}

static Z3_ast input(struct question *q, const struct term_node *n) {
  Z3_ast x = Z3_mk_const(q->z3, Z3_mk_int_symbol(q->z3, (int)n->value), q->word);
  if (n->low != INT64_MIN)
    Z3_solver_assert(q->z3, q->solver, Z3_mk_bvsle(q->z3, number_of(q, n->low), x));
  if (n->high != INT64_MAX)
    Z3_solver_assert(q->z3, q->solver, Z3_mk_bvsle(q->z3, x, number_of(q, n->high)));
  return x;
}

/* An operator of two numbers whose result is one; NULL: it has another result. */
static Z3_ast arithmetic(struct question *q, enum term_operator op, Z3_ast a, Z3_ast b) {
  switch (op) {
  case TERM_ADD:
    return Z3_mk_bvadd(q->z3, a, b);
  case TERM_SUBTRACT:
    return Z3_mk_bvsub(q->z3, a, b);
  case TERM_MULTIPLY:
    return Z3_mk_bvmul(q->z3, a, b);
  case TERM_DIVIDE:
    return Z3_mk_bvsdiv(q->z3, a, b);
  case TERM_REMAINDER:
    return Z3_mk_bvsrem(q->z3, a, b);
  case TERM_AND:
    return Z3_mk_bvand(q->z3, a, b);
  case TERM_OR:
    return Z3_mk_bvor(q->z3, a, b);
  case TERM_XOR:
    return Z3_mk_bvxor(q->z3, a, b);
  case TERM_SHIFT_LEFT:
    return Z3_mk_bvshl(q->z3, a, b);
  case TERM_SHIFT_RIGHT:
    return Z3_mk_bvashr(q->z3, a, b);
  default:
    return NULL;
  }
}

static Z3_ast is_negative(struct question *q, Z3_ast a) {
  return Z3_mk_bvslt(q->z3, a, number_of(q, 0));
}

/* The sum or difference has another sign than it should have. Z3's own predicates of overflow are
 * not used: that of products is wrong in some versions. */
static Z3_ast wraps(struct question *q, Z3_ast a, Z3_ast b, Z3_ast result) {
  return is_negative(
      q, Z3_mk_bvand(q->z3, Z3_mk_bvxor(q->z3, a, result), Z3_mk_bvxor(q->z3, b, result)));
}

static Z3_ast product_wraps(struct question *q, Z3_ast a, Z3_ast b) {
  Z3_ast whole =
      Z3_mk_bvmul(q->z3, Z3_mk_sign_ext(q->z3, WIDTH, a), Z3_mk_sign_ext(q->z3, WIDTH, b));
  Z3_ast kept = Z3_mk_sign_ext(q->z3, WIDTH, Z3_mk_bvmul(q->z3, a, b));
  return Z3_mk_not(q->z3, Z3_mk_eq(q->z3, whole, kept));
}

static Z3_ast comparison(struct question *q, enum term_operator op, Z3_ast a, Z3_ast b) {
  switch (op) {
  case TERM_EQUAL:
    return Z3_mk_eq(q->z3, a, b);
  case TERM_LESS:
    return Z3_mk_bvslt(q->z3, a, b);
  case TERM_AT_MOST:
    return Z3_mk_bvsle(q->z3, a, b);
  case TERM_ADD_OVERFLOWS:
    return wraps(q, a, b, Z3_mk_bvadd(q->z3, a, b));
  case TERM_SUBTRACT_OVERFLOWS: /* a - b = r is b + r = a */
    return wraps(q, b, Z3_mk_bvsub(q->z3, a, b), a);
  default:
    return product_wraps(q, a, b);
  }
}

/* Of two truth values a Boolean; of others NULL. */
static Z3_ast connective(struct question *q, const struct term_node *n) {
  const struct translated *made = q->process->made;
  if (n->op == TERM_EQUAL && made[n->argument[0]].truth &&
      q->process->nodes[n->argument[1]].op == TERM_CONSTANT &&
      q->process->nodes[n->argument[1]].value == 0)
    return Z3_mk_not(q->z3, as_boolean(q, n->argument[0]));
  if ((n->op != TERM_AND && n->op != TERM_OR && n->op != TERM_XOR) || !made[n->argument[0]].truth ||
      !made[n->argument[1]].truth)
    return NULL;
  const Z3_ast both[] = {as_boolean(q, n->argument[0]), as_boolean(q, n->argument[1])};
  return n->op == TERM_AND  ? Z3_mk_and(q->z3, 2, both)
         : n->op == TERM_OR ? Z3_mk_or(q->z3, 2, both)
                            : Z3_mk_xor(q->z3, both[0], both[1]);
}

/* Its arguments are made. */
static void translate(struct question *q, uint32_t at) {
  const struct term_node *n = &q->process->nodes[at];
  struct translated *t = &q->process->made[at];
  if (n->op == TERM_CONSTANT) {
    t->number = number_of(q, n->value);
  } else if (n->op == TERM_INPUT) {
    t->number = input(q, n);
  } else if (n->op == TERM_ITE) {
    t->number = Z3_mk_ite(q->z3, as_boolean(q, n->argument[0]), as_number(q, n->argument[1]),
                          as_number(q, n->argument[2]));
  } else if ((t->boolean = connective(q, n)) != NULL) {
    t->truth = true;
  } else {
    Z3_ast a = as_number(q, n->argument[0]), b = as_number(q, n->argument[1]);
    t->number = arithmetic(q, n->op, a, b);
    t->truth = t->number == NULL;
    if (t->truth) t->boolean = comparison(q, n->op, a, b);
  }
}

static void want(struct process *p, uint32_t at) {
  if (at == 0 || p->made[at].wanted) return;
  p->made[at] = (struct translated){.wanted = true};
  p->wanted[p->wanted_count++] = at;
}

static int compare(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Makes the terms of the list and what they need; arguments are older than their terms. */
static void translate_all(struct question *q) {
  struct process *p = q->process;
  for (size_t i = 0; i < p->wanted_count; i++)
    p->made[p->wanted[i]].wanted = false;
  p->wanted_count = 0;
  for (size_t i = 0; i < q->count; i++)
    want(p, (uint32_t)q->list[i]);
  for (size_t i = 0; i < p->wanted_count; i++)
    for (unsigned j = 0; j < 3; j++)
      want(p, p->nodes[p->wanted[i]].argument[j]);
  if (p->wanted_count > 0) qsort(p->wanted, p->wanted_count, sizeof *p->wanted, compare);
  for (size_t i = 0; i < p->wanted_count; i++)
    translate(q, p->wanted[i]);
}

/* ---- answers ---- */

/* Of two numbers that depend on inputs, or a quotient. */
static bool is_product(const struct process *p, const struct term_node *n) {
  const bool one = p->nodes[n->argument[0]].op == TERM_CONSTANT;
  const bool other = p->nodes[n->argument[1]].op == TERM_CONSTANT;
  if (n->op == TERM_DIVIDE || n->op == TERM_REMAINDER) return true;
  return (n->op == TERM_MULTIPLY || n->op == TERM_MULTIPLY_OVERFLOWS) && !one && !other;
}

/* The steps that products and quotients of the question stand for. */
static int64_t steps_before(const struct process *p) {
  int64_t steps = 0;
  for (size_t i = 0; i < p->wanted_count; i++) {
    if (is_product(p, &p->nodes[p->wanted[i]])) steps += STEPS_OF_PRODUCT;
  }
  return steps;
}

static Z3_ast guard(const struct question *q, size_t index) {
  return Z3_mk_const(q->z3, Z3_mk_int_symbol(q->z3, (int)(q->inputs + index)),
                     Z3_mk_bool_sort(q->z3));
}

/* Where a core is wanted, what is to be true is implied by an assumption of its own. */
static enum solver_answer check(struct question *q) {
  Z3_ast *guards = calloc(q->count + 1, sizeof(Z3_ast));
  if (guards == NULL) return SOLVER_UNKNOWN;
  for (size_t i = 0; i < q->count; i++) {
    Z3_ast fact = as_boolean(q, (uint32_t)q->list[i]);
    if (q->core) guards[i] = guard(q, i);
    Z3_solver_assert(q->z3, q->solver, q->core ? Z3_mk_implies(q->z3, guards[i], fact) : fact);
  }
  const Z3_lbool answer =
      Z3_solver_check_assumptions(q->z3, q->solver, q->core ? (unsigned)q->count : 0, guards);
  free(guards);
  return answer == Z3_L_TRUE ? SOLVER_YES : answer == Z3_L_FALSE ? SOLVER_NO : SOLVER_UNKNOWN;
}

/* Adds words to those that there are. */
static bool take_values(struct question *q, int64_t *out, size_t *words) {
  const struct process *p = q->process;
  Z3_model model = Z3_solver_get_model(q->z3, q->solver);
  if (model == NULL) return false;
  Z3_model_inc_ref(q->z3, model);
  bool good = true;
  for (size_t i = 0; i < p->wanted_count; i++) {
    const struct term_node *n = &p->nodes[p->wanted[i]];
    uint64_t bits = 0;
    Z3_ast value;
    if (n->op != TERM_INPUT) continue;
    good &= Z3_model_eval(q->z3, model, p->made[p->wanted[i]].number, true, &value) &&
            Z3_get_numeral_uint64(q->z3, value, &bits);
    out[(*words)++] = n->value;
    out[(*words)++] = (int64_t)bits;
  }
  Z3_model_dec_ref(q->z3, model);
  return good;
}

/* Returns how many there are. */
static size_t take_core(const struct question *q, int64_t *out) {
  size_t count = 0;
  Z3_ast_vector core = Z3_solver_get_unsat_core(q->z3, q->solver);
  Z3_ast_vector_inc_ref(q->z3, core);
  const unsigned size = Z3_ast_vector_size(q->z3, core);
  for (size_t i = 0; i < q->count; i++) {
    Z3_ast mine = guard(q, i);
    unsigned j = 0;
    while (j < size && !Z3_is_eq_ast(q->z3, Z3_ast_vector_get(q->z3, core, j), mine))
      j++;
    if (j < size) out[count++] = (int64_t)i;
  }
  Z3_ast_vector_dec_ref(q->z3, core);
  return count;
}

static void ignore(Z3_context z3, Z3_error_code code) {
  (void)z3, (void)code; /* what failed has no answer, and is unknown */
}

/* Writes the answer into words, for which there is room; returns how many they are. */
static size_t answer(struct question *q, int64_t *out) {
  size_t words = 1;
  Z3_config config = Z3_mk_config();
  q->z3 = Z3_mk_context(config);
  Z3_del_config(config);
  Z3_set_error_handler(q->z3, ignore);
  q->word = Z3_mk_bv_sort(q->z3, WIDTH);
  q->solver = Z3_mk_solver_for_logic(q->z3, Z3_mk_string_symbol(q->z3, "QF_BV"));
  Z3_solver_inc_ref(q->z3, q->solver);
  if (q->steps > 0) {
    Z3_params params = Z3_mk_params(q->z3);
    const unsigned most = q->steps < UINT32_MAX ? (unsigned)q->steps : UINT32_MAX;
    Z3_params_inc_ref(q->z3, params);
    Z3_params_set_uint(q->z3, params, Z3_mk_string_symbol(q->z3, "rlimit"), most);
    Z3_solver_set_params(q->z3, q->solver, params);
    Z3_params_dec_ref(q->z3, params);
  }
  translate_all(q);
  out[0] = q->steps == 0 || steps_before(q->process) < q->steps ? check(q) : SOLVER_UNKNOWN;
  if (Z3_get_error_code(q->z3) != Z3_OK) out[0] = SOLVER_UNKNOWN;
  if (out[0] == SOLVER_YES && !take_values(q, out, &words)) {
    out[0] = SOLVER_UNKNOWN;
    words = 1;
  }
  if (out[0] == SOLVER_NO && q->core) words += take_core(q, out + 1);
  Z3_solver_dec_ref(q->z3, q->solver);
  Z3_del_context(q->z3);
  return words;
}

/* ---- messages ---- */

static bool add_term(struct process *p, const int64_t *words) {
  if (p->count + 1 >= p->room) {
    const uint32_t room = 2 * p->room + 1024;
    struct term_node *nodes = realloc(p->nodes, room * sizeof *nodes);
    if (nodes != NULL) p->nodes = nodes;
    struct translated *made = realloc(p->made, room * sizeof *made);
    if (made != NULL) p->made = made;
    uint32_t *wanted = realloc(p->wanted, room * sizeof *wanted);
    if (wanted != NULL) p->wanted = wanted;
    if (nodes == NULL || made == NULL || wanted == NULL) return false;
    memset(made + p->room, 0, (room - p->room) * sizeof *made);
    p->room = room;
  }
  if (p->count == 0) p->nodes[p->count++] = (struct term_node){.op = TERM_CONSTANT};
  struct term_node *n = &p->nodes[p->count];
  *n = (struct term_node){
      .op = (enum term_operator)words[0], .value = words[4], .low = words[5], .high = words[6]};
  for (unsigned i = 0; i < 3; i++)
    n->argument[i] = (term)words[1 + i];
  p->count++;
  return true;
}

/* One question and its answer; false: there is none that can be read. */
static bool serve(struct process *p) {
  uint32_t size;
  if (!read_all(&size, sizeof size) || size > SOLVER_BYTES_MAX) return false;
  if (size > p->room_of_message) {
    int64_t *message = realloc(p->message, size);
    if (message == NULL) return false;
    p->message = message;
    p->room_of_message = size;
  }
  if (!read_all(p->message, size)) return false;
  const int64_t *at = p->message + 1, *end = p->message + size / sizeof *p->message;
  for (int64_t i = 0; i < p->message[0]; i++, at += SOLVER_TERM_WORDS)
    if (!add_term(p, at)) return false;
  struct question q = {.process = p,
                       .inputs = (uint32_t)at[0],
                       .steps = at[1],
                       .core = at[2] != 0,
                       .list = at + HEAD_WORDS,
                       .count = (size_t)(end - at) - HEAD_WORDS};
  int64_t *out = malloc((1 + 2 * (size_t)q.process->count + q.count) * sizeof *out);
  if (out == NULL) return false;
  const uint32_t bytes = (uint32_t)(answer(&q, out) * sizeof *out);
  bool good = write_all(&bytes, sizeof bytes) && write_all(out, bytes);
  free(out);
  return good;
}

/* To so many bytes, as text. */
static bool limit_memory(const char *bytes) {
#ifdef LIMIT_MEMORY
  const unsigned long long memory = strtoull(bytes, NULL, 10);
  const struct rlimit limit = {(rlim_t)memory, (rlim_t)memory};
  return memory == 0 || setrlimit(RLIMIT_AS, &limit) == 0;
#else
  (void)bytes;
  return true;
#endif
}

int main(int argc, char **argv) {
  struct process process = {.count = 0};
  if (argc > 1 && !limit_memory(argv[1])) return EXIT_FAILURE;
  while (serve(&process))
    ;
  free(process.nodes);
  free(process.made);
  free(process.wanted);
  free(process.message);
  return EXIT_SUCCESS;
}

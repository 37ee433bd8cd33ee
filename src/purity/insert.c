/*
 * Where a thread is stopped: at *stops*. Every disjunct of a loop's condition is the condition of
 * ways through an iteration on which all its registers get their values and its barrier is passed.
 * The last of the positions where that happens, in topological order, lies on each of these ways
 * and is the earliest at which the disjunct is decided: the stop. On another way that leads there a
 * register may lack its value; but then a branch was taken that the disjunct contradicts by
 * registers that do have values, and it is false whatever the others hold. After an iteration of an
 * inner loop, an execution could come to the stop in a second way, hence the flag.
 *
 * What the edges that dominate the stop imply is omitted from the condition, so that the assume
 * tests less: often only the result of the statement before it, which then becomes an await.
 */
#include "purity/insert.h"

#include "purity/facts.h"
#include "purity/graph.h"
#include "purity/logic.h"
#include "purity/loops.h"
#include "purity/purity.h"
#include "purity/term.h"

struct stop {
  struct position at;
  bool inner, livelock;
  struct condition condition;
};

struct insertion {
  unf_purity *purity;
  const struct loop *loop;
  struct logic *logic;
  uint8_t *iterated; /* by block: an inner loop can have been iterated before it */
  VECTOR(struct stop) stops;
};

/* The position after which a register has its value; NOWHERE if it gets it outside of the loop. */
static struct position value_at(const struct insertion *in, unf_register variable) {
  const struct variable *v = &in->purity->flow->variables.data[variable];
  if (v->definition == DEFINED_OUTSIDE || !in->loop->inside[v->block]) return NOWHERE;
  return (struct position){v->block, v->definition == DEFINED_BY_STATEMENT ? v->index + 1 : 0};
}

struct latest {
  const struct insertion *in;
  struct position at;
};

static void later(struct latest *l, struct position at) {
  const uint32_t *order = l->in->purity->graph.order;
  if (at.block == UNF_BLOCK_NONE) return;
  if (order[at.block] > order[l->at.block] ||
      (at.block == l->at.block && at.statement > l->at.statement))
    l->at = at;
}

static void later_register(void *user, unf_register variable) {
  struct latest *l = user;
  later(l, value_at(l->in, variable));
}

static struct position position_of(const struct insertion *in, const struct condition *c,
                                   uint32_t disjunct) {
  const unf_flow *flow = in->purity->flow;
  const struct atom *atoms = atoms_of(in->logic, c, disjunct);
  struct latest l = {in, {in->loop->is.header, 0}};
  struct position barrier = c->disjuncts[disjunct].barrier;
  if (barrier.block != UNF_BLOCK_NONE) barrier.statement++;
  later(&l, barrier);
  for (uint32_t i = 0; i < c->disjuncts[disjunct].count; i++) {
    unfi_term_visit(flow, atoms[i].left, later_register, &l);
    unfi_term_visit(flow, atoms[i].right, later_register, &l);
  }
  return l.at;
}

/* Marks the blocks that can be reached in an iteration after an iteration of an inner loop. */
static void mark_iterated(struct insertion *in, uint32_t *stack) {
  const struct graph *g = &in->purity->graph;
  uint32_t depth = 0;
  for (uint32_t i = 0; i < g->reached; i++) {
    unf_block to = g->sequence[i];
    for (uint32_t j = g->first[to]; j < g->first[to + 1]; j++)
      if (to != in->loop->is.header && in->loop->inside[to] && in->loop->inside[g->from[j]] &&
          !in->iterated[to] && goes_back(g, g->from[j], to)) {
        in->iterated[to] = 1;
        stack[depth++] = to;
      }
  }
  while (depth > 0) {
    const struct block *block = &in->purity->flow->blocks.data[stack[--depth]];
    for (uint32_t i = 0; i < block->edges.count; i++) {
      unf_block to = block->edges.data[i].to;
      if (to == in->loop->is.header || !in->loop->inside[to] || in->iterated[to]) continue;
      in->iterated[to] = 1;
      stack[depth++] = to;
    }
  }
}

/* The constant that a term is equal to by one of the atoms; else the term. */
static unf_term known_value(const struct insertion *in, const struct atom *atoms, uint32_t count,
                            unf_term term) {
  for (uint32_t i = 0; i < count; i++)
    if (atoms[i].left == term && atoms[i].mask == EQUAL &&
        is_constant(in->logic->flow, atoms[i].right))
      return atoms[i].right;
  return term;
}

/* one = the disjunct, without what the facts imply. A comparison of two terms becomes a comparison
 * with a constant if the facts give the value of one of them. */
static void without_facts(struct insertion *in, const struct condition *c, uint32_t disjunct,
                          const struct condition *facts, struct condition *one) {
  const struct atom *atoms = atoms_of(in->logic, c, disjunct);
  const struct atom *known = facts->atoms;
  uint32_t count = c->disjuncts[disjunct].count;
  unfi_condition_set(one, true);
  for (uint32_t i = 0; i < count && !in->logic->refused; i++) {
    struct atom atom = atoms[i];
    bool implied = false;
    if (!is_constant(in->logic->flow, atom.right)) {
      atom.left = known_value(in, known, facts->disjuncts[0].count, atom.left);
      atom.right = known_value(in, known, facts->disjuncts[0].count, atom.right);
      atom.left = known_value(in, atoms, count, atom.left);
      atom.right = known_value(in, atoms, count, atom.right);
    }
    for (uint32_t j = 0; j < facts->disjuncts[0].count && !implied; j++) {
      uint32_t fact, asked;
      implied = unfi_atoms_related(in->logic, &known[j], &atoms[i], &fact, &asked) &&
                (fact & ~asked) == 0;
    }
    if (!implied) unfi_condition_and_atom(in->logic, one, atom);
  }
}

struct depends {
  const struct insertion *in;
  unf_register result;
  bool on_result, on_others;
};

static void depend(void *user, unf_register variable) {
  struct depends *d = user;
  struct position at = value_at(d->in, variable);
  if (variable == d->result)
    d->on_result = true;
  else if (at.block != UNF_BLOCK_NONE && (at.block != d->in->loop->is.header || at.statement > 0))
    d->on_others = true;
}

static struct depends depends_on(const struct insertion *in, const struct condition *c,
                                 uint32_t disjunct, unf_register result) {
  struct depends d = {in, result, false, false};
  const struct atom *atoms = atoms_of(in->logic, c, disjunct);
  for (uint32_t i = 0; i < c->disjuncts[disjunct].count; i++) {
    unfi_term_visit(in->purity->flow, atoms[i].left, depend, &d);
    unfi_term_visit(in->purity->flow, atoms[i].right, depend, &d);
  }
  return d;
}

/* The statement directly before a position, or NULL. */
static const unf_statement *before(const unf_purity *p, struct position at) {
  return at.statement == 0 ? NULL
                           : &p->flow->blocks.data[at.block].statements.data[at.statement - 1];
}

/* Whether a thread that is stopped after a statement for ever would have iterated for ever: the
 * disjunct and the location depend only on what the loop does not change, and nothing before the
 * statement can end the loop in another way. */
static bool implies_livelock(const struct insertion *in, const struct condition *c,
                             uint32_t disjunct, struct position at, const unf_statement *s) {
  const struct disjunct *d = &c->disjuncts[disjunct];
  struct depends depends = depends_on(in, c, disjunct, s->result);
  unfi_term_visit(in->purity->flow, s->where, depend, &depends);
  if (s->kind == UNF_STATEMENT_TRY) {
    unfi_term_visit(in->purity->flow, s->a, depend, &depends);
    unfi_term_visit(in->purity->flow, s->b, depend, &depends);
  }
  bool own = d->barrier.block == at.block && d->barrier.statement + 1 == at.statement;
  return depends.on_result && !depends.on_others && !d->more &&
         (d->barrier.block == UNF_BLOCK_NONE || own);
}

/* The stop at a position, made if there is none; returns NULL when refused. */
static struct stop *stop_at(struct insertion *in, struct position at) {
  for (uint32_t i = 0; i < in->stops.count; i++)
    if (in->stops.data[i].at.block == at.block && in->stops.data[i].at.statement == at.statement)
      return &in->stops.data[i];
  struct stop fresh = {at, in->iterated[at.block] != 0, in->iterated[at.block] == 0,
                       unfi_condition_new(in->logic)};
  unf_context *context = in->purity->flow->context;
  if (in->logic->refused || !vector_reserve(context, &in->stops, in->stops.count + 1u)) {
    unfi_condition_free(in->logic, &fresh.condition);
    in->logic->refused = true;
    return NULL;
  }
  vector_push(&in->stops, fresh);
  return &in->stops.data[in->stops.count - 1];
}

static void add_disjunct(struct insertion *in, const struct condition *c, uint32_t disjunct) {
  struct position at = position_of(in, c, disjunct);
  const unf_statement *s = before(in->purity, at);
  struct condition facts = unfi_condition_new(in->logic), one = unfi_condition_new(in->logic);
  if (!in->logic->refused) unfi_facts_find(in->purity, in->logic, at.block, &facts);
  if (!in->logic->refused) without_facts(in, c, disjunct, &facts, &one);
  struct stop *stop = in->logic->refused ? NULL : stop_at(in, at);
  if (stop != NULL) {
    unfi_condition_or(in->logic, &one, &stop->condition);
    stop->livelock &= s != NULL && implies_livelock(in, c, disjunct, at, s);
  }
  unfi_condition_free(in->logic, &facts);
  unfi_condition_free(in->logic, &one);
}

/* The only atom of a condition; NULL if it has more, or none. */
static const struct atom *only_atom(const struct condition *c) {
  return c->count == 1 && c->disjuncts[0].count == 1 ? c->atoms : NULL;
}

/* Whether the result of a try-operation is tested for failure and for nothing else. */
static bool tests_failure(const unf_flow *flow, const struct atom *atom) {
  if (atom == NULL || term_at(flow, atom->left)->op != UNF_OPERATOR_REGISTER ||
      !is_constant(flow, atom->right))
    return false;
  int64_t value = term_at(flow, atom->right)->value;
  bool of_0 = (atom->mask & (0 < value ? LESS : value == 0 ? EQUAL : GREATER)) != 0;
  bool of_1 = (atom->mask & (1 < value ? LESS : value == 1 ? EQUAL : GREATER)) != 0;
  return of_0 && !of_1;
}

/* Fills in what an await would wait for. */
static void describe_await(struct insertion *in, const struct stop *stop, const unf_statement *s,
                           unf_insertion *out) {
  struct logic *logic = in->logic;
  const struct atom *atom = only_atom(&stop->condition);
  out->await = true;
  out->livelock = stop->livelock;
  out->operand = UNF_TERM_NONE;
  if (s->kind == UNF_STATEMENT_TRY) {
    out->await = tests_failure(logic->flow, atom);
    out->livelock = out->livelock && out->await;
    if (!out->await) return;
    out->relation = UNF_OPERATOR_EQ;
    out->operand = unfi_term_constant(logic->flow, 1);
    logic->refused |= out->operand == UNF_TERM_NONE;
    return;
  }
  if (atom == NULL) return;
  unf_term result = unfi_term_register(logic->flow, s->result);
  logic->refused |= result == UNF_TERM_NONE;
  if (logic->refused || (atom->left != result && atom->right != result)) return;
  bool left = atom->left == result;
  struct condition other = stop->condition;
  struct atom side = {left ? atom->right : logic->zero, left ? logic->zero : atom->left, EQUAL};
  other.atoms = &side;
  if (depends_on(in, &other, 0, s->result).on_result) return;
  uint32_t mask = atom->mask ^ ALWAYS;
  if (!left)
    mask =
        (mask & EQUAL) | ((mask & LESS) != 0 ? GREATER : 0u) | ((mask & GREATER) != 0 ? LESS : 0u);
  out->relation = unfi_mask_operator(mask);
  out->operand = left ? atom->right : atom->left;
}

static bool can_wait(const struct insertion *in, const struct stop *stop, const unf_statement *s) {
  if (s == NULL || stop->inner || (s->flags & UNF_STATEMENT_PLAIN) != 0) return false;
  if (s->kind != UNF_STATEMENT_LOAD && s->kind != UNF_STATEMENT_EXCHANGE &&
      s->kind != UNF_STATEMENT_CAS && s->kind != UNF_STATEMENT_TRY)
    return false;
  for (uint32_t i = 0; i < stop->condition.count; i++)
    if (!depends_on(in, &stop->condition, i, s->result).on_result) return false;
  return true;
}

static void report(struct insertion *in, uint32_t number, const struct stop *stop) {
  unf_purity *p = in->purity;
  const unf_statement *s = before(p, stop->at);
  unf_insertion out = {.loop = number,
                       .block = stop->at.block,
                       .before = stop->at.statement,
                       .condition = unfi_condition_term(in->logic, &stop->condition),
                       .inner = stop->inner,
                       .relation = UNF_OPERATOR_EQ};
  if (!in->logic->refused && can_wait(in, stop, s)) describe_await(in, stop, s, &out);
  if (in->logic->refused) return;
  if (vector_reserve(p->flow->context, &p->insertions, (uint64_t)p->insertions.count + 1))
    vector_push(&p->insertions, out);
  else
    in->logic->refused = true;
}

void unfi_loop_insertions(unf_purity *purity, uint32_t loop, struct logic *logic,
                          const struct condition *c) {
  unf_context *context = purity->flow->context;
  uint32_t blocks = purity->graph.blocks;
  struct insertion in = {.purity = purity, .loop = &purity->loops.data[loop], .logic = logic};
  uint32_t *stack = unfi_take(context, blocks, sizeof *stack);
  in.iterated = unfi_take(context, blocks, 1);
  logic->refused |= stack == NULL || in.iterated == NULL;
  if (!logic->refused) mark_iterated(&in, stack);
  for (uint32_t i = 0; i < c->count && !logic->refused; i++)
    add_disjunct(&in, c, i);
  for (uint32_t i = 0; i < in.stops.count && !logic->refused; i++)
    report(&in, loop, &in.stops.data[i]);
  for (uint32_t i = 0; i < in.stops.count; i++)
    unfi_condition_free(logic, &in.stops.data[i].condition);
  vector_free(context, &in.stops);
  if (stack != NULL) unfi_reallocate(context, stack, ((size_t)blocks + 1) * sizeof *stack, 0);
  if (in.iterated != NULL) unfi_reallocate(context, in.iterated, (size_t)blocks + 1, 0);
}

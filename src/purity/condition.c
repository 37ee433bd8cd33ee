/*
 * Disjunctions of conjunctions of atoms. Only simplifications that keep the meaning are made: of
 * two atoms the one that is implied goes, of two disjuncts the one that implies the other, and
 * (a ∧ p) ∨ (a ∧ q) becomes a ∧ (p ∨ q) when p and q compare the same terms and both disjuncts have
 * the same barrier. What exceeds a bound is false: a disjunct that is too long, or the whole
 * condition. That is sound, as a condition may be replaced by any that implies it.
 */
#include "purity/condition.h"

#include <string.h>

#include "purity/logic.h"
#include "purity/term.h"

struct condition unfi_condition_new(struct logic *logic) {
  struct condition c = {NULL, NULL, 0, logic->disjuncts};
  unf_context *context = logic->flow->context;
  size_t atoms = (size_t)c.capacity * logic->conjuncts;
  c.disjuncts = unfi_reallocate(context, NULL, 0, c.capacity * sizeof *c.disjuncts);
  if (c.disjuncts != NULL) c.atoms = unfi_reallocate(context, NULL, 0, atoms * sizeof *c.atoms);
  if (c.atoms == NULL) {
    logic->refused = true;
    c.disjuncts = unfi_reallocate(context, c.disjuncts,
                                  c.disjuncts == NULL ? 0 : c.capacity * sizeof *c.disjuncts, 0);
    c.capacity = 0;
  }
  return c;
}

void unfi_condition_free(struct logic *logic, struct condition *c) {
  unf_context *context = logic->flow->context;
  size_t atoms = (size_t)c->capacity * logic->conjuncts;
  unfi_reallocate(context, c->disjuncts, c->capacity * sizeof *c->disjuncts, 0);
  unfi_reallocate(context, c->atoms, atoms * sizeof *c->atoms, 0);
  *c = (struct condition){0};
}

void unfi_condition_set(struct condition *c, bool value) {
  c->count = value && c->capacity > 0;
  if (c->count > 0) c->disjuncts[0] = (struct disjunct){NOWHERE, false, 0};
}

static void assign(struct logic *logic, const struct condition *from, struct condition *to) {
  to->count = from->count < to->capacity ? from->count : to->capacity;
  for (uint32_t i = 0; i < to->count; i++) {
    to->disjuncts[i] = from->disjuncts[i];
    memcpy(atoms_of(logic, to, i), atoms_of(logic, from, i),
           from->disjuncts[i].count * sizeof *to->atoms);
  }
}

struct condition unfi_condition_copy(struct logic *logic, const struct condition *c) {
  struct logic narrow = *logic;
  narrow.disjuncts = c->count;
  if (c->count == 0) return (struct condition){0};
  struct condition copy = unfi_condition_new(&narrow);
  logic->refused |= narrow.refused;
  assign(logic, c, &copy);
  return copy;
}

static void remove_atom(struct atom *atoms, uint32_t *count, uint32_t at) {
  memmove(atoms + at, atoms + at + 1, (*count - at - 1) * sizeof *atoms);
  --*count;
}

enum fit { FITS, CONTRADICTION, TOO_LONG };

/* Adds an atom in normal form to a conjunction with room for `room` atoms. */
static enum fit add_atom(const struct logic *logic, struct atom *atoms, uint32_t *count,
                         uint32_t room, struct atom atom) {
  for (uint32_t i = 0; i < *count;) {
    uint32_t old, new;
    if (!unfi_atoms_related(logic, &atoms[i], &atom, &old, &new)) {
      i++;
      continue;
    }
    if ((old & new) == 0) return CONTRADICTION;
    if ((old & ~new) == 0) return FITS;
    bool narrower = atoms[i].right == atom.right;
    if (!narrower && (new & ~old) != 0) {
      i++;
      continue;
    }
    if (narrower) atom.mask &= atoms[i].mask;
    remove_atom(atoms, count, i);
    i = narrower ? 0 : i;
  }
  if (*count == room) return TOO_LONG;
  uint32_t at = *count;
  for (; at > 0 && (atoms[at - 1].left > atom.left ||
                    (atoms[at - 1].left == atom.left && atoms[at - 1].right > atom.right));
       at--)
    atoms[at] = atoms[at - 1];
  atoms[at] = atom;
  ++*count;
  return FITS;
}

static bool atom_implied(const struct logic *logic, const struct atom *atoms, uint32_t count,
                         const struct atom *atom) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t one, other;
    if (unfi_atoms_related(logic, &atoms[i], atom, &one, &other) && (one & ~other) == 0)
      return true;
  }
  return false;
}

static bool implies(const struct logic *logic, const struct atom *a, uint32_t a_count,
                    const struct atom *b, uint32_t b_count) {
  for (uint32_t i = 0; i < b_count; i++)
    if (!atom_implied(logic, a, a_count, &b[i])) return false;
  return true;
}

static bool same_place(struct position a, struct position b) {
  return a.block == b.block && (a.block == UNF_BLOCK_NONE || a.statement == b.statement);
}

/* Joins the first conjunction into the second, if they differ in one mask only. */
static bool merge(const struct atom *a, uint32_t a_count, struct atom *b, uint32_t *b_count) {
  uint32_t differing = UINT32_MAX;
  if (a_count != *b_count) return false;
  for (uint32_t i = 0; i < a_count; i++) {
    if (a[i].left != b[i].left || a[i].right != b[i].right) return false;
    if (a[i].mask == b[i].mask) continue;
    if (differing != UINT32_MAX) return false;
    differing = i;
  }
  if (differing == UINT32_MAX) return false;
  b[differing].mask |= a[differing].mask;
  if (b[differing].mask == ALWAYS) remove_atom(b, b_count, differing);
  return true;
}

static void remove_disjunct(struct logic *logic, struct condition *c, uint32_t at) {
  c->count--;
  if (at == c->count) return;
  c->disjuncts[at] = c->disjuncts[c->count];
  memcpy(atoms_of(logic, c, at), atoms_of(logic, c, c->count),
         c->disjuncts[at].count * sizeof *c->atoms);
}

/* Adds a disjunct, whose array of atoms is overwritten; returns false if there are too many. */
static bool add_disjunct(struct logic *logic, struct condition *c, struct disjunct d,
                         struct atom *atoms) {
  for (uint32_t i = 0; i < c->count;) {
    struct disjunct *e = &c->disjuncts[i];
    struct atom *theirs = atoms_of(logic, c, i);
    if (implies(logic, atoms, d.count, theirs, e->count)) return true;
    bool gone = implies(logic, theirs, e->count, atoms, d.count);
    bool merged =
        !gone && same_place(d.barrier, e->barrier) && merge(theirs, e->count, atoms, &d.count);
    d.more |= merged && e->more;
    if (gone || merged) remove_disjunct(logic, c, i);
    i = merged ? 0 : gone ? i : i + 1;
  }
  if (c->count == c->capacity) return false;
  c->disjuncts[c->count] = d;
  memcpy(atoms_of(logic, c, c->count), atoms, d.count * sizeof *atoms);
  c->count++;
  return true;
}

/* Adds a disjunct; if there are too many, the condition becomes false. */
static bool put(struct logic *logic, struct condition *c, struct disjunct d, struct atom *atoms) {
  if (logic->refused || add_disjunct(logic, c, d, atoms)) return true;
  logic->too_many = true;
  c->count = 0;
  return false;
}

/* Room for the atoms of one disjunct. */
static struct atom *scratch(struct logic *logic) {
  struct atom *atoms =
      unfi_reallocate(logic->flow->context, NULL, 0, logic->conjuncts * sizeof *atoms);
  logic->refused |= atoms == NULL;
  return atoms;
}

static void drop_scratch(struct logic *logic, struct atom *atoms) {
  if (atoms != NULL)
    unfi_reallocate(logic->flow->context, atoms, logic->conjuncts * sizeof *atoms, 0);
}

void unfi_condition_or(struct logic *logic, const struct condition *a, struct condition *out) {
  struct atom *atoms = scratch(logic);
  for (uint32_t i = 0; i < a->count && !logic->refused; i++) {
    memcpy(atoms, atoms_of(logic, a, i), a->disjuncts[i].count * sizeof *atoms);
    if (!put(logic, out, a->disjuncts[i], atoms)) break;
  }
  drop_scratch(logic, atoms);
}

/* out = a ∧ b, of which b has no barriers. */
static void both(struct logic *logic, const struct condition *a, const struct condition *b,
                 struct condition *out) {
  struct atom *atoms = scratch(logic);
  bool fits = true;
  out->count = 0;
  for (uint32_t i = 0; i < a->count && fits; i++)
    for (uint32_t j = 0; j < b->count && fits && !logic->refused; j++) {
      struct disjunct d = a->disjuncts[i];
      const struct atom *more = atoms_of(logic, b, j);
      enum fit outcome = FITS;
      memcpy(atoms, atoms_of(logic, a, i), d.count * sizeof *atoms);
      for (uint32_t k = 0; k < b->disjuncts[j].count && outcome == FITS; k++)
        outcome = add_atom(logic, atoms, &d.count, logic->conjuncts, more[k]);
      logic->too_long |= outcome == TOO_LONG;
      if (outcome == FITS) fits = put(logic, out, d, atoms);
    }
  drop_scratch(logic, atoms);
}

static void term_condition(struct logic *logic, unf_term term, bool positive,
                           struct condition *out);

/* out = the atom, in its normal form. */
static void atom_condition(struct logic *logic, struct atom atom, enum form form,
                           struct condition *out) {
  unfi_condition_set(out, form == FORM_TRUE);
  if (form == FORM_TERM) term_condition(logic, atom.left, atom.mask == EQUAL, out);
  if (form != FORM_ATOM || logic->refused) return;
  out->disjuncts[0] = (struct disjunct){NOWHERE, false, 1};
  out->atoms[0] = atom;
  out->count = 1;
}

static void term_condition(struct logic *logic, unf_term term, bool positive,
                           struct condition *out) {
  struct atom atom;
  unf_term operands[2];
  enum form form = unfi_term_form(logic, term, &positive, &atom, operands);
  if (form != FORM_AND && form != FORM_OR) {
    atom_condition(logic, atom, form, out);
    return;
  }
  struct condition left = unfi_condition_new(logic), right = unfi_condition_new(logic);
  if (!logic->refused) term_condition(logic, operands[0], positive, &left);
  if (!logic->refused) term_condition(logic, operands[1], positive, &right);
  if (!logic->refused && form == FORM_AND) {
    both(logic, &left, &right, out);
  } else if (!logic->refused) {
    out->count = 0;
    unfi_condition_or(logic, &left, out);
    unfi_condition_or(logic, &right, out);
  }
  unfi_condition_free(logic, &left);
  unfi_condition_free(logic, &right);
}

static void and_condition(struct logic *logic, struct condition *c, const struct condition *more) {
  struct condition out = unfi_condition_new(logic);
  if (!logic->refused) both(logic, c, more, &out);
  if (!logic->refused) assign(logic, &out, c);
  unfi_condition_free(logic, &out);
}

void unfi_condition_and_term(struct logic *logic, struct condition *c, unf_term term,
                             bool positive) {
  struct condition more = unfi_condition_new(logic);
  if (!logic->refused) term_condition(logic, term, positive, &more);
  if (!logic->refused) and_condition(logic, c, &more);
  unfi_condition_free(logic, &more);
}

void unfi_condition_and_atom(struct logic *logic, struct condition *c, struct atom atom) {
  struct condition more = unfi_condition_new(logic);
  enum form form = unfi_atom_form(logic, &atom);
  if (!logic->refused) atom_condition(logic, atom, form, &more);
  if (!logic->refused) and_condition(logic, c, &more);
  unfi_condition_free(logic, &more);
}

/* The term after substitution; returns UNF_TERM_NONE when refused, or if it is
 * too large (*large). */
static unf_term substituted(struct logic *logic, unf_term term, bool *large) {
  const struct term t = *term_at(logic->flow, term);
  if (t.op == UNF_OPERATOR_CONSTANT) return term;
  if (t.op == UNF_OPERATOR_REGISTER)
    return logic->map[t.left] != UNF_TERM_NONE ? logic->map[t.left] : term;
  unf_term left = substituted(logic, t.left, large);
  unf_term right = left == UNF_TERM_NONE ? left : substituted(logic, t.right, large);
  if (right == UNF_TERM_NONE || (left == t.left && right == t.right))
    return right == UNF_TERM_NONE ? right : term;
  if (1u + term_at(logic->flow, left)->nodes + term_at(logic->flow, right)->nodes >
      UNF_TERM_NODES_MAX) {
    *large = true;
    return UNF_TERM_NONE;
  }
  unf_term made = unfi_term_make(logic->flow, (unf_operator)t.op, left, right);
  logic->refused |= made == UNF_TERM_NONE;
  return made;
}

/* Substitutes in one disjunct; returns false if its terms would become too large. */
static bool substitute_one(struct logic *logic, const struct disjunct *d, const struct atom *atoms,
                           struct condition *out) {
  bool large = false;
  unfi_condition_set(out, true);
  out->disjuncts[0].barrier = d->barrier;
  out->disjuncts[0].more = d->more;
  for (uint32_t i = 0; i < d->count && out->count > 0; i++) {
    struct atom atom = atoms[i];
    atom.left = substituted(logic, atom.left, &large);
    if (!large && !logic->refused) atom.right = substituted(logic, atom.right, &large);
    if (large || logic->refused) return false;
    unfi_condition_and_atom(logic, out, atom);
    if (logic->refused) return false;
  }
  return true;
}

void unfi_condition_substitute(struct logic *logic, struct condition *c) {
  struct condition out = unfi_condition_new(logic), one = unfi_condition_new(logic);
  for (uint32_t i = 0; i < c->count && !logic->refused; i++) {
    struct atom *atoms = atoms_of(logic, c, i);
    if (substitute_one(logic, &c->disjuncts[i], atoms, &one)) {
      unfi_condition_or(logic, &one, &out);
    } else if (!logic->refused) {
      put(logic, &out, c->disjuncts[i], atoms);
    }
    if (logic->too_many) out.count = 0;
  }
  if (!logic->refused) assign(logic, &out, c);
  unfi_condition_free(logic, &out);
  unfi_condition_free(logic, &one);
}

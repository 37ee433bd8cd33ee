/*
 * fuzz SEED COUNT: random calls of the interface with arguments right and wrong, in any order. No
 * call may crash, a refused one must say so, what was found must lie within the description, and
 * the same calls must give the same listing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

struct world {
  unf_flow *flow;
  unf_purity *purity[4];
  uint32_t purities, blocks, registers, statements[64];
  uint64_t seed, hash;
  uint64_t made, refused, analysed, insertions;
  unf_term terms[64];
  uint32_t term_count;
  const char *wrong;
};

/* A handle that is most often one of `count`. */
static uint32_t handle(struct world *w, uint32_t count) {
  if (draw(&w->seed, 24) == 0)
    return draw(&w->seed, 2) == 0 ? UINT32_MAX : count + draw(&w->seed, 3);
  return count == 0 ? 0 : draw(&w->seed, count);
}

static unf_term term(struct world *w) {
  if (w->term_count == 0 || draw(&w->seed, 12) == 0) return handle(w, 40);
  return w->terms[draw(&w->seed, w->term_count)];
}

static bool sum(void *user, const char *text, size_t size) {
  struct world *w = user;
  for (size_t i = 0; i < size; i++)
    w->hash = (w->hash ^ (unsigned char)text[i]) * 0x100000001B3u;
  return draw(&w->seed, 400) != 0;
}

static void note(struct world *w, unf_status status) {
  w->made += status == UNF_OK;
  w->refused += status != UNF_OK;
  if (status != UNF_OK && status != UNF_INVALID && status != UNF_WRITE && status != UNF_LIMIT)
    w->wrong = "another status";
}

static void make_term(struct world *w) {
  static const int64_t values[] = {0, 1, 2, -1, INT64_MAX, INT64_MIN, 7};
  unf_term made = UNF_TERM_NONE;
  unf_status status;
  switch (draw(&w->seed, 4)) {
  case 0:
    status = unf_term_constant(w->flow, values[draw(&w->seed, 7)], &made);
    break;
  case 1:
    status = unf_term_register(w->flow, handle(w, w->registers), &made);
    break;
  default:
    status = unf_term_apply(w->flow, (unf_operator)draw(&w->seed, UNF_OPERATOR_REGISTER + 2),
                            term(w), term(w), &made);
  }
  note(w, status);
  if (status != UNF_OK) return;
  w->terms[w->term_count < 64 ? w->term_count++ : draw(&w->seed, 64)] = made;
}

static void make_statement(struct world *w) {
  unf_statement s = UNF_STATEMENT_INIT(
      (unf_statement_kind)draw(&w->seed, UNF_STATEMENT_KIND_COUNT + (draw(&w->seed, 20) == 0)));
  uint32_t block = handle(w, w->blocks);
  if (draw(&w->seed, 3) > 0) s.result = handle(w, w->registers);
  if (draw(&w->seed, 3) > 0) s.a = term(w);
  if (draw(&w->seed, 3) == 0) s.b = term(w);
  if (draw(&w->seed, 6) == 0) s.where = term(w);
  s.flags = draw(&w->seed, 4) == 0 ? draw(&w->seed, 5) : 0;
  s.place = draw(&w->seed, 3);
  unf_status status = unf_flow_statement(w->flow, block, &s);
  note(w, status);
  if (status == UNF_OK) w->statements[block]++;
}

/* The results of an analysis must lie within what was described before it. */
static void look(struct world *w, const unf_purity *p) {
  unf_loop loop;
  unf_insertion in;
  unf_remark remark;
  uint32_t insertions = 0, remarks = 0;
  for (uint32_t i = 0; i < unf_purity_loops(p); i++) {
    if (unf_purity_loop(p, i, &loop) != UNF_OK || loop.header >= w->blocks || loop.depth == 0 ||
        (loop.parent != UINT32_MAX && loop.parent >= i) || !unf_purity_contains(p, i, loop.header))
      w->wrong = "a loop that cannot be";
    insertions += loop.insertions;
    remarks += loop.remarks;
  }
  if (insertions != unf_purity_insertions(p) || remarks != unf_purity_remarks(p))
    w->wrong = "numbers that do not add up";
  for (uint32_t i = 0; i < insertions; i++) {
    char text[40];
    if (unf_purity_insertion(p, i, &in) != UNF_OK || !unf_purity_contains(p, in.loop, in.block) ||
        in.before > w->statements[in.block] || (in.await && (in.inner || in.before == 0)) ||
        unf_term_text(w->flow, in.condition, text, sizeof text) == 0)
      w->wrong = "an insertion that cannot be";
  }
  for (uint32_t i = 0; i < remarks; i++)
    if (unf_purity_remark(p, i, &remark) != UNF_OK || remark.block >= w->blocks ||
        (remark.statement != UINT32_MAX && remark.statement >= w->statements[remark.block]))
      w->wrong = "a remark that cannot be";
  w->insertions += insertions;
}

static void analyse(struct world *w) {
  unf_purity_options options = UNF_PURITY_OPTIONS_INIT;
  options.disjuncts = draw(&w->seed, 8);
  options.conjuncts = draw(&w->seed, 8) == 0 ? 70 : 1 + draw(&w->seed, 20);
  if (w->purities == 4) return;
  unf_purity **out = &w->purity[w->purities];
  unf_status status = unf_purity_new(w->flow, draw(&w->seed, 2) == 0 ? NULL : &options, out);
  note(w, status);
  if (status != UNF_OK) return;
  w->purities++;
  w->analysed++;
  look(w, *out);
  note(w, unf_purity_write(*out, sum, w));
}

static void call(struct world *w) {
  uint32_t made;
  unf_status status;
  switch (draw(&w->seed, 12)) {
  case 0:
    if (w->blocks == 64) return;
    status = unf_flow_block(w->flow, draw(&w->seed, 2) == 0 ? NULL : "name", &made);
    w->blocks += status == UNF_OK;
    break;
  case 1:
    status = unf_flow_register(w->flow, draw(&w->seed, 2) == 0 ? NULL : "name", &made);
    w->registers += status == UNF_OK;
    break;
  case 2:
  case 3:
    status = unf_flow_edge(w->flow, handle(w, w->blocks), handle(w, w->blocks),
                           draw(&w->seed, 4) == 0 ? UNF_TERM_NONE : term(w));
    break;
  case 4:
    status = unf_flow_phi(w->flow, handle(w, w->blocks), handle(w, w->registers));
    break;
  case 5:
    status = unf_flow_phi_operand(w->flow, handle(w, w->registers), handle(w, w->blocks), term(w));
    break;
  case 6:
  case 7:
    make_statement(w);
    return;
  case 8:
    if (draw(&w->seed, 4) == 0) analyse(w);
    return;
  default:
    make_term(w);
    return;
  }
  note(w, status);
}

static const char *run(uint64_t seed, struct world *total, uint64_t *hash) {
  struct world w = {.seed = seed, .hash = 1};
  unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
  unf_context *context;
  if (draw(&w.seed, 3) == 0) options.limits.bytes = 1000 + draw(&w.seed, 60000);
  if (unf_context_new(&options, &context) != UNF_OK) return "no context";
  if (unf_flow_new(context, &w.flow) == UNF_OK) {
    for (uint32_t n = 20 + draw(&w.seed, 300); n > 0 && w.wrong == NULL; n--)
      call(&w);
    analyse(&w);
    for (uint32_t i = 0; i < w.purities; i++)
      unf_purity_free(w.purity[i]);
    unf_flow_free(w.flow);
  }
  unf_context_free(context);
  total->made += w.made;
  total->refused += w.refused;
  total->analysed += w.analysed;
  total->insertions += w.insertions;
  *hash = w.hash;
  return w.wrong;
}

int main(int argc, char **argv) {
  uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 2000;
  struct world total = {0};
  for (uint64_t i = 0; i < count; i++) {
    uint64_t once, again;
    const char *wrong = run(seed + i, &total, &once);
    if (wrong == NULL && run(seed + i, &total, &again) == NULL && once == again) continue;
    printf("seed %llu: %s\n", (unsigned long long)(seed + i),
           wrong != NULL ? wrong : "another listing for the same calls");
    return 1;
  }
  printf("%llu calls made, %llu refused, %llu analyses, %llu insertions\n",
         (unsigned long long)total.made, (unsigned long long)total.refused,
         (unsigned long long)total.analysed, (unsigned long long)total.insertions);
  return total.analysed > count / 4 && total.insertions > count / 4 ? 0 : 1;
}

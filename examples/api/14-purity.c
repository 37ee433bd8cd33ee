/*
 * 14. Loop purity.
 *
 * A spin lock, while (exchange(lock, 1) == 1) ; counter = counter + 1: which iterations do nothing,
 * where the thread can be stopped in them, and what it can wait for instead. unf_purity_write()
 * lists it as text.
 */
#include "api.h"

static unf_term compare(unf_flow *flow, unf_register left, unf_operator op, int64_t right) {
  unf_term a, b, term;
  MUST(unf_term_register(flow, left, &a));
  MUST(unf_term_constant(flow, right, &b));
  MUST(unf_term_apply(flow, op, a, b, &term));
  return term;
}

/* The value that was found in the lock. */
static int64_t found(void *user, unf_register variable) {
  (void)variable;
  return *(const int64_t *)user;
}

static void show(const unf_flow *flow, const unf_insertion *in) {
  char condition[64], operand[64];
  unf_term_text(flow, in->condition, condition, sizeof condition);
  printf("stopped in block %u before statement %u if %s\n", in->block, in->before, condition);
  for (int64_t value = 0; value < 2; value++) {
    int64_t stopped;
    MUST(unf_term_evaluate(flow, in->condition, found, &value, &stopped));
    printf("  found %d: %s\n", (int)value, stopped != 0 ? "stopped" : "goes on");
  }
  if (!in->await || in->operand == UNF_TERM_NONE) return;
  unf_term_text(flow, in->operand, operand, sizeof operand);
  printf("or the exchange waits until what it finds is %s %s%s\n",
         in->relation == UNF_OPERATOR_NE ? "not" : "in another relation to", operand,
         in->livelock ? "; if it does so for ever, the loop would have turned for ever" : "");
}

int main(void) {
  unf_context *context;
  unf_flow *flow;
  unf_purity *purity;
  unf_block start, spin, locked;
  unf_statement take = UNF_STATEMENT_INIT(UNF_STATEMENT_EXCHANGE);
  unf_statement count = UNF_STATEMENT_INIT(UNF_STATEMENT_STORE);
  MUST(unf_context_new(NULL, &context));
  MUST(unf_flow_new(context, &flow));
  MUST(unf_flow_block(flow, NULL, &start));
  MUST(unf_flow_block(flow, NULL, &spin));
  MUST(unf_flow_block(flow, NULL, &locked));
  MUST(unf_flow_register(flow, "old", &take.result));
  MUST(unf_term_constant(flow, 1, &take.a));
  MUST(unf_flow_statement(flow, spin, &take));
  MUST(unf_flow_statement(flow, locked, &count));
  MUST(unf_flow_edge(flow, start, spin, UNF_TERM_NONE));
  MUST(unf_flow_edge(flow, spin, spin, compare(flow, take.result, UNF_OPERATOR_EQ, 1)));
  MUST(unf_flow_edge(flow, spin, locked, UNF_TERM_NONE));

  MUST(unf_purity_new(flow, NULL, &purity));
  for (uint32_t i = 0; i < unf_purity_insertions(purity); i++) {
    unf_insertion insertion;
    MUST(unf_purity_insertion(purity, i, &insertion));
    show(flow, &insertion);
  }
  unf_purity_free(purity);
  unf_flow_free(flow);
  unf_context_free(context);
  return 0;
}

/* The results of an analysis as text: for each loop what was found, and why not more. */
#include <string.h>

#include "base/null.h"
#include "base/text.h"
#include "purity/purity.h"

struct sink {
  const unf_flow *flow;
  unf_write write;
  void *user;
  unf_status status;
};

static void put(struct sink *s, const char *string) {
  if (s->status == UNF_OK && !s->write(s->user, string, strlen(string)))
    s->status = unfi_fail(s->flow->context, UNF_WRITE, NULL);
}

static void put_number(struct sink *s, uint64_t value) {
  char buffer[24];
  struct text text = unfi_text(buffer, sizeof buffer);
  unfi_text_u64(&text, value);
  put(s, buffer);
}

/* Writes what a function with the conventions of snprintf() returns as text. */
static void put_long(struct sink *s, size_t (*name)(const unf_flow *, uint32_t, char *, size_t),
                     uint32_t what) {
  char few[128], *buffer = few;
  size_t length = name(s->flow, what, few, sizeof few);
  if (length >= sizeof few) {
    buffer = unfi_reallocate(s->flow->context, NULL, 0, length + 1);
    if (buffer == NULL) {
      if (s->status == UNF_OK) s->status = unfi_refused(s->flow->context);
      return;
    }
    name(s->flow, what, buffer, length + 1);
  }
  put(s, buffer);
  if (buffer != few) unfi_reallocate(s->flow->context, buffer, length + 1, 0);
}

static void put_statement(struct sink *s, unf_block block, uint32_t index) {
  const unf_statement *statement = &s->flow->blocks.data[block].statements.data[index];
  put(s, unf_statement_text(statement->kind));
  if (statement->result != UNF_REGISTER_NONE) {
    put(s, " of ");
    put_long(s, unfi_register_text, statement->result);
  }
  put(s, " (");
  put_long(s, unfi_block_text, block);
  put(s, ", statement ");
  put_number(s, index);
  if (statement->place != 0) {
    put(s, ", place ");
    put_number(s, statement->place);
  }
  put(s, ")");
}

static void put_insertion(struct sink *s, const unf_insertion *in) {
  static const char *const signs[] = {
#define SIGN(name, text) text,
      UNF_OPERATOR_TABLE(SIGN)
#undef SIGN
  };
  put(s, "  stopped ");
  if (in->before > 0) {
    put(s, "after the ");
    put_statement(s, in->block, in->before - 1);
  } else {
    put(s, "at the start of ");
    put_long(s, unfi_block_text, in->block);
  }
  put(s, " if ");
  put_long(s, unf_term_text, in->condition);
  if (in->inner) put(s, ", unless an inner loop went round");
  if (in->await) {
    put(s, "; waits there");
    if (in->operand != UNF_TERM_NONE) {
      put(s, " for ");
      put(s, signs[in->relation]);
      put(s, " ");
      put_long(s, unf_term_text, in->operand);
    }
    put(s, in->livelock ? ", for ever only in a livelock" : "");
  }
  put(s, "\n");
}

static void put_remark(struct sink *s, const unf_remark *r) {
  put(s, "  not pure: ");
  put(s, unf_impurity_text(r->why));
  put(s, ": ");
  if (r->statement != UINT32_MAX) {
    put_statement(s, r->block, r->statement);
  } else {
    if (r->variable != UNF_REGISTER_NONE) {
      put_long(s, unfi_register_text, r->variable);
      put(s, " on the way back from ");
    }
    put_long(s, unfi_block_text, r->block);
  }
  put(s, "\n");
}

static void put_loop(struct sink *s, const unf_purity *p, uint32_t number) {
  const unf_loop *loop = &p->loops.data[number].is;
  put(s, "loop ");
  put_number(s, number);
  put(s, ": header ");
  put_long(s, unfi_block_text, loop->header);
  put(s, ", blocks ");
  put_number(s, loop->blocks);
  put(s, ", depth ");
  put_number(s, loop->depth);
  if (loop->insertions > 0) {
    put(s, ", pure if ");
    put_long(s, unf_term_text, loop->condition);
  } else {
    put(s, loop->irreducible ? ", not treated" : ", never pure");
  }
  put(s, "\n");
}

unf_status unf_purity_write(const unf_purity *p, unf_write write, void *user) {
  RETURN_IF_NULL(p->flow->context, p, write);
  struct sink s = {p->flow, write, user, UNF_OK};
  uint32_t insertion = 0, remark = 0;
  if (write == NULL) return unfi_fail(p->flow->context, UNF_INVALID, "nothing to write with");
  for (uint32_t i = 0; i < p->loops.count && s.status == UNF_OK; i++) {
    put_loop(&s, p, i);
    for (; insertion < p->insertions.count && p->insertions.data[insertion].loop == i; insertion++)
      put_insertion(&s, &p->insertions.data[insertion]);
    for (; remark < p->remarks.count && p->remarks.data[remark].loop == i; remark++)
      put_remark(&s, &p->remarks.data[remark]);
  }
  return s.status;
}

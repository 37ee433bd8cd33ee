/* Every allocation of a description, its analysis and its listing is refused in turn: once, when
 * the call that failed is made again and everything ends as without failures, and from there on,
 * when the failure is called by its name. Every byte comes back in both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../oom/memory.h"
#include "program.h"

static bool sum(void *user, const char *text, size_t size) {
  uint64_t *hash = user;
  for (size_t i = 0; i < size; i++)
    *hash = (*hash ^ (unsigned char)text[i]) * 0x100000001B3u;
  return true;
}

/* The hash of the listing. */
static unf_status analyse(unf_context *context, const struct body *body, uint64_t *hash) {
  unf_flow *flow;
  unf_purity *purity = NULL;
  unf_status status = unf_flow_new(context, &flow);
  if (status == UNF_MEMORY) status = unf_flow_new(context, &flow);
  if (status != UNF_OK) return status;
  status = describe(flow, body);
  if (status == UNF_OK) {
    status = unf_purity_new(flow, NULL, &purity);
    if (status == UNF_MEMORY) status = unf_purity_new(flow, NULL, &purity);
  }
  if (status == UNF_OK) {
    *hash = 1;
    status = unf_purity_write(purity, sum, hash);
    if (status == UNF_MEMORY) {
      *hash = 1;
      status = unf_purity_write(purity, sum, hash);
    }
  }
  unf_purity_free(purity);
  unf_flow_free(flow);
  return status;
}

static unf_status run(struct memory *m, const struct body *body, uint64_t *hash) {
  unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
  unf_context *context;
  options.allocator.reallocate = reallocate;
  options.allocator.user = m;
  unf_status status = unf_context_new(&options, &context);
  if (status != UNF_OK) return status;
  status = analyse(context, body, hash);
  unf_context_free(context);
  return status;
}

static bool each_refused(const struct body *body, uint64_t *allocations) {
  struct memory whole = {0};
  uint64_t expected, hash;
  if (run(&whole, body, &expected) != UNF_OK || whole.bytes != 0) return false;
  /* The first allocation is the context. */
  for (uint64_t n = 2; n <= whole.calls; n++) {
    struct memory once = {.fail_at = n, .refuse = 1}, always = {.fail_at = n, .refuse = UINT32_MAX};
    unf_status status = run(&once, body, &hash);
    if (status != UNF_OK || hash != expected || once.bytes != 0 || once.refused != 1) {
      printf("allocation %llu refused: %s, %llu bytes left\n", (unsigned long long)n,
             unf_status_text(status), (unsigned long long)once.bytes);
      return false;
    }
    status = run(&always, body, &hash);
    if (status != UNF_MEMORY || always.bytes != 0) {
      printf("from allocation %llu on: %s, %llu bytes left\n", (unsigned long long)n,
             unf_status_text(status), (unsigned long long)always.bytes);
      return false;
    }
  }
  *allocations += whole.calls;
  return true;
}

int main(void) {
  static struct random_program p;
  uint64_t allocations = 0;
  for (uint64_t seed = 1; seed <= 25; seed++) {
    generate(&p, seed);
    if (each_refused(&p.body[0], &allocations)) continue;
    printf("seed %llu\n", (unsigned long long)seed);
    print_body(&p.body[0]);
    return 1;
  }
  printf("each of %llu allocations refused, once and from there on\n",
         (unsigned long long)allocations);
  return 0;
}

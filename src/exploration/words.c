/* Words for the choices that an exploration has, as its strategies and orders are called. */
#include <string.h>

#include "exploration/orders/order.h"
#include "exploration/strategies/strategies.h"

static const char *const cutoff_orders[UNF_CUTOFF_ORDER_COUNT] = {
    [UNF_CUTOFFS_NONE] = "none", [UNF_CUTOFFS_SIZE] = "size", [UNF_CUTOFFS_ERV] = "erv"};

const char *unf_algorithm_text(unf_algorithm algorithm) {
  return (unsigned)algorithm < UNF_ALGORITHM_COUNT ? unfi_strategies[algorithm]->name : "?";
}

const char *unf_order_text(unf_order order) {
  return (unsigned)order < UNF_ORDER_COUNT ? unfi_orders[order].name : "?";
}

const char *unf_cutoff_order_text(unf_cutoff_order order) {
  return (unsigned)order < UNF_CUTOFF_ORDER_COUNT ? cutoff_orders[order] : "?";
}

unf_status unf_algorithm_from_text(const char *text, unf_algorithm *out) {
  if (text == NULL || out == NULL) return UNF_INVALID;
  for (unsigned i = 0; i < UNF_ALGORITHM_COUNT; i++) {
    if (strcmp(text, unfi_strategies[i]->name) != 0) continue;
    *out = (unf_algorithm)i;
    return UNF_OK;
  }
  return UNF_UNKNOWN;
}

unf_status unf_order_from_text(const char *text, unf_order *out) {
  if (text == NULL || out == NULL) return UNF_INVALID;
  for (unsigned i = 0; i < UNF_ORDER_COUNT; i++) {
    if (strcmp(text, unfi_orders[i].name) != 0) continue;
    *out = (unf_order)i;
    return UNF_OK;
  }
  return UNF_UNKNOWN;
}

unf_status unf_cutoff_order_from_text(const char *text, unf_cutoff_order *out) {
  if (text == NULL || out == NULL) return UNF_INVALID;
  for (unsigned i = 0; i < UNF_CUTOFF_ORDER_COUNT; i++) {
    if (strcmp(text, cutoff_orders[i]) != 0) continue;
    *out = (unf_cutoff_order)i;
    return UNF_OK;
  }
  return UNF_UNKNOWN;
}

/* The table of effects: the rows of all families by kind, with what the public tables of kinds say
 * of their targets. */
#include "structure/effect.h"

#include <string.h>

static const enum target action_targets[] = {
#define TARGET(name, text, target) TARGET_##target,
    UNF_ACTION_TABLE(TARGET)
#undef TARGET
};

static const enum target operation_targets[] = {
#define TARGET(name, text, target) TARGET_##target,
    UNF_OPERATION_TABLE(TARGET)
#undef TARGET
};

static void enter(struct effect_table *table, const struct effect_family *family) {
  for (uint32_t i = 0; i < family->actions.count; i++) {
    struct action_row row = family->actions.rows[i];
    row.family = family;
    row.target = action_targets[row.kind];
    table->actions[row.kind] = row;
    if (!is_object(row.target)) continue;
    table->initial[row.target] = family->initial;
    table->waits[row.target] |= row.waits;
  }
  for (uint32_t i = 0; i < family->operations.count; i++) {
    struct operation_row row = family->operations.rows[i];
    row.family = family;
    row.target = operation_targets[row.kind];
    table->operations[row.kind] = row;
  }
}

uint32_t unfi_no_blockers(const unf_unfolding *u, struct cut cut, uint32_t thread,
                          const unf_operation *operation, uint32_t *out) {
  (void)u, (void)cut, (void)thread, (void)operation, (void)out;
  return 0;
}

struct effect_table *unfi_effects_new(unf_context *context,
                                      const struct effect_family *const *families, uint32_t count) {
  struct effect_table *table = unfi_reallocate(context, NULL, 0, sizeof *table);
  if (table == NULL) return NULL;
  memset(table, 0, sizeof *table);
  table->families = families;
  table->count = count;
  for (uint32_t i = 0; i < count; i++)
    enter(table, families[i]);
  return table;
}

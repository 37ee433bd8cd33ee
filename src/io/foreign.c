/* What other languages have in place of macros, inline functions and enumerations. The tables of
 * the headers give the names of most constants; the others are listed, and tests/unit/foreign.py
 * compares the list with the headers. */
#include <string.h>
#include <unfold/unfold.h>

#include "exploration/strategies/strategies.h"

extern inline unf_operation unf_operation_make(unf_operation_kind kind, uint32_t target,
                                               int64_t low, int64_t high);
extern inline unf_operation unf_operation_wait(unf_operation_kind kind, uint32_t condition,
                                               uint32_t mutex);
extern inline unf_operation unf_operation_await(unf_operation_kind kind, uint32_t location,
                                                unf_relation relation, int64_t value,
                                                int64_t desired);
extern inline unf_operation unf_operation_futex(uint32_t futex, uint32_t location, int64_t value);
extern inline unf_operation unf_operation_custom(uint32_t family, unf_object target, int64_t low,
                                                 int64_t high);

#define NUMBER(name)                                                                               \
  { "UNF_" #name, (int64_t)UNF_##name }
#define TEXT_ROW(name, text)           NUMBER(name),
#define TARGET_ROW(name, text, target) NUMBER(name),
#define OPERATOR_ROW(name, text)       NUMBER(OPERATOR_##name),
#define STATEMENT_ROW(name, text)      NUMBER(STATEMENT_##name),
#define IMPURITY_ROW(name, text)       NUMBER(IMPURITY_##name),
#define STRATEGY_ROW(algorithm, name)  {#algorithm, algorithm},

static const struct {
  const char *name;
  int64_t number;
} constants[] = {
    UNF_STATUS_TABLE(TEXT_ROW) UNF_OBJECT_TABLE(TEXT_ROW) UNF_OPERATION_TABLE(TARGET_ROW)
        UNF_ACTION_TABLE(TARGET_ROW) UNF_RELATION_TABLE(TEXT_ROW) UNF_OPERATOR_TABLE(OPERATOR_ROW)
            UNF_STATEMENT_TABLE(STATEMENT_ROW) UNF_IMPURITY_TABLE(IMPURITY_ROW)
                STRATEGIES(STRATEGY_ROW) NUMBER(STATUS_COUNT),
    NUMBER(OBJECT_CLASS_COUNT),
    NUMBER(OPERATION_COUNT),
    NUMBER(HALT_ASSUME),
    NUMBER(HALT_BOUND),
    NUMBER(HALT_ASSERT),
    NUMBER(HALT_UNDEFINED),
    NUMBER(HALT_COUNT),
    NUMBER(RELATION_COUNT),
    NUMBER(ACTION_COUNT),
    NUMBER(SPIKES_FEWEST),
    NUMBER(SPIKES_RECENT),
    NUMBER(SPIKES_FIRST),
    NUMBER(CANDIDATES_NEWEST),
    NUMBER(CANDIDATES_OLDEST),
    NUMBER(CUTOFFS_NONE),
    NUMBER(CUTOFFS_SIZE),
    NUMBER(CUTOFFS_ERV),
    NUMBER(CUTOFF_ORDER_COUNT),
    NUMBER(CUTOFF_UNKNOWN),
    NUMBER(CUTOFF_KEPT),
    NUMBER(CUTOFF_IS),
    NUMBER(CUTOFF_AFTER),
    NUMBER(MODE_WRITE),
    NUMBER(MODE_READ),
    NUMBER(MODE_ADD),
    NUMBER(MODE_COUNT),
    NUMBER(CHANNEL_UNBOUNDED),
    NUMBER(CHANNEL_MOST),
    NUMBER(CHANNEL_SENT),
    NUMBER(CHANNEL_RECEIVED),
    NUMBER(CHANNEL_CLOSED),
    NUMBER(CHANNEL_FULL),
    NUMBER(CHANNEL_EMPTY),
    NUMBER(CHANNEL_ENDED),
    NUMBER(CHANNEL_SEND_CLOSED),
    NUMBER(CHANNEL_CLOSE_CLOSED),
    NUMBER(CHANNEL_OUTCOMES),
    NUMBER(MAILBOX_TAGS),
    NUMBER(MAILBOX_ANY),
    NUMBER(MAILBOX_SENDERS),
    NUMBER(MAILBOX_MESSAGES),
    NUMBER(MAILBOX_SENT),
    NUMBER(MAILBOX_RECEIVED),
    NUMBER(MAILBOX_EMPTY),
    NUMBER(MAILBOX_OUTCOMES),
    NUMBER(FUTURE_SET),
    NUMBER(FUTURE_GOT),
    NUMBER(FUTURE_UNSET),
    NUMBER(FUTURE_AGAIN),
    NUMBER(FUTURE_OUTCOMES),
    NUMBER(ALGORITHM_COUNT),
    NUMBER(ORDER_DEPTH_FIRST),
    NUMBER(ORDER_BREADTH_FIRST),
    NUMBER(ORDER_RANDOM),
    NUMBER(ORDER_DEEPEST),
    NUMBER(ORDER_CHOSEN),
    NUMBER(ORDER_COUNT),
    NUMBER(STEP_ACTION),
    NUMBER(STEP_MAXIMAL),
    NUMBER(STEP_REDUNDANT),
    NUMBER(STEP_CUTOFF),
    NUMBER(STEP_TRUNCATED),
    NUMBER(STEP_INFEASIBLE),
    NUMBER(ANSWER_NO),
    NUMBER(ANSWER_YES),
    NUMBER(ANSWER_UNKNOWN),
    NUMBER(ANSWER_COUNT),
    NUMBER(WITNESS_NONE),
    NUMBER(BOUND_NONE),
    NUMBER(BOUND_SWITCHES),
    NUMBER(BOUND_PREEMPTIONS),
    NUMBER(STD_ACCESSES),
    NUMBER(STD_VARIABLES),
    NUMBER(STD_EVENTS),
    NUMBER(STD_MEMORY_COUNT),
    NUMBER(STD_THREAD),
    NUMBER(STD_LOCK),
    NUMBER(STD_VARIABLE),
    NUMBER(STD_PLACE),
    NUMBER(STD_NAME_COUNT),
    NUMBER(HASH_FAST),
    NUMBER(HASH_STRONG),
    NUMBER(HASH_COUNT),
    NUMBER(OPERATOR_CONSTANT),
    NUMBER(OPERATOR_REGISTER),
    NUMBER(STATEMENT_KIND_COUNT),
    NUMBER(IMPURITY_COUNT),
    NUMBER(K_OPTIMAL),
    NUMBER(LOST),
    NUMBER(EVENT_BOTTOM),
    NUMBER(EVENT_NONE),
    NUMBER(THREAD_NONE),
    NUMBER(OBJECT_NONE),
    NUMBER(UNBOUNDED),
    NUMBER(MAX_DEPTH),
    NUMBER(BLOCK_NONE),
    NUMBER(REGISTER_NONE),
    NUMBER(TERM_NONE),
    NUMBER(TERM_NODES_MAX),
    NUMBER(STATEMENT_MAY_FAIL),
    NUMBER(STATEMENT_PLAIN),
};

unf_status unf_constant(const char *name, int64_t *out) {
  if (name == NULL || out == NULL) return UNF_INVALID;
  for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
    if (strcmp(constants[i].name, name) != 0) continue;
    *out = constants[i].number;
    return UNF_OK;
  }
  return UNF_UNKNOWN;
}

static unf_status initialise(void *out, size_t size, const void *value, size_t own_size) {
  if (out == NULL || size != own_size) return UNF_INVALID;
  memcpy(out, value, own_size);
  return UNF_OK;
}

unf_status unf_context_options_init(unf_context_options *options, size_t size) {
  static const unf_context_options value = UNF_CONTEXT_OPTIONS_INIT;
  return initialise(options, size, &value, sizeof value);
}

unf_status unf_unfolding_options_init(unf_unfolding_options *options, size_t size) {
  static const unf_unfolding_options value = UNF_UNFOLDING_OPTIONS_INIT;
  return initialise(options, size, &value, sizeof value);
}

unf_status unf_explorer_options_init(unf_explorer_options *options, size_t size) {
  static const unf_explorer_options value = UNF_EXPLORER_OPTIONS_INIT;
  return initialise(options, size, &value, sizeof value);
}

unf_status unf_engine_init(unf_engine *engine, size_t size) {
  static const unf_engine value = UNF_ENGINE_INIT;
  return initialise(engine, size, &value, sizeof value);
}

unf_status unf_alternative_options_init(unf_alternative_options *options, size_t size) {
  static const unf_alternative_options value = UNF_ALTERNATIVE_OPTIONS_INIT;
  return initialise(options, size, &value, sizeof value);
}

unf_status unf_consistency_init(unf_consistency *consistency, size_t size) {
  static const unf_consistency value = UNF_CONSISTENCY_INIT;
  return initialise(consistency, size, &value, sizeof value);
}

unf_status unf_races_options_init(unf_races_options *options, size_t size) {
  static const unf_races_options value = UNF_RACES_OPTIONS_INIT;
  return initialise(options, size, &value, sizeof value);
}

unf_status unf_names_init(unf_names *names, size_t size) {
  static const unf_names value = UNF_NAMES_INIT;
  return initialise(names, size, &value, sizeof value);
}

unf_status unf_std_options_init(unf_std_options *options, size_t size) {
  static const unf_std_options value = UNF_STD_OPTIONS_INIT;
  return initialise(options, size, &value, sizeof value);
}

unf_status unf_purity_options_init(unf_purity_options *options, size_t size) {
  static const unf_purity_options value = UNF_PURITY_OPTIONS_INIT;
  return initialise(options, size, &value, sizeof value);
}

unf_status unf_fingerprint_init(unf_fingerprint *fingerprint, size_t size) {
  static const unf_fingerprint value = UNF_FINGERPRINT_INIT;
  return initialise(fingerprint, size, &value, sizeof value);
}

unf_status unf_statement_init(unf_statement *statement, size_t size, unf_statement_kind kind) {
  const unf_statement value = UNF_STATEMENT_INIT(kind);
  if ((unsigned)kind >= UNF_STATEMENT_KIND_COUNT) return UNF_INVALID;
  return initialise(statement, size, &value, sizeof value);
}

unf_status unf_report_init(unf_report *report, size_t size) {
  static const unf_report value = UNF_REPORT_INIT;
  return initialise(report, size, &value, sizeof value);
}

unf_status unf_ledger_state_init(unf_ledger_state *state, size_t size) {
  static const unf_ledger_state value = UNF_LEDGER_STATE_INIT;
  return initialise(state, size, &value, sizeof value);
}

/*
 * The state of a program as fragments, for cutoffs. Each word of it is a location, except those
 * that are there for reports only. Everything that the future depends on is in there: where a
 * thread is, its registers in and out of scope, the operands of what it is about to do, how far it
 * is with a wait, whether it was started; shared ints; who holds what, and how often; who came to a
 * barrier how often, as far as it matters for how many more the barrier takes. Semaphores are
 * counters, because posts commute.
 */
#include "model.h"

static unf_hash hash_of(const struct session *s) {
  enum cli_choice choice = s->options.cutoffs;
  bool strong = choice == CLI_CUTOFFS_SIZE_STRONG || choice == CLI_CUTOFFS_ERV_STRONG;
  return strong ? UNF_HASH_STRONG : UNF_HASH_FAST;
}

bool session_can_hash(const struct session *s) {
  unf_fingerprint probe = UNF_FINGERPRINT_INIT;
  return unf_fingerprint_toggle(hash_of(s), &probe, 0, NULL, 0) == UNF_OK;
}

unf_status session_changed(const struct session *s, unf_explorer *x, const int64_t *before,
                           const int64_t *after) {
  unf_fingerprint change = UNF_FINGERPRINT_INIT;
  unf_hash hash = hash_of(s);
  for (uint32_t i = 0; i < s->machine.words; i++) {
    unf_status status = UNF_OK;
    if (before[i] == after[i]) continue;
    enum role role = machine_role(&s->machine, i);
    if (role == ROLE_VALUE)
      status = unf_fingerprint_replace(hash, &change, i, &before[i], &after[i], sizeof before[i]);
    else if (role == ROLE_COUNTER)
      status = unf_fingerprint_count(hash, &change, i,
                                     (int64_t)((uint64_t)after[i] - (uint64_t)before[i]));
    if (status != UNF_OK) return status;
  }
  return unf_explorer_changed(x, &change);
}

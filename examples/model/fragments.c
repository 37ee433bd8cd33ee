/*
 * The state of a program as fragments, for cutoffs. Each word of it is a location, except those
 * that are there for reports only. Everything that the future depends on is in there: where a
 * thread is, its registers in and out of scope, the operands of what it is about to do, how far it
 * is with a wait, whether it was started; shared ints; who holds what, and how often; who came to a
 * barrier how often, as far as it matters for how many more the barrier takes. Semaphores are
 * counters, because posts commute. Of a channel: whether it is closed, the messages in it with
 * their places, and where its ends are, in turn around the places; of one without a number of
 * places, how many were sent and received. Of a program with inputs each word is a number and a
 * term; equal terms have equal handles.
 */
#include "fragments.h"

#include "channels.h"
#include "objects.h"

static unf_hash hash_of(const struct session *s) {
  return s->options.cutoffs.strong ? UNF_HASH_STRONG : UNF_HASH_FAST;
}

bool session_can_hash(const struct session *s) {
  unf_fingerprint probe = UNF_FINGERPRINT_INIT;
  return unf_fingerprint_toggle(hash_of(s), &probe, 0, NULL, 0) == UNF_OK;
}

static unf_status word_changed(struct session *s, unf_fingerprint *change, uint32_t word,
                               int64_t before, int64_t after) {
  enum role role = before == after ? ROLE_REPORT : machine_role(&s->machine, word);
  if (s->inputs.open && word >= s->machine.plain && role == ROLE_VALUE)
    conditions_changed(&s->inputs.conditions, (term)before, (term)after);
  if (role == ROLE_VALUE)
    return unf_fingerprint_replace(hash_of(s), change, word, &before, &after, sizeof before);
  if (role == ROLE_COUNTER)
    return unf_fingerprint_count(hash_of(s), change, word,
                                 (int64_t)((uint64_t)after - (uint64_t)before));
  return UNF_OK;
}

/* What a step changed in a channel follows from its event alone, whatever the other end did: a
 * message appears at its place, or is gone from there, and an end has moved on. */
static unf_status channel_changed(const struct session *s, unf_fingerprint *change, uint32_t word,
                                  const int64_t *were, const int64_t *now) {
  enum { MESSAGE = CHANNEL_NODE }; /* there is no other fragment of this word */
  static const uint32_t ends[] = {CHANNEL_SENT, CHANNEL_RECEIVED};
  const uint32_t channel = (word - s->machine.first[SYMBOL_CHANNEL]) / CHANNEL_WORDS;
  unf_status status = UNF_OK;
  for (uint32_t i = 0; status == UNF_OK && i < 2; i++) {
    if (were[ends[i]] == now[ends[i]]) continue;
    int64_t place = channels_turn(&s->machine, channel, were[ends[i]]);
    int64_t next = channels_turn(&s->machine, channel, now[ends[i]]);
    const int64_t message[] = {place, channels_message(&s->machine, now, (uint64_t)were[ends[i]])};
    status =
        unf_fingerprint_replace(hash_of(s), change, word + ends[i], &place, &next, sizeof place);
    if (status == UNF_OK)
      status = unf_fingerprint_toggle(hash_of(s), change, word + MESSAGE, message, sizeof message);
  }
  if (status != UNF_OK || were[CHANNEL_CLOSED] == now[CHANNEL_CLOSED]) return status;
  return unf_fingerprint_replace(hash_of(s), change, word + CHANNEL_CLOSED, &were[CHANNEL_CLOSED],
                                 &now[CHANNEL_CLOSED], sizeof *now);
}

/* The words of a channel, which are entered together. */
static bool is_channel(const struct session *s, uint32_t word) {
  const uint32_t first = s->machine.first[SYMBOL_CHANNEL];
  return word >= first && word - first < CHANNEL_WORDS * s->program.count[SYMBOL_CHANNEL];
}

/* With inputs: the facts that still matter are a part of the state. */
static unf_status changed_under(struct session *s, unf_explorer *x, const unf_action *action,
                                const unf_fingerprint *change) {
  unf_fingerprint condition = UNF_FINGERPRINT_INIT;
  const uint32_t set = conditions_of(&s->inputs.conditions, action, unf_explorer_last(x), s->state);
  if (set == UINT32_MAX) return UNF_MEMORY;
  unf_status status = UNF_OK;
  if (!knowledge_is_empty(&s->inputs.knowledge, set)) /* equal sets have equal numbers */
    status = unf_fingerprint_toggle(hash_of(s), &condition, s->machine.words, &set, sizeof set);
  return status == UNF_OK ? unf_explorer_changed_under(x, change, &condition) : status;
}

/* No word is entered twice in a step. */
unf_status session_changed(struct session *s, unf_explorer *x, const unf_action *action) {
  const struct history *h = &s->history;
  unf_fingerprint change = UNF_FINGERPRINT_INIT;
  for (size_t end = h->count; end > h->marks[s->steps - 1];) {
    uint32_t first, count;
    const int64_t *were;
    end = history_range(h, end, &first, &count, &were);
    if (is_channel(s, first)) {
      unf_status status = channel_changed(s, &change, first, were, s->state + first);
      if (status != UNF_OK) return status;
      continue;
    }
    for (uint32_t i = 0; i < count; i++) {
      unf_status status = word_changed(s, &change, first + i, were[i], s->state[first + i]);
      if (status != UNF_OK) return status;
    }
  }
  return s->inputs.open ? changed_under(s, x, action, &change) : unf_explorer_changed(x, &change);
}

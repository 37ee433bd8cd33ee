/*
 * 16. Memory in bytes.
 *
 * A location is one value of 64 bits, unless it is placed: then it is a range of bytes of a space,
 * and locations of one space that have a byte in common depend on each other. The space has the
 * name of one of them. All ranges must be there before the first action on bytes that they cut in
 * two, because an action says for ever what it depends on.
 */
#include "api.h"

static unf_unfolding *unfolding;
static unf_configuration *C;

static unf_object place(uint64_t key, unf_object space, uint64_t first, uint32_t size) {
  unf_object location;
  MUST(unf_object_name(unfolding, UNF_LOCATION, UNF_THREAD_NONE, key, &location));
  if (space == UNF_OBJECT_NONE) space = location;
  MUST(unf_location_place(unfolding, location, space, first, size));
  return location;
}

static void perform(unf_thread thread, unf_operation operation, unf_action_kind kind) {
  unf_action action = {kind, thread, operation.target, 0, 0};
  MUST(unf_configuration_offer(C, thread, &operation));
  MUST(unf_configuration_perform(C, &action, NULL));
}

static void values(unf_object word, unf_object low, unf_object high) {
  int64_t all, first, last;
  MUST(unf_configuration_value(C, word, &all));
  MUST(unf_configuration_value(C, low, &first));
  MUST(unf_configuration_value(C, high, &last));
  printf("word %lld, low %lld, high %lld\n", (long long)all, (long long)first, (long long)last);
}

int main(void) {
  unf_context *context;
  MUST(unf_context_new(NULL, &context));
  MUST(unf_unfolding_new(context, NULL, &unfolding));
  unf_thread p, q;
  MUST(unf_thread_name(unfolding, UNF_THREAD_NONE, 0, &p));
  MUST(unf_thread_name(unfolding, UNF_THREAD_NONE, 1, &q));
  MUST(unf_thread_start(unfolding, p));
  MUST(unf_thread_start(unfolding, q));

  /* Four bytes, and names for the first and for the last two of them. */
  unf_object word = place(0, UNF_OBJECT_NONE, 0, 4);
  unf_object low = place(1, word, 0, 1), high = place(2, word, 2, 2);
  MUST(unf_object_set_initial(unfolding, word, 65536 + 255));
  MUST(unf_configuration_new(unfolding, &C));
  values(word, low, high);

  /* The byte wraps alone; an addition to the word carries. */
  perform(p, UNF_OP_FETCH_ADD(low, 1), UNF_DID_WRITE);
  perform(q, UNF_OP_STORE(high, -1), UNF_DID_WRITE);
  values(word, low, high);
  perform(p, UNF_OP_FETCH_ADD(word, 65536 + 7), UNF_DID_WRITE);
  values(word, low, high);

  /* The first two have no byte in common; the third comes after both. */
  MUST(unf_configuration_linearize(C, print_event, unfolding));
  bool concurrent, precedes;
  MUST(unf_event_concurrent(unfolding, 1, 2, &concurrent));
  MUST(unf_event_precedes(unfolding, 2, 3, &precedes));
  printf("1 and 2 concurrent: %s; 2 before 3: %s\n", concurrent ? "yes" : "no",
         precedes ? "yes" : "no");

  /* Too late for another half of what was used as a whole. */
  unf_object late;
  MUST(unf_object_name(unfolding, UNF_LOCATION, UNF_THREAD_NONE, 3, &late));
  unf_status status = unf_location_place(unfolding, late, word, 3, 1);
  printf("%s\n", status == UNF_STATE ? unf_context_detail(context)->text : "placed");

  unf_configuration_free(C);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return 0;
}

/* Which options of an explorer have a meaning, and which go together. */
#include "exploration/options.h"

#include "alternative/comb.h"
#include "base/text.h"

/* Options that can exclude each other. */
enum option { ALGORITHM, ORDER, CUTOFFS, SWITCHES, PREEMPTIONS, COLLECT, PROBES };

static const char *const names[] = {"algorithm",       "order",   "cutoffs", "max_switches",
                                    "max_preemptions", "collect", "probes"};

static const char *const algorithms[UNF_ALGORITHM_COUNT] = {
    [UNF_QPOR] = "UNF_QPOR",   [UNF_SDPOR] = "UNF_SDPOR", [UNF_DFS] = "UNF_DFS",
    [UNF_ODPOR] = "UNF_ODPOR", [UNF_EAGER] = "UNF_EAGER",
};

static const char *const orders[UNF_ORDER_COUNT] = {
    [UNF_ORDER_DEPTH_FIRST] = "UNF_ORDER_DEPTH_FIRST",
    [UNF_ORDER_BREADTH_FIRST] = "UNF_ORDER_BREADTH_FIRST",
    [UNF_ORDER_RANDOM] = "UNF_ORDER_RANDOM",
    [UNF_ORDER_DEEPEST] = "UNF_ORDER_DEEPEST",
    [UNF_ORDER_CHOSEN] = "UNF_ORDER_CHOSEN",
};

static const char *const cutoffs[UNF_CUTOFF_ORDER_COUNT] = {
    [UNF_CUTOFFS_NONE] = "UNF_CUTOFFS_NONE",
    [UNF_CUTOFFS_SIZE] = "UNF_CUTOFFS_SIZE",
    [UNF_CUTOFFS_ERV] = "UNF_CUTOFFS_ERV",
};

/* Bit of an algorithm, in a set of them. */
#define BIT(algorithm) (1u << (algorithm))
enum { ANY = BIT(UNF_ALGORITHM_COUNT) - 1 };

/* What is refused: with one of the algorithms, the first option beside the second one. */
static const struct {
  unsigned algorithms;
  enum option one, other;
} refused[] = {
    {BIT(UNF_DFS), COLLECT, ALGORITHM},
    {ANY, COLLECT, CUTOFFS},
    {BIT(UNF_ODPOR) | BIT(UNF_EAGER), ALGORITHM, ORDER},
    {BIT(UNF_ODPOR) | BIT(UNF_EAGER), ALGORITHM, SWITCHES},
    {BIT(UNF_ODPOR) | BIT(UNF_EAGER), ALGORITHM, PREEMPTIONS},
    {BIT(UNF_ODPOR) | BIT(UNF_EAGER), ALGORITHM, CUTOFFS},
    {ANY, PROBES, SWITCHES},
    {ANY, PROBES, PREEMPTIONS},
    {ANY, PROBES, CUTOFFS},
};

static uint64_t number_of(const unf_explorer_options *o, enum option option) {
  if (option == SWITCHES) return o->max_switches;
  if (option == PREEMPTIONS) return o->max_preemptions;
  return option == COLLECT ? o->collect : o->probes;
}

static const char *word_of(const unf_explorer_options *o, enum option option) {
  if (option == ALGORITHM) return algorithms[o->algorithm];
  if (option == ORDER) return orders[o->order];
  return option == CUTOFFS ? cutoffs[o->cutoffs] : NULL;
}

static bool is_given(const unf_explorer_options *o, enum option option) {
  switch (option) {
  case ALGORITHM:
    return true;
  case ORDER:
    return o->order != UNF_ORDER_DEPTH_FIRST;
  case CUTOFFS:
    return o->cutoffs != UNF_CUTOFFS_NONE;
  case SWITCHES:
  case PREEMPTIONS:
    return number_of(o, option) != UNF_UNBOUNDED;
  default:
    return number_of(o, option) > 0;
  }
}

static void add_option(struct text *text, const unf_explorer_options *o, enum option option) {
  const char *word = word_of(o, option);
  unfi_text_add(text, names[option]);
  unfi_text_add(text, " ");
  if (word != NULL)
    unfi_text_add(text, word);
  else
    unfi_text_u64(text, number_of(o, option));
}

static unf_status check_together(unf_context *context, const unf_explorer_options *o) {
  for (unsigned i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    if (!(refused[i].algorithms & BIT(o->algorithm)) || !is_given(o, refused[i].one) ||
        !is_given(o, refused[i].other))
      continue;
    char line[160];
    struct text text = unfi_text(line, sizeof line);
    unfi_text_add(&text, "unf_explorer_options: ");
    add_option(&text, o, refused[i].one);
    unfi_text_add(&text, " with ");
    add_option(&text, o, refused[i].other);
    return unfi_fail(context, UNF_UNSUPPORTED, line);
  }
  return UNF_OK;
}

unf_status unfi_explorer_options_check(unf_context *context, const unf_explorer_options *o) {
  if (o->size != sizeof *o)
    return unfi_wrong_option(context, "unf_explorer_options.size", o->size, sizeof *o);
  if ((unsigned)o->algorithm >= UNF_ALGORITHM_COUNT)
    return unfi_wrong_option(context, "unf_explorer_options.algorithm", (unsigned)o->algorithm, 0);
  if ((unsigned)o->cutoffs >= UNF_CUTOFF_ORDER_COUNT)
    return unfi_wrong_option(context, "unf_explorer_options.cutoffs", (unsigned)o->cutoffs, 0);
  if ((unsigned)o->order >= UNF_ORDER_COUNT)
    return unfi_wrong_option(context, "unf_explorer_options.order", (unsigned)o->order, 0);
  if (o->order == UNF_ORDER_CHOSEN && o->choose == NULL)
    return unfi_fail(context, UNF_INVALID,
                     "unf_explorer_options.choose is NULL, with order UNF_ORDER_CHOSEN");
  unf_status status = unfi_alternative_options_check(context, &o->alternative);
  return status == UNF_OK ? check_together(context, o) : status;
}

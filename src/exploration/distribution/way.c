/*
 * The way through an item: the nodes from its root to where the exploration stands.
 *
 * Sequences that others found can still be inserted at the nodes that were entered with something
 * decided beyond them, and at what is below these and was explored. So of such nodes the branches
 * that were explored are noted, each behind those below it: a list to which entries are only
 * appended as branches are left, and of which those of one node stand together. At the first node
 * beyond which nothing was decided that ends, and in an item that is closed there is nothing of it.
 */
#include "exploration/distribution/way.h"

#include "exploration/distribution/item.h"
#include "exploration/explorer.h"
#include "structure/event.h"

static struct finished_level *level_at(const struct item *item, uint32_t depth) {
  return &item->levels.data[depth];
}

bool unfi_way_begin(unf_explorer *x, bool decided) {
  struct item *item = &x->item;
  uint32_t depth = x->path.steps.count;
  item->accepting = depth;
  item->decided.count = 0;
  branches_empty(&item->finished);
  if (!unfi_way_reserve(x, depth, 1)) return false;
  if (decided) item->accepting = depth + 1;
  *level_at(item, depth) = (struct finished_level){0, 0};
  return true;
}

bool unfi_way_reserve(unf_explorer *x, uint32_t depth, uint32_t count) {
  unf_context *context = x->u->context;
  struct item *item = &x->item;
  return vector_reserve(context, &item->decided, (uint64_t)depth + count + 1) &&
         vector_reserve(context, &item->levels, (uint64_t)depth + count + 1);
}

bool unfi_way_left(unf_explorer *x, uint32_t event) {
  struct item *item = &x->item;
  uint32_t depth = x->path.steps.count;
  const struct explored_branch branch = {
      .number = step_number(&item->numbers, unfi_letter_step_of(x->u, event)),
      .below = depth + 1 < item->accepting ? level_at(item, depth + 1)->count : 0};
  if (branch.number == 0 || !branches_push(x->u->context, &item->finished, branch)) return false;
  level_at(item, depth)->count++;
  return true;
}

void unfi_way_decided(unf_explorer *x, uint32_t depth, uint32_t count) {
  struct item *item = &x->item;
  if (item->decided.count > depth + 1) item->decided.count = depth + 1;
  while (item->decided.count <= depth)
    vector_push(&item->decided, 0);
  for (uint32_t i = 1; i < count; i++)
    vector_push(&item->decided, 1);
  if (depth >= item->accepting) return;
  item->accepting = depth + count;
  for (uint32_t i = depth + 1; i < item->accepting; i++)
    *level_at(item, i) = (struct finished_level){branches_count(&item->finished), 0};
}

uint32_t unfi_way_length(const unf_explorer *x) {
  uint32_t decided = x->branch == BRANCH_DECIDED ? x->run.clue.count : 0;
  return x->path.steps.count + decided;
}

static uint32_t way_at(const unf_explorer *x, uint32_t depth) {
  uint32_t steps = x->path.steps.count;
  return depth < steps ? x->path.steps.data[depth].event : x->run.clue.data[depth - steps];
}

/* Whether nothing was decided beyond a node of the way when it was entered. */
static bool is_free_at(const unf_explorer *x, uint32_t depth) {
  const struct item *item = &x->item;
  return depth >= item->decided.count || !item->decided.data[depth];
}

/* ---- in letters ---- */

static bool put_branch(const struct item *item, uint32_t place, struct letter *letter) {
  const struct explored_branch branch = branches_at(&item->finished, place);
  return letter_put_step(letter, step_numbered(&item->numbers, branch.number)) &&
         letter_put(letter, branch.below);
}

/* The branches of a node that were noted. */
static bool put_noted(const struct item *item, uint32_t depth, struct letter *letter) {
  bool last = depth + 1 >= item->accepting, good = true;
  uint32_t end = last ? branches_count(&item->finished) : level_at(item, depth + 1)->first;
  for (uint32_t i = level_at(item, depth)->first; good && i < end; i++)
    good = put_branch(item, i, letter);
  return good && letter_put_end(letter);
}

/* Those that sleep at a node, of entries from *entry and *sibling on. */
static bool put_sleepers(const unf_explorer *x, uint32_t depth, uint32_t *entry, uint32_t *sibling,
                         struct letter *letter) {
  const struct sleepers *D = &x->path.D;
  bool good = true;
  for (; good && *entry < D->entries.count && D->entries.data[*entry].depth <= depth; ++*entry)
    if (D->entries.data[*entry].depth == depth)
      good = unfi_letter_put_event(letter, D->entries.data[*entry].event) && letter_put(letter, 0);
  for (; good && *sibling < D->siblings.count && D->siblings.data[*sibling].depth <= depth;
       ++*sibling)
    if (D->siblings.data[*sibling].depth == depth)
      good =
          unfi_letter_put_event(letter, D->siblings.data[*sibling].event) && letter_put(letter, 0);
  return good && letter_put_end(letter);
}

bool unfi_way_put(const unf_explorer *x, uint32_t shared, struct letter *letter) {
  const struct item *item = &x->item;
  uint32_t end = unfi_way_length(x), entry = 0, sibling = 0;
  bool good = letter_put(letter, end - x->floor) && letter_put(letter, shared);
  for (uint32_t depth = x->floor; good && depth < end; depth++)
    good = (!item->closed && depth < item->accepting
                ? put_noted(item, depth, letter)
                : put_sleepers(x, depth, &entry, &sibling, letter)) &&
           unfi_letter_put_event(letter, way_at(x, depth)) &&
           letter_put(letter, is_free_at(x, depth + 1)) &&
           x->strategy->sharing->put_branches(x, depth, letter);
  return good;
}

bool unfi_way_put_finished(const unf_explorer *x, struct letter *letter) {
  const struct item *item = &x->item;
  bool any = !item->closed && x->floor < item->accepting, good = true;
  for (uint32_t i = 0; any && good && i < branches_count(&item->finished); i++)
    good = put_branch(item, i, letter);
  return good && letter_put_end(letter);
}

void unfi_way_advance(unf_explorer *x, uint32_t depth) {
  struct item *item = &x->item;
  if (depth == x->floor) return;
  x->floor = depth;
  bool accepts = !item->closed && depth < item->accepting;
  if (!accepts) {
    item->closed = true; /* beyond a free node nothing is inserted from outside */
    branches_empty(&item->finished);
    return;
  }
  uint32_t first = level_at(item, depth)->first;
  unfi_branches_drop(&item->finished, first);
  for (uint32_t i = depth; i < item->accepting; i++)
    level_at(item, i)->first -= first;
}

/* The table of orders. */
#include "exploration/orders/depth_first.h"
#include "exploration/orders/leaves.h"
#include "exploration/orders/random.h"
#include "exploration/orders/tree_search.h"

/* All but depth-first hold the tree. */
#define TREE                                                                                       \
  .state = sizeof(struct tree_search), .begin = unfi_tree_search_begin,                            \
  .end = unfi_tree_search_end, .next = unfi_tree_search_next, .restart = unfi_tree_search_restart, \
  .saves = unfi_tree_search_saves, .saved = unfi_tree_search_saved,                                \
  .visit = unfi_tree_search_visit

const struct order unfi_orders[UNF_ORDER_COUNT] = {
    [UNF_ORDER_DEPTH_FIRST] = {.name = "dfs",
                               .state = sizeof(struct depth_first),
                               .end = unfi_depth_first_end,
                               .next = unfi_depth_first_next,
                               .saves = unfi_depth_first_saves,
                               .saved = unfi_depth_first_saved,
                               .write = unfi_depth_first_write,
                               .read = unfi_depth_first_read},
    [UNF_ORDER_BREADTH_FIRST] = {.name = "bfs", TREE, .before = unfi_leaf_was_found_first},
    [UNF_ORDER_RANDOM] = {.name = "random", TREE, .choose = unfi_leaf_at_random, .asks_late = true},
    [UNF_ORDER_DEEPEST] = {.name = "deepest-first",
                           TREE,
                           .before = unfi_leaf_is_deeper,
                           .asks_last = true},
    [UNF_ORDER_CHOSEN] = {.name = "chosen", TREE, .choose = unfi_leaf_chosen},
};

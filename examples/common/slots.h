/* Records with names from 1 on, as unf_explorer_save() wants them for states that are kept. A name
 * that is given back is given again. */
#ifndef COMMON_SLOTS_H
#define COMMON_SLOTS_H

#include <stddef.h>
#include <stdint.h>

struct cli_slots {
  size_t size;    /* of a record */
  void *list;     /* by name */
  uint64_t count; /* the highest name that was given */
  uint64_t room;
  uint64_t *free; /* names that can be given again */
  uint64_t free_count;
};

void cli_slots_begin(struct cli_slots *slots, size_t size);
void cli_slots_free(struct cli_slots *slots);

/* A name, whose record is all zero; 0: no memory. There is room to give it back. Records move. */
uint64_t cli_slot_take(struct cli_slots *slots);
/* Gives a name back; its record is all zero then. */
void cli_slot_give_back(struct cli_slots *slots, uint64_t name);

/* The record of a name. */
static inline void *cli_slot(const struct cli_slots *slots, uint64_t name) {
  return (char *)slots->list + (name - 1) * slots->size;
}

#endif

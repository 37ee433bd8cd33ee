/*
 * Intern table: open addressing over 32-bit handles that are kept elsewhere; 0 is an empty slot,
 * nothing is ever removed. The owner supplies hash and equality by looking at what the handle
 * names, so that a slot costs four bytes. Where handles are 1 … count they leave bits of a slot
 * free, which hold those of the hash: so a search looks at hardly a handle but that which it finds,
 * and each look would be a cache miss.
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include "base/context.h"

struct table {
  uint32_t *slots;
  uint32_t mask;    /* size - 1; meaningless, as the next, while slots is NULL */
  uint32_t handles; /* the bits of a slot that are a handle; the others are of the hash */
  uint32_t count;
};

/* Doubles a table; called by unfi_table_reserve() and unfi_table_reserve_dense(). */
RARE bool unfi_table_enlarge(unf_context *context, struct table *table,
                             uint64_t (*hash)(const void *owner, uint32_t handle),
                             const void *owner);
RARE bool unfi_table_enlarge_dense(unf_context *context, struct table *table,
                                   uint64_t (*hash)(const void *owner, uint32_t handle),
                                   const void *owner);
void unfi_table_free(unf_context *context, struct table *table);

static inline bool table_has_room_for(const struct table *table, uint32_t handles) {
  return table->slots != NULL &&
         ((uint64_t)table->count + handles) * 8 <= ((uint64_t)table->mask + 1) * 5;
}
static inline bool table_has_room(const struct table *table) {
  return table_has_room_for(table, 1);
}

/* Makes room for one more handle; `hash` returns the hash of what a stored handle names. Returns
 * false when refused. */
static inline bool unfi_table_reserve(unf_context *context, struct table *table,
                                      uint64_t (*hash)(const void *owner, uint32_t handle),
                                      const void *owner) {
  return table_has_room(table) || unfi_table_enlarge(context, table, hash, owner);
}

/* As unfi_table_reserve(), for tables whose handles are 1 … count: what they name is then visited
 * in its order in memory. */
static inline bool unfi_table_reserve_dense(unf_context *context, struct table *table,
                                            uint64_t (*hash)(const void *owner, uint32_t handle),
                                            const void *owner) {
  return table_has_room(table) || unfi_table_enlarge_dense(context, table, hash, owner);
}

/* The bits of a hash that stand in a slot, if they have room there. */
static inline uint32_t hash_in_slot(uint64_t hash) {
  return (uint32_t)(hash >> 32);
}

/* A loop over the handles whose hash may be this one, for finding one by what it names. */
#define table_each(table, hash, handle)                                                            \
  for (uint32_t handle##_slot = (uint32_t)(hash) & (table)->mask, handle;                          \
       (table)->slots != NULL && (handle = (table)->slots[handle##_slot]) != 0;                    \
       handle##_slot = (handle##_slot + 1) & (table)->mask)                                        \
    if (((handle ^ hash_in_slot(hash)) & ~(table)->handles) != 0) {                                \
    } else if ((handle &= (table)->handles, true))

/* Puts a handle where room was reserved; it must not be there yet. */
static inline void table_put(struct table *table, uint64_t hash, uint32_t handle) {
  uint32_t i = (uint32_t)hash & table->mask;
  while (table->slots[i] != 0)
    i = (i + 1) & table->mask;
  table->slots[i] = handle | (hash_in_slot(hash) & ~table->handles);
  table->count++;
}

/* Hashes two words: the finaliser of splitmix64, applied to a product. */
static inline uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t z = (a ^ (b * 0x9E3779B97F4A7C15u)) * 0xBF58476D1CE4E5B9u;
  z ^= z >> 32;
  z *= 0x94D049BB133111EBu;
  return z ^ (z >> 29);
}

#endif

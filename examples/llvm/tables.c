#include <stdlib.h>
#include <string.h>

#include "translate.h"

void *grow(void *items, size_t count, size_t *room, size_t size) {
  if (count <= *room && items != NULL) return items;
  *room = 2 * count + 64;
  void *grown = realloc(items, *room * size);
  if (grown == NULL) {
    fputs("no memory\n", stderr);
    exit(3);
  }
  return grown;
}

void put_bytes(struct bytes *out, const void *data, size_t size) {
  out->data = grow(out->data, out->count + size, &out->room, 1);
  if (size > 0) memcpy(out->data + out->count, data, size);
  out->count += size;
}

static void put_byte(struct bytes *out, uint8_t byte) {
  put_bytes(out, &byte, 1);
}

void put_number(struct bytes *out, uint64_t value) {
  while (value > 127) {
    put_byte(out, (uint8_t)(value | 128));
    value >>= 7;
  }
  put_byte(out, (uint8_t)value);
}

static void put_signed(struct bytes *out, int64_t value) {
  put_number(out, (uint64_t)value << 1 ^ (uint64_t)(value < 0 ? -1 : 0));
}

void put_text(struct bytes *out, const char *text, size_t size) {
  put_number(out, size);
  put_bytes(out, text, size);
  put_byte(out, 0);
}

static size_t slot_of(const struct map *map, const uint64_t key[3]) {
  uint64_t hash = key[0] * UINT64_C(0x9e3779b97f4a7c15);
  hash = (hash ^ hash >> 29 ^ key[1]) * UINT64_C(0xbf58476d1ce4e5b9);
  hash = (hash ^ hash >> 32 ^ key[2]) * UINT64_C(0x94d049bb133111eb);
  size_t slot = (size_t)(hash ^ hash >> 31) & (map->room - 1);
  while (map->entries[slot].value != 0 &&
         memcmp(map->entries[slot].key, key, sizeof map->entries[slot].key) != 0)
    slot = (slot + 1) & (map->room - 1);
  return slot;
}

static void enlarge(struct map *map) {
  struct map larger = {.room = map->room > 0 ? 2 * map->room : 64};
  size_t room = 0;
  larger.entries = grow(NULL, larger.room, &room, sizeof *larger.entries);
  memset(larger.entries, 0, larger.room * sizeof *larger.entries);
  for (size_t i = 0; i < map->room; i++)
    if (map->entries[i].value != 0)
      larger.entries[slot_of(&larger, map->entries[i].key)] = map->entries[i];
  larger.count = map->count;
  free(map->entries);
  *map = larger;
}

uint32_t map_put(struct map *map, uint64_t a, uint64_t b, uint64_t c, uint32_t value) {
  const uint64_t key[3] = {a, b, c};
  if (2 * map->count >= map->room) enlarge(map);
  struct entry *entry = &map->entries[slot_of(map, key)];
  if (entry->value == 0) {
    memcpy(entry->key, key, sizeof key);
    entry->value = value + 1;
    map->count++;
  }
  return entry->value - 1;
}

uint32_t map_get(const struct map *map, uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t key[3] = {a, b, c};
  return map->room > 0 ? map->entries[slot_of(map, key)].value - 1 : UINT32_MAX;
}

static uint64_t hash_text(const char *text, size_t size) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
  return hash;
}

/* Two texts of one length whose hashes are the same, in one program of a few hundred texts, would
 * exchange a name of a file; so this compares nothing else. */
uint32_t text_number(struct translation *t, const char *text, size_t size) {
  const uint32_t number = map_put(&t->text_map, hash_text(text, size), size, 0, t->text_count);
  if (number == t->text_count) {
    put_text(&t->texts, text, size);
    t->text_count++;
  }
  return number;
}

uint32_t constant_number(struct translation *t, enum code_constant kind, int64_t value,
                         uint32_t index) {
  const uint32_t number =
      map_put(&t->constant_map, kind, (uint64_t)value, index, t->constant_count);
  if (number == t->constant_count) {
    put_number(&t->constants, kind);
    put_signed(&t->constants, value);
    put_number(&t->constants, index);
    t->constant_count++;
  }
  return number;
}

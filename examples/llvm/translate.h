/* Translation of bitcode to the compact form (code.h), with LLVM's C interface. It is done by a
 * process of its own, unfold-bitcode: LLVM's reader does not withstand hostile files, and what it
 * does with them must not end an exploration. */
#ifndef LLVM_TRANSLATE_H
#define LLVM_TRANSLATE_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "code.h"

/* ---- tables.c ---- */

struct bytes {
  uint8_t *data;
  size_t count, room;
};

/* Memory that is refused ends the process, with a message: nothing is lost by that. */
void *grow(void *items, size_t count, size_t *room, size_t size);
void put_bytes(struct bytes *out, const void *data, size_t size);
void put_number(struct bytes *out, uint64_t value);
void put_text(struct bytes *out, const char *text, size_t size);

/* From three numbers to one. */
struct map {
  struct entry {
    uint64_t key[3];
    uint32_t value; /* 1 more; 0: empty */
  } * entries;
  size_t count, room;
};
/* The value of a key, which becomes `value` if there was none. */
uint32_t map_put(struct map *map, uint64_t a, uint64_t b, uint64_t c, uint32_t value);
/* UINT32_MAX: none. */
uint32_t map_get(const struct map *map, uint64_t a, uint64_t b, uint64_t c);

/* ---- the program ---- */

struct translation {
  LLVMModuleRef module;
  LLVMTargetDataRef layout;
  struct bytes texts, constants, globals, functions, constructors;
  uint32_t text_count, constant_count, global_count, function_count, constructor_count;
  struct map text_map, constant_map, symbols; /* symbols: globals and functions by handle */
  struct map reached;                         /* symbols that are translated */
};

/* The number of a text, which stays where it is while the program is translated. */
uint32_t text_number(struct translation *t, const char *text, size_t size);
uint32_t constant_number(struct translation *t, enum code_constant kind, int64_t value,
                         uint32_t index);

#endif

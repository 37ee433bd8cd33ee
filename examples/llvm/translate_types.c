#include "translate_types.h"

#include "translate.h"

#include <stdlib.h>

static void add_leaf(struct leaves *leaves, unsigned width, uint64_t offset) {
  leaves->items = grow(leaves->items, leaves->count + 1, &leaves->room, sizeof *leaves->items);
  leaves->items[leaves->count++] = (struct leaf){(uint8_t)width, offset};
}

LLVMTypeRef element_type(LLVMTypeRef type, uint32_t index) {
  return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, index)
                                                     : LLVMGetElementType(type);
}

uint64_t element_offset(const struct translation *t, LLVMTypeRef type, uint32_t index) {
  if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
    return LLVMOffsetOfElement(t->layout, type, index);
  return index * LLVMABISizeOfType(t->layout, LLVMGetElementType(type));
}

/* The lower 64 bits, and the others. */
static bool add_two(struct leaves *leaves, unsigned width, uint64_t offset) {
  if (width > 128) return false;
  add_leaf(leaves, 64, offset);
  add_leaf(leaves, width - 64, offset + sizeof(int64_t));
  return true;
}

bool has_two_parts(LLVMTypeRef type) {
  const LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMX86_FP80TypeKind ||
         (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 64);
}

enum { LEAVES_MAX = 4096 };

bool list_leaves(const struct translation *t, LLVMTypeRef type, uint64_t offset,
                 struct leaves *leaves) {
  uint64_t count;
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind:
    if (LLVMGetIntTypeWidth(type) > 64) return add_two(leaves, LLVMGetIntTypeWidth(type), offset);
    add_leaf(leaves, LLVMGetIntTypeWidth(type), offset);
    return true;
  case LLVMPointerTypeKind:
    add_leaf(leaves, 64, offset);
    return true;
  case LLVMFloatTypeKind:
    add_leaf(leaves, 32, offset);
    return true;
  case LLVMDoubleTypeKind:
    add_leaf(leaves, 64, offset);
    return true;
  case LLVMX86_FP80TypeKind:
    return add_two(leaves, 80, offset);
  case LLVMStructTypeKind:
    count = LLVMCountStructElementTypes(type);
    break;
  case LLVMArrayTypeKind:
    count = LLVMGetArrayLength2(type);
    break;
  case LLVMVectorTypeKind:
    count = LLVMGetVectorSize(type);
    if (has_two_parts(LLVMGetElementType(type))) return false; /* vectors are done by parts */
    break;
  default:
    return false;
  }
  if (count > LEAVES_MAX) return false;
  for (uint32_t i = 0; i < count; i++)
    if (!list_leaves(t, element_type(type, i), offset + element_offset(t, type, i), leaves) ||
        leaves->count > LEAVES_MAX)
      return false;
  return true;
}

uint32_t leaf_count(const struct translation *t, LLVMTypeRef type) {
  struct leaves leaves = {0};
  if (LLVMGetTypeKind(type) == LLVMVoidTypeKind) return 0;
  const bool whole = list_leaves(t, type, 0, &leaves);
  const uint32_t count = whole && leaves.count > 0 ? (uint32_t)leaves.count : 1;
  free(leaves.items);
  return count;
}

uint32_t leaf_index(const struct translation *t, LLVMTypeRef type, uint32_t index) {
  uint32_t first = 0;
  for (uint32_t i = 0; i < index; i++) {
    struct leaves leaves = {0};
    (void)list_leaves(t, element_type(type, i), 0, &leaves);
    first += (uint32_t)leaves.count;
    free(leaves.items);
  }
  return first;
}

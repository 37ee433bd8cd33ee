/*
 * unfold-sym's own C library (library/), compiled to bitcode and a part of unfold-bitcode. It is
 * linked behind a program, which keeps what it defines itself; of the library only what the program
 * reaches becomes a part of it, besides functions that instructions are translated to.
 */
#include "translate_library.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <stdlib.h>
#include <string.h>

#include "translate.h"

static const char mark[] = "unfold-library";

/* A definition of the library gives way to one of the program. */
static void give_way(LLVMValueRef symbol) {
  const LLVMLinkage linkage = LLVMGetLinkage(symbol);
  const bool own = linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
  if (!LLVMIsDeclaration(symbol) && !own) LLVMSetLinkage(symbol, LLVMWeakAnyLinkage);
}

static void mark_all(LLVMModuleRef library) {
  LLVMAttributeRef attribute =
      LLVMCreateStringAttribute(LLVMGetModuleContext(library), mark, (unsigned)strlen(mark), "", 0);
  for (LLVMValueRef g = LLVMGetFirstGlobal(library); g != NULL; g = LLVMGetNextGlobal(g))
    give_way(g);
  for (LLVMValueRef f = LLVMGetFirstFunction(library); f != NULL; f = LLVMGetNextFunction(f)) {
    give_way(f);
    if (!LLVMIsDeclaration(f))
      LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
  }
}

bool library_has(LLVMValueRef function) {
  return LLVMGetStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                       mark, (unsigned)strlen(mark)) != NULL;
}

/* ---- what is reached ---- */

struct reach {
  struct map *reached;
  LLVMValueRef *symbols; /* found, and not looked into yet */
  size_t count, room;
};

static void reach_symbol(struct reach *r, LLVMValueRef symbol) {
  const uint64_t key = (uint64_t)(uintptr_t)symbol;
  if (map_get(r->reached, key, 0, 0) != UINT32_MAX) return;
  map_put(r->reached, key, 0, 0, 0);
  r->symbols = grow(r->symbols, r->count + 1, &r->room, sizeof(LLVMValueRef));
  r->symbols[r->count++] = symbol;
}

static void reach_constant(struct reach *r, LLVMValueRef value) {
  if (value == NULL || !LLVMIsAConstant(value)) return;
  if (LLVMIsAGlobalValue(value)) {
    reach_symbol(r, value);
    return;
  }
  for (int i = 0; i < LLVMGetNumOperands(value); i++)
    reach_constant(r, LLVMGetOperand(value, (unsigned)i));
}

static void look_into(struct reach *r, LLVMValueRef symbol) {
  if (LLVMIsAGlobalVariable(symbol)) reach_constant(r, LLVMGetInitializer(symbol));
  if (LLVMIsAGlobalAlias(symbol)) reach_constant(r, LLVMAliasGetAliasee(symbol));
  if (!LLVMIsAFunction(symbol)) return;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(symbol); b != NULL;
       b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = LLVMGetNextInstruction(i))
      for (int n = 0; n < LLVMGetNumOperands(i); n++)
        reach_constant(r, LLVMGetOperand(i, (unsigned)n));
}

static bool is_helper(LLVMValueRef function) {
  static const char begin[] = "__unfold_";
  size_t size;
  const char *name = LLVMGetValueName2(function, &size);
  return !LLVMIsDeclaration(function) && size > strlen(begin) &&
         memcmp(name, begin, strlen(begin)) == 0;
}

/* ---- both ---- */

static bool link_all(struct translation *t) {
  for (size_t i = 0; i < library_part_count; i++) {
    LLVMModuleRef part = NULL;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(
        (const char *)library_parts[i].bytes, library_parts[i].size, mark, 0);
    if (LLVMParseBitcodeInContext2(LLVMGetModuleContext(t->module), buffer, &part)) return false;
    LLVMDisposeMemoryBuffer(buffer);
    mark_all(part);
    if (LLVMLinkModules2(t->module, part)) return false;
  }
  return true;
}

bool library_link(struct translation *t) {
  struct reach r = {.reached = &t->reached};
  for (LLVMValueRef g = LLVMGetFirstGlobal(t->module); g != NULL; g = LLVMGetNextGlobal(g))
    if (!LLVMIsDeclaration(g)) reach_symbol(&r, g);
  for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f != NULL; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f)) reach_symbol(&r, f);
  if (!link_all(t)) return false;
  for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f != NULL; f = LLVMGetNextFunction(f))
    if (is_helper(f)) reach_symbol(&r, f);
  while (r.count > 0)
    look_into(&r, r.symbols[--r.count]);
  free(r.symbols);
  return true;
}

bool library_reached(const struct translation *t, LLVMValueRef symbol) {
  return map_get(&t->reached, (uint64_t)(uintptr_t)symbol, 0, 0) != UINT32_MAX;
}

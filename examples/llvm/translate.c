/*
 * unfold-bitcode: translates files of bitcode, which it links, to the compact form of code.h on
 * standard output. What is wrong goes to standard error, with exit status 2; 3: no memory. It is
 * started by unfold-sym.
 */
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <stdlib.h>
#include <string.h>

#include "translate.h"
#include "translate_constants.h"
#include "translate_function.h"
#include "translate_library.h"

static int fail(const char *file, const char *message) {
  fprintf(stderr, "%s: %s\n", file, message);
  return 2;
}

static LLVMModuleRef read_module(LLVMContextRef context, const char *file) {
  LLVMMemoryBufferRef buffer;
  LLVMModuleRef module = NULL;
  char *message = NULL;
  if (LLVMCreateMemoryBufferWithContentsOfFile(file, &buffer, &message)) {
    fail(file, message);
    return NULL;
  }
  if (LLVMParseBitcodeInContext2(context, buffer, &module)) {
    fail(file, "not bitcode that LLVM 19 reads");
    return NULL;
  }
  LLVMDisposeMemoryBuffer(buffer);
  if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message)) {
    fail(file, message);
    return NULL;
  }
  return module;
}

static LLVMModuleRef read_all(LLVMContextRef context, int count, char **files) {
  LLVMModuleRef all = NULL;
  for (int i = 0; i < count; i++) {
    LLVMModuleRef module = read_module(context, files[i]);
    if (module == NULL) return NULL;
    if (all == NULL) {
      all = module;
    } else if (LLVMLinkModules2(all, module)) {
      fail(files[i], "it cannot be linked with the files before");
      return NULL;
    }
  }
  return all;
}

static void name_symbols(struct translation *t) {
  for (LLVMValueRef g = LLVMGetFirstGlobal(t->module); g != NULL; g = LLVMGetNextGlobal(g))
    if (library_reached(t, g))
      map_put(&t->symbols, (uint64_t)(uintptr_t)g, 0, 0, t->global_count++);
  for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f != NULL; f = LLVMGetNextFunction(f))
    if (library_reached(t, f))
      map_put(&t->symbols, (uint64_t)(uintptr_t)f, 0, 0, t->function_count++);
}

static uint64_t size_of_global(const struct translation *t, LLVMValueRef g) {
  LLVMTypeRef type = LLVMGlobalGetValueType(g);
  return LLVMTypeIsSized(type) ? LLVMABISizeOfType(t->layout, type) : 0;
}

static bool is_list(const char *name, size_t size) {
  static const char begin[] = "llvm.";
  return size >= strlen(begin) && memcmp(name, begin, strlen(begin)) == 0;
}

static bool write_global(struct translation *t, LLVMValueRef g) {
  struct bytes pieces = {0};
  struct bytes *out = &t->globals;
  uint32_t count = 0;
  size_t size;
  const char *name = LLVMGetValueName2(g, &size);
  LLVMValueRef value = LLVMGetInitializer(g);
  bool good = true;
  if (value != NULL && !is_list(name, size)) good = write_pieces(t, value, 0, &pieces, &count);
  if (!good) fail(name, "a global with a value that is not supported");
  put_text(out, name, size);
  put_number(out, size_of_global(t, g));
  put_number(out, LLVMGetAlignment(g) > 0 ? LLVMGetAlignment(g) : 16);
  put_number(out, (LLVMIsGlobalConstant(g) ? 1U : 0U) | (LLVMIsThreadLocal(g) ? 2U : 0U));
  put_number(out, count);
  put_bytes(out, pieces.data, pieces.count);
  free(pieces.data);
  return good;
}

/* The list has a structure of a priority, a function and data for each. */
static void write_constructors(struct translation *t) {
  LLVMValueRef list = LLVMGetNamedGlobal(t->module, "llvm.global_ctors");
  LLVMValueRef value = list != NULL ? LLVMGetInitializer(list) : NULL;
  const unsigned count = value != NULL ? (unsigned)LLVMGetArrayLength2(LLVMTypeOf(value)) : 0;
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef function = LLVMGetAggregateElement(LLVMGetAggregateElement(value, i), 1);
    const uint32_t number = map_get(&t->symbols, (uint64_t)(uintptr_t)function, 0, 0);
    if (number == UINT32_MAX) continue;
    put_number(&t->constructors, number);
    t->constructor_count++;
  }
}

static void put_part(struct bytes *all, uint32_t count, const struct bytes *part) {
  put_number(all, count);
  put_bytes(all, part->data, part->count);
}

static int write_program(struct translation *t) {
  static const char copies[] = "llvm.memcpy";
  struct bytes all = {0};
  name_symbols(t);
  for (LLVMValueRef g = LLVMGetFirstGlobal(t->module); g != NULL; g = LLVMGetNextGlobal(g))
    if (library_reached(t, g) && !write_global(t, g)) return 2;
  for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f != NULL; f = LLVMGetNextFunction(f))
    if (library_reached(t, f)) translate_function(t, f);
  write_constructors(t);
  put_text(&t->functions, copies, strlen(copies));
  for (int i = 0; i < 4; i++) /* declared, without parameters, registers and instructions */
    put_number(&t->functions, 0);
  put_bytes(&all, CODE_BEGIN, strlen(CODE_BEGIN));
  put_part(&all, t->text_count, &t->texts);
  put_part(&all, t->constant_count, &t->constants);
  put_part(&all, t->global_count, &t->globals);
  put_part(&all, t->function_count + 1, &t->functions);
  put_part(&all, t->constructor_count, &t->constructors);
  if (fwrite(all.data, 1, all.count, stdout) != all.count || fflush(stdout) != 0)
    return fail("unfold-bitcode", "the program cannot be written");
  return 0;
}

int main(int argc, char **argv) {
  static const char needed[] = "x86_64";
  struct translation t = {0};
  if (argc < 2) return fail("unfold-bitcode", "usage: unfold-bitcode FILE.bc…");
  t.module = read_all(LLVMContextCreate(), argc - 1, argv + 1);
  if (t.module == NULL) return 2;
  if (strncmp(LLVMGetTarget(t.module), needed, strlen(needed)) != 0)
    return fail(argv[1], "not a program for x86-64");
  t.layout = LLVMGetModuleDataLayout(t.module);
  if (!library_link(&t)) return fail(argv[1], "it cannot be linked with the library");
  LLVMSetIsNewDbgInfoFormat(t.module, 0); /* what declares variables is instructions */
  (void)text_number(&t, "", 0);
  _Exit(write_program(&t)); /* what is held goes with the process */
}

/* What the C library does with memory of its caller is an access of the caller, where it is known
 * which (../memory). Of the other functions, calls are noticed, so that the report can name them:
 * in modules whose own accesses are seen, each reference to such a function is made one to a piece
 * of code that goes there by a look at how many threads there are. */
#include "imports.h"

#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../control.h"
#include "../control/modules.h"
#include "accesses.h"
#include "entry.h"
#include "heap.h"
#include "modules.h"
#include "scheduler.h"
#include "words.h"

/* A reference is to a piece of code: movabs $imported, %r11; jmp *16(%r11). Both that and what it
 * is about are in one block. */
enum { CODE_SIZE = 14 };
struct piece {
  struct imported imported;
  unsigned char code[CODE_SIZE + 2];
};

static const char *const plain[] = {
#define X(name) #name,
#include "imports.def"
#undef X
};

static struct piece *pieces;
static uint32_t piece_count;

static int compare(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_plain(const char *name) {
  return bsearch(&name, plain, sizeof plain / sizeof *plain, sizeof *plain, compare) != NULL;
}

static struct import *find(const char *name) {
  for (uint32_t i = 0; i < control->import_count; i++)
    if (strncmp(control->imports[i].name, name, IMPORT_SIZE - 1) == 0) return &control->imports[i];
  return NULL;
}

static struct import *add(const char *name) {
  struct import *import = find(name);
  if (import != NULL || control->import_count == IMPORTS_MAX) return import;
  import = &control->imports[control->import_count++];
  snprintf(import->name, sizeof import->name, "%s", name);
  import->place = 0;
  return import;
}

void imports_carry(const struct import *imports, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    struct import *import = add(imports[i].name);
    if (import != NULL && import->place == 0) import->place = imports[i].place;
  }
}

void unfold_unknown(const char *function, uint64_t place) {
  struct import *import = running && threads->next != NULL ? add(function) : NULL;
  if (import != NULL && import->place == 0) import->place = place;
}

/* ---- references ---- */

/* Numbers of the mathematical library are its only results, but for these. */
static bool only_calculates(const char *name) {
  static const char *const others[] = {"frexp",  "gamma",       "getpayload",  "lgamma",
                                       "modf",   "nan",         "remquo",      "setpayload",
                                       "sincos", "significand", "canonicalize"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strncmp(name, others[i], strlen(others[i])) == 0) return false;
  return true;
}

/* A function of the C library, or of a part of it, of which too little is known. */
static bool is_unknown(const char *name, uint64_t function) {
  uint32_t module;
  uint64_t offset;
  if (!module_locate(function, &module, &offset)) return false;
  const struct module *m = &control->modules[module];
  const bool calculates = strstr(m->path, "/libm.so.") != NULL;
  if (!m->excluded && !calculates && strstr(m->path, "/libresolv.so.") == NULL) return false;
  if (strstr(m->path, "/unfold-") != NULL || strstr(m->path, "/libunfold") != NULL) return false;
  if (function < m->text_low || function >= m->text_high) return false; /* it is data */
  return calculates ? !only_calculates(name) : !is_plain(name);
}

/* The piece of code that goes there. */
static struct piece *piece_of(const char *name, uint64_t function) {
  const uint64_t enter = (uint64_t)(uintptr_t)import_enter;
  for (uint32_t i = 0; i < piece_count; i++)
    if (pieces[i].imported.function == function &&
        strncmp(pieces[i].imported.import->name, name, IMPORT_SIZE - 1) == 0)
      return &pieces[i];
  struct import *import = add(name);
  if (piece_count == IMPORTS_MAX || import == NULL) return NULL;
  struct piece *piece = &pieces[piece_count++];
  const uint64_t self = (uint64_t)(uintptr_t)piece;
  piece->imported = (struct imported){function, import, enter};
  memcpy(piece->code, "\x49\xbb", 2);
  memcpy(piece->code + 2, &self, sizeof self);
  memcpy(piece->code + 2 + sizeof self, "\x41\xff\x63\x10", 4);
  return piece;
}

/* What is known of one module's references. */
struct references {
  const ElfW(Sym) * symbols;
  const char *texts;
  uint64_t base, relro_low, relro_high; /* the last: what is read-only since it was loaded */
};

static bool change(const struct references *r, const ElfW(Rela) * relocation) {
  const uint32_t type = (uint32_t)ELF64_R_TYPE(relocation->r_info);
  const char *name = r->texts + r->symbols[ELF64_R_SYM(relocation->r_info)].st_name;
  uint64_t *slot = (uint64_t *)(uintptr_t)(r->base + relocation->r_offset);
  if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) return true;
  if (!is_unknown(name, *slot)) return true;
  const struct piece *piece = piece_of(name, *slot);
  const uint64_t address = (uint64_t)(uintptr_t)slot, page = address & ~(uint64_t)(PAGE - 1);
  const bool fixed = address >= r->relro_low && address < r->relro_high;
  if (piece == NULL) return false;
  if (fixed && mprotect((void *)(uintptr_t)page, PAGE, PROT_READ | PROT_WRITE) != 0) return false;
  *slot = (uint64_t)(uintptr_t)piece->code;
  return !fixed || mprotect((void *)(uintptr_t)page, PAGE, PROT_READ) == 0;
}

static bool change_all(const struct references *r, const ElfW(Rela) * table, uint64_t size) {
  bool good = true;
  for (uint64_t i = 0; i < size / sizeof *table && r->symbols != NULL; i++)
    good &= change(r, &table[i]);
  return good;
}

static void look_at(const struct dl_phdr_info *information) {
  const ElfW(Rela) *calls = NULL, *others = NULL;
  uint64_t calls_size = 0, others_size = 0;
  const ElfW(Dyn) *dynamic = NULL;
  struct references r = {.base = information->dlpi_addr};
  for (int i = 0; i < information->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &information->dlpi_phdr[i];
    if (part->p_type == PT_DYNAMIC) dynamic = (const void *)(uintptr_t)(r.base + part->p_vaddr);
    if (part->p_type != PT_GNU_RELRO) continue;
    r.relro_low = r.base + part->p_vaddr;
    r.relro_high = (r.relro_low + part->p_memsz) & ~(uint64_t)(PAGE - 1);
  }
  for (const ElfW(Dyn) *d = dynamic; d != NULL && d->d_tag != DT_NULL; d++) {
    const void *at = (const void *)d->d_un.d_ptr;
    if (d->d_tag == DT_SYMTAB) r.symbols = at;
    if (d->d_tag == DT_STRTAB) r.texts = at;
    if (d->d_tag == DT_JMPREL) calls = at;
    if (d->d_tag == DT_RELA) others = at;
    if (d->d_tag == DT_PLTRELSZ) calls_size = d->d_un.d_val;
    if (d->d_tag == DT_RELASZ) others_size = d->d_un.d_val;
  }
  /* Both, whether or not the first one could be. */
  const bool first = change_all(&r, calls, calls_size);
  const bool second = change_all(&r, others, others_size);
  control->imports_unwatched |= !first || !second;
}

static int visit(struct dl_phdr_info *information, size_t size, void *user) {
  uint32_t module;
  uint64_t offset;
  (void)size, (void)user;
  for (int i = 0; i < information->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &information->dlpi_phdr[i];
    const uint64_t address = information->dlpi_addr + part->p_vaddr;
    if (part->p_type != PT_DYNAMIC || !module_locate(address, &module, &offset)) continue;
    if (!control->modules[module].excluded && accesses_count(module)) look_at(information);
  }
  return 0;
}

void imports_watch(void) {
  const size_t size = (IMPORTS_MAX * sizeof *pieces + PAGE - 1) & ~(size_t)(PAGE - 1);
  const int rights = PROT_READ | PROT_EXEC;
  if (!words_watched() && !(control->settings.races && control->callbacks_seen)) return;
  if (pieces == NULL) {
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pieces = block != MAP_FAILED ? block : NULL;
  } else if (mprotect(pieces, size, PROT_READ | PROT_WRITE) != 0) {
    pieces = NULL;
  }
  control->imports_unwatched |= pieces == NULL || mprotect(pieces, PAGE, rights) != 0;
  if (control->imports_unwatched || mprotect(pieces, size, PROT_READ | PROT_WRITE) != 0) return;
  dl_iterate_phdr(visit, NULL);
  if (mprotect(pieces, size, rights) != 0) control->imports_unwatched = true;
}

/* Where the program and its libraries were loaded. Read once before main; worker and launcher use
 * it to name objects and source lines without absolute addresses. */
#include "modules.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../control.h"
#include "../control/modules.h"
#include "entry.h"

static uint32_t filled; /* entries of the list that is made */

static int add(struct dl_phdr_info *information, size_t size, void *user) {
  if (filled == MODULES_MAX) {
    control->modules_unlisted++;
    return 0;
  }
  struct module *m = &control->modules[filled];
  memset(m, 0, sizeof *m);
  m->base = information->dlpi_addr;
  m->low = UINT64_MAX;
  for (int i = 0; i < information->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &information->dlpi_phdr[i];
    if (part->p_type != PT_LOAD) continue;
    uint64_t low = m->base + part->p_vaddr, high = low + part->p_memsz;
    if (low < m->low) m->low = low;
    if (high > m->high) m->high = high;
    if ((part->p_flags & PF_X) == 0) continue;
    if (m->text_low == 0 || low < m->text_low) m->text_low = low;
    if (high > m->text_high) m->text_high = high;
  }
  if (m->high == 0) return 0;
  if (filled > 0) {
    snprintf(m->path, sizeof m->path, "%s", information->dlpi_name);
  } else {
    ssize_t length = readlink("/proc/self/exe", m->path, sizeof m->path - 1);
    m->path[length > 0 ? length : 0] = '\0';
  }
  m->libc = strstr(m->path, "/libc.so.") != NULL;
  filled++;
  return 0;
}

/* The libraries of this program, of which there is one more at the level all. They have the last
 * numbers, because what is known of a place in a module holds at another level, too. */
static bool is_ours(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL &&
         (strcmp(slash, "/unfold-preload.so") == 0 || strcmp(slash, "/unfold-memory.so") == 0);
}

static int add_theirs(struct dl_phdr_info *information, size_t size, void *user) {
  return is_ours(information->dlpi_name) ? 0 : add(information, size, user);
}

static int add_ours(struct dl_phdr_info *information, size_t size, void *user) {
  return is_ours(information->dlpi_name) ? add(information, size, user) : 0;
}

/* A worker tells of the list while the program makes it: they are in it when they are whole. */
static void publish(void) {
  __atomic_store_n(&control->module_count, filled, __ATOMIC_RELEASE);
}

void modules_read(void) {
  filled = 0;
  publish();
  dl_iterate_phdr(add_theirs, NULL);
  dl_iterate_phdr(add_ours, NULL);
  publish();
  control->modules_sum = control->module_count;
  for (uint32_t i = 0; i < control->module_count; i++)
    control->modules_sum =
        (control->modules_sum ^ control->modules[i].base ^ control->modules[i].high << 20) *
        0x9e3779b97f4a7c15u;
}

static int add_new(struct dl_phdr_info *information, size_t size, void *user) {
  if (information->dlpi_name[0] == '\0') return 0;
  for (uint32_t i = 0; i < control->module_count; i++)
    if (control->modules[i].base == information->dlpi_addr &&
        strcmp(control->modules[i].path, information->dlpi_name) == 0)
      return 0;
  return add(information, size, user);
}

void modules_more(void) {
  control->modules_unlisted = 0;
  filled = control->module_count;
  dl_iterate_phdr(add_new, NULL);
  publish();
}

/* Whether a relocation table of a module refers to one of some names. */
static bool table_imports(const ElfW(Rela) * table, size_t size, const ElfW(Sym) * symbols,
                          const char *texts, const char *const *names) {
  for (size_t i = 0; i < size / sizeof *table; i++) {
    const char *text = texts + symbols[ELF64_R_SYM(table[i].r_info)].st_name;
    for (const char *const *name = names; *name != NULL; name++)
      if (strcmp(text, *name) == 0) return true;
  }
  return false;
}

static bool imports(const struct link_map *map, const char *const *names) {
  const ElfW(Sym) *symbols = NULL;
  const ElfW(Rela) *calls = NULL, *others = NULL;
  const char *texts = NULL;
  size_t calls_size = 0, others_size = 0;
  for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
    const void *at = (const void *)d->d_un.d_ptr;
    if (d->d_tag == DT_SYMTAB) symbols = at;
    if (d->d_tag == DT_STRTAB) texts = at;
    if (d->d_tag == DT_JMPREL) calls = at;
    if (d->d_tag == DT_RELA) others = at;
    if (d->d_tag == DT_PLTRELSZ) calls_size = d->d_un.d_val;
    if (d->d_tag == DT_RELASZ) others_size = d->d_un.d_val;
  }
  return table_imports(calls, calls_size, symbols, texts, names) ||
         table_imports(others, others_size, symbols, texts, names);
}

/* Whether the program or a library of its refers to one of some functions, but for ourselves and
 * the kernel's, whose tables are not relocated. */
bool modules_import(const char *const *names) {
  uint32_t own = MODULES_MAX, at = MODULES_MAX;
  uint64_t offset;
  module_locate((uint64_t)(uintptr_t)imports, &own, &offset);
  for (const struct link_map *map = _r_debug.r_map; map != NULL; map = map->l_next)
    if (module_locate((uint64_t)(uintptr_t)map->l_ld, &at, &offset) && at != own &&
        strstr(map->l_name, "vdso") == NULL && imports(map, names))
      return true;
  return false;
}

bool module_loaded(uint32_t module) {
  const struct link_map *map = _r_debug.r_map;
  while (map != NULL && (map->l_addr != control->modules[module].base ||
                         strcmp(map->l_name, control->modules[module].path) != 0))
    map = map->l_next;
  return map != NULL;
}

static bool needs(const struct link_map *map, const char *library) {
  const char *texts = NULL;
  for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++)
    if (d->d_tag == DT_STRTAB) texts = (const void *)d->d_un.d_ptr;
  for (const ElfW(Dyn) *d = map->l_ld; texts != NULL && d->d_tag != DT_NULL; d++)
    if (d->d_tag == DT_NEEDED && strcmp(texts + d->d_un.d_val, library) == 0) return true;
  return false;
}

bool modules_brought(const char *library) {
  bool brought = false;
  uint32_t own = MODULES_MAX, at = MODULES_MAX;
  uint64_t offset;
  module_locate((uint64_t)(uintptr_t)imports, &own, &offset);
  for (const struct link_map *map = _r_debug.r_map; map != NULL; map = map->l_next)
    if (module_locate((uint64_t)(uintptr_t)map->l_ld, &at, &offset) &&
        strstr(map->l_name, "vdso") == NULL && needs(map, library)) {
      if (at != own) return false;
      brought = true;
    }
  return brought;
}

bool modules_in_libc(uint64_t address) {
  uint32_t module;
  uint64_t offset;
  return module_locate(address, &module, &offset) && control->modules[module].libc;
}

static bool is_in(uint64_t address, uint32_t module) {
  return address >= control->modules[module].low && address < control->modules[module].high;
}

/* Often the same one again. */
bool module_locate(uint64_t address, uint32_t *module, uint64_t *offset) {
  static uint32_t last;
  uint32_t i = last;
  if (i >= control->module_count || !is_in(address, i))
    for (i = 0; i < control->module_count && !is_in(address, i);)
      i++;
  if (i == control->module_count) return false;
  *module = last = i;
  *offset = address - control->modules[i].base;
  return true;
}

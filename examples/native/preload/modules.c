/* Where the program and its libraries were loaded. Read once before main; worker and launcher use
 * it to name objects and source lines without absolute addresses. */
#include "preload.h"

#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int add(struct dl_phdr_info *information, size_t size, void *user) {
  if (control->module_count == MODULES_MAX) return 1;
  struct module *m = &control->modules[control->module_count];
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
  if (control->module_count > 0) {
    snprintf(m->path, sizeof m->path, "%s", information->dlpi_name);
  } else {
    ssize_t length = readlink("/proc/self/exe", m->path, sizeof m->path - 1);
    m->path[length > 0 ? length : 0] = '\0';
  }
  control->module_count++;
  return 0;
}

void modules_read(void) {
  control->module_count = 0;
  dl_iterate_phdr(add, NULL);
}

bool module_locate(uint64_t address, uint32_t *module, uint64_t *offset) {
  for (uint32_t i = 0; i < control->module_count; i++) {
    const struct module *m = &control->modules[i];
    if (address < m->low || address >= m->high) continue;
    *module = i;
    *offset = address - m->base;
    return true;
  }
  return false;
}

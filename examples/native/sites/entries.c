/* Only what is a function for certain: the kernel, the dynamic linker or the linker goes there as
 * one. A symbol that does not say what it is may be that of a constant in the middle of code. */
#include "entries.h"

enum { ARRAY_MOST = 4096, POINTER = 8 };

static bool add(struct spans *entries, uint64_t address) {
  return address == 0 || spans_add(entries, (struct span){address, address + 1});
}

/* Pointers to functions, as the file has them or as the dynamic linker makes them. */
static bool add_array(const struct image *image, int64_t begin, int64_t size,
                      struct spans *entries) {
  const uint64_t low = image_dynamic(image, begin), count = image_dynamic(image, size) / POINTER;
  for (uint64_t i = 0; i < count && i < ARRAY_MOST; i++) {
    uint64_t room;
    const unsigned char *bytes = image_at(image, low + i * POINTER, false, &room);
    if (bytes == NULL || room < POINTER) break;
    uint64_t function = bytes_number(bytes, POINTER);
    if (function == 0) function = image_relative(image, low + i * POINTER);
    if (!add(entries, function)) return false;
  }
  return true;
}

/* Sections that are a function each. */
static bool add_sections(const struct image *image, struct spans *entries) {
  Elf64_Shdr s;
  return (!image_section(image, ".init", &s) || add(entries, s.sh_addr)) &&
         (!image_section(image, ".fini", &s) || add(entries, s.sh_addr));
}

bool entries_read(const struct image *image, struct spans *entries) {
  uint32_t table = 0;
  uint64_t position = 0;
  Elf64_Sym s;
  bool good = add(entries, image->head.e_entry) && add(entries, image_dynamic(image, DT_INIT)) &&
              add(entries, image_dynamic(image, DT_FINI)) &&
              add_array(image, DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ, entries) &&
              add_array(image, DT_INIT_ARRAY, DT_INIT_ARRAYSZ, entries) &&
              add_array(image, DT_FINI_ARRAY, DT_FINI_ARRAYSZ, entries) &&
              add_sections(image, entries);
  while (good && image_symbol(image, &table, &position, &s)) {
    const unsigned type = ELF64_ST_TYPE(s.st_info);
    if ((type == STT_FUNC || type == STT_GNU_IFUNC) && s.st_shndx != SHN_UNDEF)
      good = add(entries, s.st_value);
  }
  return good;
}

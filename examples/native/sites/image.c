/* Reading the parts of an ELF file. Every offset and size is checked against the file's own size,
 * so that a file that is cut off or made to harm yields less, and nothing else. */
#include "image.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The sections of a file with very many of them would be counted elsewhere. */
enum { FIXED_POINTER = 4 };

static const unsigned char *part(const struct image *image, uint64_t offset, uint64_t size) {
  bool inside = offset <= image->size && size <= image->size - offset;
  return inside ? image->bytes + offset : NULL;
}

uint64_t bytes_number(const unsigned char *bytes, unsigned size) {
  uint64_t number = 0;
  for (unsigned i = 0; i < size; i++)
    number |= (uint64_t)bytes[i] << 8 * i;
  return number;
}

bool image_open(struct image *image, const char *path) {
  struct stat information;
  memset(image, 0, sizeof *image);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  void *bytes = MAP_FAILED;
  if (fstat(file, &information) == 0 && S_ISREG(information.st_mode) && information.st_size > 0)
    bytes = mmap(NULL, (size_t)information.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (bytes == MAP_FAILED) return false;
  image->bytes = bytes;
  image->size = (uint64_t)information.st_size;
  const unsigned char *head = part(image, 0, sizeof image->head);
  if (head != NULL) memcpy(&image->head, head, sizeof image->head);
  if (head != NULL && memcmp(image->head.e_ident, ELFMAG, SELFMAG) == 0 &&
      image->head.e_ident[EI_CLASS] == ELFCLASS64 && image->head.e_machine == EM_X86_64)
    return true;
  image_close(image);
  return false;
}

void image_close(struct image *image) {
  munmap((void *)(uintptr_t)image->bytes, image->size);
  image->bytes = NULL;
}

static bool segment(const struct image *image, uint32_t i, Elf64_Phdr *segment) {
  if (i >= image->head.e_phnum || image->head.e_phentsize != sizeof *segment) return false;
  const uint64_t at = (uint64_t)i * sizeof *segment;
  if (image->head.e_phoff > UINT64_MAX - at) return false;
  const unsigned char *from = part(image, image->head.e_phoff + at, sizeof *segment);
  if (from != NULL) memcpy(segment, from, sizeof *segment);
  return from != NULL;
}

static bool section(const struct image *image, uint32_t i, Elf64_Shdr *section) {
  if (i >= image->head.e_shnum || image->head.e_shentsize != sizeof *section) return false;
  const uint64_t at = (uint64_t)i * sizeof *section;
  if (image->head.e_shoff > UINT64_MAX - at) return false;
  const unsigned char *from = part(image, image->head.e_shoff + at, sizeof *section);
  if (from != NULL) memcpy(section, from, sizeof *section);
  return from != NULL;
}

const unsigned char *image_at(const struct image *image, uint64_t address, bool code,
                              uint64_t *room) {
  Elf64_Phdr s;
  for (uint32_t i = 0; segment(image, i, &s); i++) {
    if (s.p_type != PT_LOAD || address < s.p_vaddr || address - s.p_vaddr >= s.p_filesz) continue;
    if (code && (s.p_flags & PF_X) == 0) continue;
    const unsigned char *from = part(image, s.p_offset, s.p_filesz);
    if (from == NULL) continue;
    *room = s.p_filesz - (address - s.p_vaddr);
    return from + (address - s.p_vaddr);
  }
  return NULL;
}

bool image_section(const struct image *image, const char *name, Elf64_Shdr *found) {
  Elf64_Shdr names;
  if (!section(image, image->head.e_shstrndx, &names)) return false;
  const unsigned char *texts = part(image, names.sh_offset, names.sh_size);
  const size_t length = strlen(name) + 1;
  for (uint32_t i = 0; texts != NULL && section(image, i, found); i++)
    if (found->sh_name < names.sh_size && names.sh_size - found->sh_name >= length &&
        memcmp(texts + found->sh_name, name, length) == 0)
      return true;
  return false;
}

bool image_code(const struct image *image, uint32_t *position, struct span *span) {
  Elf64_Shdr s;
  Elf64_Phdr p;
  const uint64_t wanted = SHF_EXECINSTR | SHF_ALLOC;
  uint64_t room;
  bool sections = section(image, 0, &s);
  for (; sections && section(image, *position, &s); ++*position) {
    if ((s.sh_flags & wanted) != wanted || s.sh_type == SHT_NOBITS) continue;
    if (image_at(image, s.sh_addr, true, &room) == NULL) continue;
    *span = (struct span){s.sh_addr, s.sh_addr + (s.sh_size < room ? s.sh_size : room)};
    ++*position;
    return true;
  }
  for (; !sections && segment(image, *position, &p); ++*position) {
    if (p.p_type != PT_LOAD || (p.p_flags & PF_X) == 0) continue;
    if (image_at(image, p.p_vaddr, true, &room) == NULL) continue;
    *span = (struct span){p.p_vaddr, p.p_vaddr + room};
    ++*position;
    return true;
  }
  return false;
}

/* Without a table of sections, the header that the unwinder uses points there; the descriptions
 * then end with an empty one. */
bool image_frames(const struct image *image, struct span *span) {
  enum { VERSION = 1, RELATIVE_4 = 0x1b };
  Elf64_Shdr frames;
  Elf64_Phdr s;
  uint64_t room;
  if (image_section(image, ".eh_frame", &frames)) {
    if (image_at(image, frames.sh_addr, false, &room) == NULL) return false;
    *span = (struct span){frames.sh_addr,
                          frames.sh_addr + (frames.sh_size < room ? frames.sh_size : room)};
    return true;
  }
  for (uint32_t i = 0; segment(image, i, &s); i++) {
    if (s.p_type != PT_GNU_EH_FRAME) continue;
    const unsigned char *head = image_at(image, s.p_vaddr, false, &room);
    if (head == NULL || room < 2 * FIXED_POINTER || head[0] != VERSION || head[1] != RELATIVE_4)
      continue;
    int32_t distance = (int32_t)bytes_number(head + FIXED_POINTER, FIXED_POINTER);
    span->low = s.p_vaddr + FIXED_POINTER + (uint64_t)(int64_t)distance;
    if (image_at(image, span->low, false, &room) == NULL) continue;
    span->high = span->low + room;
    return true;
  }
  return false;
}

bool image_constant(const struct image *image, uint64_t address) {
  Elf64_Phdr s;
  bool constant = false;
  for (uint32_t i = 0; segment(image, i, &s); i++) {
    if (address < s.p_vaddr || address - s.p_vaddr >= s.p_memsz) continue;
    if (s.p_type == PT_GNU_RELRO) return true;
    if (s.p_type == PT_LOAD) constant = (s.p_flags & PF_W) == 0;
  }
  return constant;
}

uint64_t image_relative(const struct image *image, uint64_t address) {
  Elf64_Shdr s;
  for (uint32_t i = 0; section(image, i, &s); i++) {
    if (s.sh_type != SHT_RELA) continue;
    const unsigned char *from = part(image, s.sh_offset, s.sh_size);
    for (uint64_t at = 0; from != NULL && s.sh_size - at >= sizeof(Elf64_Rela);
         at += sizeof(Elf64_Rela)) {
      Elf64_Rela r;
      memcpy(&r, from + at, sizeof r);
      if (r.r_offset == address && ELF64_R_TYPE(r.r_info) == R_X86_64_RELATIVE)
        return (uint64_t)r.r_addend;
    }
  }
  return 0;
}

uint64_t image_dynamic(const struct image *image, int64_t tag) {
  Elf64_Phdr s;
  for (uint32_t i = 0; segment(image, i, &s); i++) {
    if (s.p_type != PT_DYNAMIC) continue;
    const unsigned char *from = part(image, s.p_offset, s.p_filesz);
    for (uint64_t at = 0; from != NULL && s.p_filesz - at >= sizeof(Elf64_Dyn);
         at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn d;
      memcpy(&d, from + at, sizeof d);
      if (d.d_tag == DT_NULL) break;
      if (d.d_tag == tag) return d.d_un.d_val;
    }
  }
  return 0;
}

bool image_symbol(const struct image *image, uint32_t *table, uint64_t *position,
                  Elf64_Sym *symbol) {
  Elf64_Shdr s;
  for (; section(image, *table, &s); ++*table, *position = 0) {
    if (s.sh_type != SHT_SYMTAB && s.sh_type != SHT_DYNSYM) continue;
    const unsigned char *from = part(image, s.sh_offset, s.sh_size);
    if (from == NULL || s.sh_entsize != sizeof *symbol) continue;
    if (*position > s.sh_size || s.sh_size - *position < sizeof *symbol) continue;
    memcpy(symbol, from + *position, sizeof *symbol);
    *position += sizeof *symbol;
    return true;
  }
  return false;
}

/* Whether a symbol is a variable that covers an address. */
static bool is_variable(const struct image *image, const Elf64_Sym *symbol, uint64_t address) {
  Elf64_Shdr s;
  const uint64_t wanted = SHF_WRITE | SHF_ALLOC;
  const unsigned type = ELF64_ST_TYPE(symbol->st_info);
  if (address < symbol->st_value || address - symbol->st_value >= symbol->st_size) return false;
  if (type == STT_TLS || type == STT_FUNC || symbol->st_shndx == SHN_UNDEF) return false;
  return section(image, symbol->st_shndx, &s) && (s.sh_flags & wanted) == wanted;
}

/* The text at an offset in a table of them; NULL: it does not end there. */
static const char *text_at(const struct image *image, const Elf64_Shdr *table, uint64_t offset) {
  const unsigned char *texts = part(image, table->sh_offset, table->sh_size);
  if (texts == NULL || offset >= table->sh_size) return NULL;
  const bool ends = memchr(texts + offset, '\0', table->sh_size - offset) != NULL;
  return ends ? (const char *)texts + offset : NULL;
}

static const char *find_variable(const struct image *image, uint32_t type, uint64_t address,
                                 uint64_t *begin) {
  Elf64_Shdr s, texts;
  const char *found = NULL;
  for (uint32_t i = 0; found == NULL && section(image, i, &s); i++) {
    if (s.sh_type != type || s.sh_entsize != sizeof(Elf64_Sym)) continue;
    const unsigned char *from = part(image, s.sh_offset, s.sh_size);
    if (from == NULL || !section(image, s.sh_link, &texts)) continue;
    for (uint64_t at = 0; s.sh_size - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      memcpy(&symbol, from + at, sizeof symbol);
      if (!is_variable(image, &symbol, address)) continue;
      const char *name = text_at(image, &texts, symbol.st_name);
      if (name == NULL || name[0] == '\0' || (found != NULL && strcmp(found, name) <= 0)) continue;
      found = name;
      *begin = symbol.st_value;
    }
  }
  return found;
}

bool image_variable(const struct image *image, uint64_t address, char *name, size_t size,
                    uint64_t *from) {
  const char *found = find_variable(image, SHT_SYMTAB, address, from);
  if (found == NULL) found = find_variable(image, SHT_DYNSYM, address, from);
  if (found == NULL || size == 0) return false;
  const size_t length = strlen(found) < size ? strlen(found) : size - 1;
  memcpy(name, found, length);
  name[length] = '\0';
  return true;
}

/* Whether a program brings the sanitizer's own run-time library, whose functions would come before
 * or beside ours: it needs the shared one, or exports the functions itself. */
#include "sanitizer.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct elf_file {
  const unsigned char *bytes;
  size_t size;
};

/* Part of the file; NULL if the file has no such part. */
static const void *part(const struct elf_file *image, uint64_t offset, uint64_t size) {
  bool inside = offset <= image->size && size <= image->size - offset;
  return inside ? image->bytes + offset : NULL;
}

static bool text_has(const struct elf_file *image, const Elf64_Shdr *texts, uint64_t at,
                     const char *wanted) {
  const char *text = part(image, texts->sh_offset, texts->sh_size);
  size_t length = strlen(wanted);
  return text != NULL && at < texts->sh_size && texts->sh_size - at > length &&
         strncmp(text + at, wanted, length) == 0;
}

static bool brings(const struct elf_file *image, const Elf64_Shdr *section,
                   const Elf64_Shdr *texts) {
  const void *entries = part(image, section->sh_offset, section->sh_size);
  const Elf64_Dyn *needed = section->sh_type == SHT_DYNAMIC ? entries : NULL;
  const Elf64_Sym *symbols = section->sh_type == SHT_DYNSYM ? entries : NULL;
  for (uint64_t i = 0; needed != NULL && i < section->sh_size / sizeof *needed; i++)
    if (needed[i].d_tag == DT_NEEDED && text_has(image, texts, needed[i].d_un.d_val, "libtsan."))
      return true;
  for (uint64_t i = 0; symbols != NULL && i < section->sh_size / sizeof *symbols; i++)
    if (symbols[i].st_shndx != SHN_UNDEF && text_has(image, texts, symbols[i].st_name, "__tsan_in"))
      return true;
  return false;
}

static bool search(const struct elf_file *image) {
  const Elf64_Ehdr *head = part(image, 0, sizeof *head);
  if (head == NULL || head->e_shentsize != sizeof(Elf64_Shdr)) return false;
  const Elf64_Shdr *sections =
      part(image, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections);
  for (unsigned i = 0; sections != NULL && i < head->e_shnum; i++)
    if (sections[i].sh_link < head->e_shnum &&
        brings(image, &sections[i], &sections[sections[i].sh_link]))
      return true;
  return false;
}

bool sanitizer_linked(int file) {
  struct stat information;
  if (fstat(file, &information) != 0 || information.st_size <= 0) return false;
  struct elf_file image = {NULL, (size_t)information.st_size};
  void *bytes = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, file, 0);
  if (bytes == MAP_FAILED) return false;
  image.bytes = bytes;
  bool found = search(&image);
  munmap(bytes, image.size);
  return found;
}

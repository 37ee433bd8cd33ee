/* Whether a program brings the sanitizer's own run-time library, whose functions would come before
 * or beside ours: it needs the shared one, or exports the functions itself. */
#include "sanitizer.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Whether the name of a function of the callbacks stands in a section, with a definition or without
 * one. */
static bool names(const struct elf_file *image, const Elf64_Shdr *section, const Elf64_Shdr *texts,
                  bool defined) {
  const Elf64_Sym *symbols = part(image, section->sh_offset, section->sh_size);
  if (section->sh_type != SHT_DYNSYM || symbols == NULL) return false;
  for (uint64_t i = 0; i < section->sh_size / sizeof *symbols; i++)
    if ((symbols[i].st_shndx != SHN_UNDEF) == defined &&
        text_has(image, texts, symbols[i].st_name, "__tsan_in"))
      return true;
  return false;
}

static bool wants(const struct elf_file *image, const Elf64_Shdr *section,
                  const Elf64_Shdr *texts) {
  return names(image, section, texts, false);
}

static bool brings(const struct elf_file *image, const Elf64_Shdr *section,
                   const Elf64_Shdr *texts) {
  const void *entries = part(image, section->sh_offset, section->sh_size);
  const Elf64_Dyn *needed = section->sh_type == SHT_DYNAMIC ? entries : NULL;
  for (uint64_t i = 0; needed != NULL && i < section->sh_size / sizeof *needed; i++)
    if (needed[i].d_tag == DT_NEEDED && text_has(image, texts, needed[i].d_un.d_val, "libtsan."))
      return true;
  return names(image, section, texts, true);
}

typedef bool test_section(const struct elf_file *image, const Elf64_Shdr *section,
                          const Elf64_Shdr *texts);

static bool search(const struct elf_file *image, test_section *test) {
  const Elf64_Ehdr *head = part(image, 0, sizeof *head);
  if (head == NULL || head->e_shentsize != sizeof(Elf64_Shdr)) return false;
  const Elf64_Shdr *sections =
      part(image, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections);
  for (unsigned i = 0; sections != NULL && i < head->e_shnum; i++)
    if (sections[i].sh_link < head->e_shnum &&
        test(image, &sections[i], &sections[sections[i].sh_link]))
      return true;
  return false;
}

static bool search_file(int file, test_section *test) {
  struct stat information;
  if (fstat(file, &information) != 0 || information.st_size <= 0) return false;
  struct elf_file image = {NULL, (size_t)information.st_size};
  void *bytes = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, file, 0);
  if (bytes == MAP_FAILED) return false;
  image.bytes = bytes;
  bool found = search(&image, test);
  munmap(bytes, image.size);
  return found;
}

bool sanitizer_linked(int file) {
  return search_file(file, brings);
}

bool sanitizer_wanted(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool wanted = search_file(file, wants);
  close(file);
  return wanted;
}

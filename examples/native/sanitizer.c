/* Whether a program brings the run-time library of the sanitizer whose callbacks are used here,
 * whose functions would come before or beside ours: it needs the shared one, or exports the
 * functions itself. And options of those that look at addresses and undefined behaviour. */
#include "sanitizer.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control.h"

static const char CALLBACKS[] = "__tsan_in";

struct elf_file {
  const unsigned char *bytes;
  size_t size;
  char library[NAME_SIZE]; /* that a test found, or "" */
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

/* Whether a name that begins so stands in a section, with a definition or without one. */
static bool names(const struct elf_file *image, const Elf64_Shdr *section, const Elf64_Shdr *texts,
                  const char *name, bool defined) {
  const Elf64_Sym *symbols = part(image, section->sh_offset, section->sh_size);
  if (section->sh_type != SHT_DYNSYM || symbols == NULL) return false;
  for (uint64_t i = 0; i < section->sh_size / sizeof *symbols; i++)
    if ((symbols[i].st_shndx != SHN_UNDEF) == defined &&
        text_has(image, texts, symbols[i].st_name, name))
      return true;
  return false;
}

static bool wants(struct elf_file *image, const Elf64_Shdr *section, const Elf64_Shdr *texts) {
  return names(image, section, texts, CALLBACKS, false);
}

static bool looks(struct elf_file *image, const Elf64_Shdr *section, const Elf64_Shdr *texts) {
  static const char *const begin[] = {"__asan_init", "__ubsan_handle_", "__lsan_init"};
  for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
    if (names(image, section, texts, begin[i], false) ||
        names(image, section, texts, begin[i], true))
      return true;
  return false;
}

/* Keeps the name of the first library needed whose name begins so. */
static bool needs(struct elf_file *image, const Elf64_Shdr *section, const Elf64_Shdr *texts,
                  const char *name) {
  const void *entries = part(image, section->sh_offset, section->sh_size);
  const Elf64_Dyn *needed = section->sh_type == SHT_DYNAMIC ? entries : NULL;
  for (uint64_t i = 0; needed != NULL && i < section->sh_size / sizeof *needed; i++)
    if (needed[i].d_tag == DT_NEEDED && text_has(image, texts, needed[i].d_un.d_val, name)) {
      const char *found = part(image, texts->sh_offset + needed[i].d_un.d_val, 1);
      snprintf(image->library, sizeof image->library, "%s", found);
      return true;
    }
  return false;
}

static bool brings(struct elf_file *image, const Elf64_Shdr *section, const Elf64_Shdr *texts) {
  return needs(image, section, texts, "libtsan.") || names(image, section, texts, CALLBACKS, true);
}

static bool watches_values(struct elf_file *image, const Elf64_Shdr *section,
                           const Elf64_Shdr *texts) {
  return names(image, section, texts, "__msan_init", true);
}

static bool needs_checker(struct elf_file *image, const Elf64_Shdr *section,
                          const Elf64_Shdr *texts) {
  return needs(image, section, texts, "libasan.");
}

typedef bool test_section(struct elf_file *image, const Elf64_Shdr *section,
                          const Elf64_Shdr *texts);

static bool search(struct elf_file *image, test_section *test) {
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

/* library: where a test that looks for one puts its name; or NULL. */
static bool search_file(int file, test_section *test, char *library) {
  struct stat information;
  if (fstat(file, &information) != 0 || information.st_size <= 0) return false;
  struct elf_file image = {.size = (size_t)information.st_size};
  void *bytes = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, file, 0);
  if (bytes == MAP_FAILED) return false;
  image.bytes = bytes;
  bool found = search(&image, test);
  munmap(bytes, image.size);
  if (library != NULL) memcpy(library, image.library, sizeof image.library);
  return found;
}

const char *sanitizer_unsuited(int file) {
  if (search_file(file, brings, NULL))
    return "is linked with the sanitizer's own library: link it with -lunfold-callbacks instead";
  if (search_file(file, watches_values, NULL))
    return "is linked with the sanitizer of uninitialised memory, beside which nothing can be "
           "preloaded";
  return NULL;
}

static bool search_path(const char *path, test_section *test, char *library) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool found = search_file(file, test, library);
  close(file);
  return found;
}

bool sanitizer_wanted(const char *path) {
  return search_path(path, wants, NULL);
}

void sanitizer_library(const char *path, char library[NAME_SIZE]) {
  if (!search_path(path, needs_checker, library)) library[0] = '\0';
}

/* In front of what the variable has, which so has the last word. */
static bool set_options(const char *name, const char *options) {
  const char *given = getenv(name);
  char *text = NULL;
  if (asprintf(&text, "%s:%s", options, given != NULL ? given : "") < 0) return false;
  const bool set = setenv(name, text, 1) == 0;
  free(text);
  return set;
}

bool sanitizer_options(const char *path) {
  return !search_path(path, looks, NULL) ||
         (set_options("ASAN_OPTIONS", "abort_on_error=1:detect_leaks=0:symbolize=0:"
                                      "fast_unwind_on_malloc=0") &&
          set_options("LSAN_OPTIONS", "detect_leaks=0") &&
          set_options("UBSAN_OPTIONS", "halt_on_error=1:abort_on_error=1:symbolize=0"));
}

/* Texts of the status codes, and the version of the library that runs. */
#include <unfold/status.h>
#include <unfold/version.h>

const char *unf_status_text(unf_status status) {
  static const char *const texts[] = {
#define TEXT(name, text) text,
      UNF_STATUS_TABLE(TEXT)
#undef TEXT
  };
  return (unsigned)status < UNF_STATUS_COUNT ? texts[status] : "unknown status";
}

unsigned unf_version(void) {
  return UNF_VERSION;
}

const char *unf_version_text(void) {
  return UNF_VERSION_STRING;
}

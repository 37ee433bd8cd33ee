/* The families of programs that the tests share, as texts of the model language. */
#ifndef ORACLE_FAMILIES_H
#define ORACLE_FAMILIES_H

/* Text of a family with its parameters (the second is not used by all); NULL for an unknown name.
 * To be freed by the caller. */
char *family_text(const char *name, int first, int second);

#endif

/* Linkage of the public functions. */
#ifndef UNFOLD_EXPORT_H
#define UNFOLD_EXPORT_H

#if defined(__GNUC__)
#define UNF_API __attribute__((visibility("default")))
#else
#define UNF_API
#endif

/* A function that is inline for C and C++, and in the library for all others. */
#define UNF_INLINE UNF_API inline

#ifdef __cplusplus
#define UNF_BEGIN_DECLS extern "C" {
#define UNF_END_DECLS   }
#else
#define UNF_BEGIN_DECLS
#define UNF_END_DECLS
#endif

#endif

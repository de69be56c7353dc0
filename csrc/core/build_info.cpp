// How the library was compiled, for reports of bugs.
#include "core/testing.h"

#define STRINGOPS_TEXT_OF(x) #x
#define STRINGOPS_TEXT(x) STRINGOPS_TEXT_OF(x)

#if defined(__clang__)
#define STRINGOPS_COMPILER "clang " STRINGOPS_TEXT(__clang_major__) "." STRINGOPS_TEXT(__clang_minor__)
#else
#define STRINGOPS_COMPILER "gcc " STRINGOPS_TEXT(__GNUC__) "." STRINGOPS_TEXT(__GNUC_MINOR__)
#endif

#if defined(NDEBUG)
#define STRINGOPS_ASSERTIONS "without assertions"
#else
#define STRINGOPS_ASSERTIONS "with assertions"
#endif

#if defined(__SANITIZE_ADDRESS__)
#define STRINGOPS_SANITIZER ", address sanitizer"
#elif defined(__SANITIZE_THREAD__)
#define STRINGOPS_SANITIZER ", thread sanitizer"
#else
#define STRINGOPS_SANITIZER ""
#endif

STRINGOPS_TEST_HOOK const char* stringops_build_info() {
  return STRINGOPS_COMPILER ", C++ " STRINGOPS_TEXT(__cplusplus) ", " STRINGOPS_ASSERTIONS STRINGOPS_SANITIZER;
}

// The instructions that a tier may use: BEGIN_TARGET("avx2,bmi") holds for the functions up to END_TARGET.
//
// They are not options of the compiler, as templates of the standard library that other files instantiate, too, would
// then be compiled with them.
#pragma once

#define STRINGOPS_PRAGMA(text) _Pragma(#text)
#ifdef __clang__
#define BEGIN_TARGET(features) \
  STRINGOPS_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define END_TARGET STRINGOPS_PRAGMA(clang attribute pop)
#else
#define BEGIN_TARGET(features)       \
  STRINGOPS_PRAGMA(GCC push_options) \
  STRINGOPS_PRAGMA(GCC target(features))
#define END_TARGET STRINGOPS_PRAGMA(GCC pop_options)
#endif

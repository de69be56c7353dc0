#pragma once

#include "core/testing.h"

// The compiler and the switches of the build, as a text of one line.
STRINGOPS_TEST_HOOK const char* stringops_build_info();

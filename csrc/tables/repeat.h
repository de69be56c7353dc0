// Repeated elements of arrays, which the tables have thousands of: X8(0) is eight zeros.
#pragma once

#define X8(x) x, x, x, x, x, x, x, x
#define X64(x) X8(x), X8(x), X8(x), X8(x), X8(x), X8(x), X8(x), X8(x)
#define X512(x) X64(x), X64(x), X64(x), X64(x), X64(x), X64(x), X64(x), X64(x)

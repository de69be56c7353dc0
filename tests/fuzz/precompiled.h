// What most targets and kernels include. Short runs compile it once, and include it in front of each file.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/bits.h"
#include "core/codepoint.h"
#include "core/copy_bytes.h"
#include "core/fail.h"
#include "core/narrow.h"
#include "core/poll.h"
#include "core/string_span.h"
#include "core/strings.h"
#include "core/utf8.h"
#include "driver/map.h"
#include "driver/runner.h"
#include "results.h"
#include "split/blocks.h"

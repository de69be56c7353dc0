// A program without Python and torch that runs a model with the library: host RUNTIME LIBRARY MODEL STRING...
//
// The model has an input `strings` and an output `upper`, both tensors of strings of rank 1. Prints the output, a
// string in each line.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ort/abi.h"

using namespace stringops::ort;

namespace {

struct Environment;
struct Session;
struct RunOptions;

constexpr Function<3, Status*(int, const char*, Environment**)> CreateEnv{};
constexpr Function<7, Status*(const Environment*, const char*, const SessionOptions*, Session**)> CreateSession{};
constexpr Function<9, Status*(Session*, const RunOptions*, const char* const*, const Value* const*, size_t,
                              const char* const*, size_t, Value**)>
    Run{};
constexpr Function<10, Status*(SessionOptions**)> CreateSessionOptions{};
constexpr Function<48, Status*(Allocator*, const int64_t*, size_t, ElementType, Value**)> CreateTensorAsOrtValue{};
constexpr Function<92, void(Environment*)> ReleaseEnv{};
constexpr Function<95, void(Session*)> ReleaseSession{};
constexpr Function<100, void(SessionOptions*)> ReleaseSessionOptions{};

void* symbol(const char* library, const char* name) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  void* const found = handle ? dlsym(handle, name) : nullptr;
  if (found) return found;
  std::fprintf(stderr, "%s\n", dlerror());
  std::exit(1);
}

Table api;

void check(Status* status) {
  if (!status) return;
  std::fprintf(stderr, "%s\n", GetErrorMessage(api, status));
  std::exit(1);
}

void write(Value* strings, int64_t i, const std::string& text) {
  char* to = nullptr;
  check(GetResizedStringTensorElementBuffer(api, strings, static_cast<size_t>(i), text.size(), &to));
  text.copy(to, text.size());
}

void print(const Value* strings, size_t count) {
  size_t num_bytes = 0;
  check(GetStringTensorDataLength(api, strings, &num_bytes));
  std::string text(num_bytes, '\0');
  std::vector<size_t> begins(count);
  check(GetStringTensorContent(api, strings, text.data(), num_bytes, begins.data(), count));
  begins.push_back(num_bytes);
  for (size_t i = 0; i < count; ++i) std::printf("%s\n", text.substr(begins[i], begins[i + 1] - begins[i]).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto* const base = reinterpret_cast<const ApiBase* (*)()>(symbol(argv[1], "OrtGetApiBase"))();
  const auto add_operators =
      reinterpret_cast<Status* (*)(SessionOptions*, const ApiBase*)>(symbol(argv[2], "RegisterCustomOps"));
  api = base->get_api(kApiVersion);
  Environment* environment = nullptr;
  SessionOptions* options = nullptr;
  Session* session = nullptr;
  check(CreateEnv(api, 3, "host", &environment));
  check(CreateSessionOptions(api, &options));
  check(add_operators(options, base));
  check(CreateSession(api, environment, argv[3], options, &session));

  const int64_t count = argc - 4;
  Allocator* allocator = nullptr;
  Value *strings = nullptr, *upper = nullptr;
  check(GetAllocatorWithDefaultOptions(api, &allocator));
  check(CreateTensorAsOrtValue(api, allocator, &count, 1, ElementType::kString, &strings));
  for (int64_t i = 0; i < count; ++i) write(strings, i, argv[4 + i]);
  const char *input = "strings", *output = "upper";
  check(Run(api, session, nullptr, &input, &strings, 1, &output, 1, &upper));
  print(upper, static_cast<size_t>(count));

  for (Value* const value : {strings, upper}) ReleaseValue(api, value);
  ReleaseSession(api, session);
  ReleaseSessionOptions(api, options);
  ReleaseEnv(api, environment);
}

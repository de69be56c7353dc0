// The function by which onnxruntime adds the operators to the options of a session.
#include <atomic>

#include "core/lazy.h"
#include "ort/custom_op.h"

namespace stringops::ort {
namespace {

constexpr const char* kDomain = "ai.torch_stringops";

// A runtime of the process, and the domain that was made for it. Sessions do not own their domains, and nothing tells
// when the last of them ends, so both exist as long as the process.
struct Runtime {
  const ApiBase* base;
  Domain* domain;
  Runtime* next;
};

std::atomic<Runtime*> runtimes{nullptr};

Domain* make_domain(Table api) {
  const auto& ops = lazy([] {
    std::vector<std::unique_ptr<CustomOp>> made = make_schema_ops();
    made.push_back(make_pack_op());
    made.push_back(make_unpack_op());
    return made;
  });
  Domain* domain = nullptr;
  check(api, CreateCustomOpDomain(api, kDomain, &domain));
  for (const auto& op : ops) check(api, CustomOpDomain_Add(api, domain, static_cast<const Record*>(op.get())));
  return domain;
}

Domain* domain_of(const ApiBase* base, Table api) {
  Runtime* first = runtimes.load(std::memory_order_acquire);
  for (const Runtime* runtime = first; runtime; runtime = runtime->next) {
    if (runtime->base == base) return runtime->domain;
  }
  auto* const added = new Runtime{base, make_domain(api), first};
  while (!runtimes.compare_exchange_weak(added->next, added, std::memory_order_acq_rel)) {
  }
  return added->domain;
}

}  // namespace
}  // namespace stringops::ort

extern "C" __attribute__((visibility("default"))) stringops::ort::Status* RegisterCustomOps(
    stringops::ort::SessionOptions* options, const stringops::ort::ApiBase* base) {
  using namespace stringops::ort;
  const Table api = base->get_api(kApiVersion);
  if (!api) {
    return CreateStatus(base->get_api(1), ErrorCode::kFail,
                        "torch_stringops needs onnxruntime 1.18 or a later version");
  }
  try {
    check(api, AddCustomOpDomain(api, options, domain_of(base, api)));
    return nullptr;
  } catch (...) {
    return status_of_exception(api);
  }
}

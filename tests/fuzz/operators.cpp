// Every registered operator, by its schema: its results, or the text of its error, are the same on every CPU tier and
// for any number of tasks; arguments that change while it runs, as another thread might write them, cause no access
// outside; and if an allocation fails (STRINGOPS_FUZZ_FAIL=1), it raises an error and leaks nothing.
//
// The first bytes of an input choose the operator, among all, or among those of `operators:NAME,NAME`. Before the first
// input, all samples are called as they are: they must give what torch gave (write_samples.py), and every operator must
// have one that gives a result.
#include <algorithm>
#include <typeinfo>

#include "host/threads.h"
#include "operator_draws.h"

extern "C" void stringops_set_min_task_ns(double ns);

namespace stringops::fuzz {
namespace {

// Threads in name: their parts run one after the other, the last one first.
class Turns final : public host::Threads {
 public:
  uint32_t count() const override { return 4; }
  bool run(size_t count, void (*part)(void*, size_t), void* context) const override {
    while (count-- > 0) part(context, count);
    return true;
  }
};

// Runs a call on a tier. Divides even small work into tasks, if `divided`.
Outcome run_on(const std::string& tier, bool divided, const Call& call, memory::Plan* plan = nullptr) {
  const Turns turns;
  const host::UsedThreads used(divided ? &turns : nullptr);
  stringops_set_simd_tier(tier.c_str());
  stringops_set_min_task_ns(divided ? 1e-3 : 0);
  Outcome outcome = call.run(plan);
  for (const host::Result& tensor : call.tensors()) REQUIRE(tensor->owners == 1);
  return outcome;
}

void require(bool condition, const Operator& op, const std::string& tier, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "%s on tier %s: %s\n", op.schema.name.c_str(), tier.c_str(), what.c_str());
  std::abort();
}

std::string text_of(const Outcome& outcome) {
  return outcome.is_error ? "the error `" + outcome.error + "`" : std::to_string(outcome.hash());
}

const std::vector<const Operator*>& chosen_operators() {
  static const std::vector<const Operator*> chosen = [] {
    const std::string names = "," + target_option() + ",";
    std::vector<const Operator*> found;
    for (const Operator& op : operators()) {
      if (names == ",," || names.find("," + op.schema.op + ",") != std::string::npos) found.push_back(&op);
    }
    REQUIRE(!found.empty());
    return found;
  }();
  return chosen;
}

// An operator has the same inputs if others are added, except for a few inputs that these take.
const Operator& choose_operator(Input& in) {
  const auto key_of = [](const Operator* op) {
    uint32_t key = 0;
    for (const char c : op->schema.name) key = key * 31 + static_cast<uint8_t>(c);
    return (key * 0x9E3779B1u) >> 16;
  };
  const std::string_view first = in.take_front(2);
  uint32_t wanted = 0;
  for (const char c : first) wanted = wanted << 8 | static_cast<uint8_t>(c);
  const std::vector<const Operator*>& all = chosen_operators();
  return **std::min_element(all.begin(), all.end(), [&](const Operator* a, const Operator* b) {
    return ((key_of(a) - wanted) & 0xFFFF) < ((key_of(b) - wanted) & 0xFFFF);
  });
}

void check_samples() {
  for (const Operator* op : chosen_operators()) {
    bool has_result = false;
    for (const Sample& sample : samples_of(*op)) {
      const Call call(*op, sample.values);
      for (const std::string& tier : tiers()) {
        for (const bool divided : {false, true}) {
          const Outcome outcome = run_on(tier, divided, call);
          require(outcome.is_error == sample.is_error && outcome.hash() == sample.want, *op, tier,
                  "a sample gives " + text_of(outcome) + ", another result than in torch");
        }
      }
      has_result = has_result || !sample.is_error;
    }
    require(has_result, *op, "any", "no sample gives a result");
  }
}

// Changes an element of a tensor.
void damage(const Call& call, Input& in) {
  const auto& tensors = call.tensors();
  if (tensors.empty()) return;
  for (int64_t n = 1 + in.below(3); n > 0; --n) {
    const AtenTensorOpaque& tensor = *tensors[static_cast<size_t>(in.below(static_cast<int64_t>(tensors.size())))];
    if (tensor.numel == 0) continue;
    const auto num_bytes = static_cast<size_t>(tensor.type->num_bytes);
    const bool is_bool = tensor.type->torch == torch::headeronly::ScalarType::Bool;
    const int64_t any = is_bool ? in.flag() : in.any<int64_t>();
    std::memcpy(static_cast<uint8_t*>(tensor.data) + static_cast<size_t>(in.below(tensor.numel)) * num_bytes, &any,
                num_bytes);
  }
}

// One allocation fails, in one task; or it and all later ones, in many tasks.
void fail_allocations(const Operator& op, const Call& call, const Outcome& whole, const Outcome& divided) {
  const std::string& tier = tiers().back();
  for (const bool on : {false, true}) {
    const Outcome& want = on ? divided : whole;
    // All of the first ones, then fewer and fewer.
    for (long first = 1;; first += 1 + first / 16) {
      // Caches may grow, but not each time.
      long most = memory::live_blocks(), failures = 0;
      int growths = 0;
      for (int repetition = 0; growths == repetition && repetition < 4; ++repetition) {
        memory::Plan plan;
        plan.fail_from = first;
        plan.fail_on = on;
        {
          const Outcome outcome = run_on(tier, on, call, &plan);
          require(outcome == want || (plan.failures > 0 && outcome.lacks_memory), op, tier,
                  "without memory, gives " + text_of(outcome));
        }
        failures = plan.failures;
        growths += memory::live_blocks() > most;
        most = std::max(most, memory::live_blocks());
      }
      require(growths < 4, op, tier, "leaks memory if allocation " + std::to_string(first) + " fails");
      if (failures == 0) break;
    }
  }
  require(run_on(tier, false, call) == whole, op, tier, "another result after allocations failed");
}

FUZZ_TARGET(operators) {
  [[maybe_unused]] static const bool once = (check_samples(), true);
  const Operator& op = choose_operator(in);
  const Values values = draw_values(in, op);
  const Call call(op, values);
  const Outcome want = run_on("scalar", false, call), divided = run_on("scalar", true, call);
  // Of several errors, that of the first task is reported.
  const bool both_fail = want.is_error && divided.is_error;
  require(both_fail || want.lacks_memory || divided.lacks_memory || divided == want, op, "scalar",
          "divided among tasks, gives " + text_of(divided) + ", not " + text_of(want));
  for (const std::string& tier : tiers()) {
    const Outcome outcome = run_on(tier, true, call);
    require(outcome.lacks_memory || divided.lacks_memory || outcome == divided, op, tier,
            "gives " + text_of(outcome) + ", on the tier scalar " + text_of(divided));
  }
  static const bool fails = std::getenv("STRINGOPS_FUZZ_FAIL") != nullptr;
  if (fails && !want.lacks_memory && !divided.lacks_memory) return fail_allocations(op, call, want, divided);
  for (const std::string& tier : tiers()) {
    const Call victim(op, values);
    Input rest = in;
    memory::Plan plan;
    plan.on_tensor = [&] { damage(victim, rest); };
    run_on(tier, in.left() % 2 == 0, victim, &plan);
  }
  stringops_set_simd_tier("scalar");
}

}  // namespace
}  // namespace stringops::fuzz

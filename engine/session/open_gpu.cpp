#include "engine/session/open_gpu.hpp"

#include <iterator>
#include "engine/session/connection.hpp"

namespace attnscope {

Result<OpenGpu> open_gpu(const GpuCatalogue& catalogue, const CatalogueGpu& gpu, const DriverPlaces& places,
                         const WorkerOptions& options) {
  std::vector<std::string> why;
  const auto add = [&](const std::string& reason) {
    if (std::ranges::none_of(why, [&](const std::string& said) { return said.find(reason) != said.npos; }))
      why.push_back(reason);
  };
  for (const GpuAttempt& attempt : attempts_for(catalogue, gpu, places)) {
    if (!attempt.missing.empty()) {
      add(attempt.missing);
      continue;
    }
    WorkerOptions own = options;
    own.environment = attempt.environment;
    own.session.compile_only = CompileOnly{gpu.name, gpu.cores, gpu.layout};
    std::unique_ptr<Session> session = make_worker_session(own);
    const Result<DeviceInfo> device = session->open("");
    if (device) return OpenGpu{std::move(session), *device};
    if (device.error().kind == ErrorKind::cancelled) return device.error();
    // Not how the worker ended, but the driver's last message.
    const std::string& message = device.error().message;
    const size_t found = message.find(kLastOutput), begin = found + kLastOutput.size();
    const std::string reason = found == message.npos ? message : message.substr(begin, message.rfind(')') - begin);
    add(fmt::format("the driver here does not know it, and a newer one may ({}, by {})", reason, attempt.way->name));
  }
  return unsupported("{} cannot be opened here: {}", gpu.name, joined(why, "; "));
}

bool spills(const Resources& r) { return r.spills.value_or(r.spill_bytes.value_or(0)) > 0; }

Config changed_values(const Config& from, const Config& to) {
  Config changed;
  std::set_difference(to.begin(), to.end(), from.begin(), from.end(), std::inserter(changed, changed.end()));
  return changed;
}

std::optional<Record> nearest_without_spills(Session& session, const Record& spilled, const Cancel& cancel) {
  using Place = std::tuple<size_t, uint64_t, Config>;  // steps, bytes of private arrays
  std::set<Place> open{{0, UINT64_MAX, spilled.config}};
  std::set<Config> seen{spilled.config};
  RunRequest request{.problem = spilled.problem, .variant = spilled.variant, .verify = false, .measure = false};
  constexpr size_t kMostCompiles = 24;
  constexpr double kLongestS = 30;  // some compilers take a minute for one
  const auto begun = Clock::now();
  for (size_t compiled = 0; !open.empty() && !cancel && seconds_since(begun) < kLongestS;) {
    const auto [steps, bytes, config] = *open.begin();
    open.erase(open.begin());
    if (steps > 0) {
      if (++compiled > kMostCompiles) break;
      request.config = config;
      Result<Record> record = session.run(
          request, [](const Event&) {}, cancel);
      if (!record || record->outcome != Outcome::compiled) continue;
      if (!record->resources.spills && !record->resources.spill_bytes) break;
      if (!spills(record->resources)) return std::move(*record);
    }
    const Result<NeighbourPlans> around = session.plan_neighbours(request.problem, request.variant, config);
    if (!around) continue;
    for (const Neighbour& n : around->neighbours) {
      Config next = config;
      next[n.parameter] = n.value;
      if (n.shape.private_bytes < around->shape.private_bytes && seen.insert(next).second)
        open.emplace(steps + 1, n.shape.private_bytes, std::move(next));
    }
  }
  return std::nullopt;
}

}  // namespace attnscope

// A compile-only device: a worker in the environment that makes a driver compile for a GPU of the catalogue.
#pragma once

#include "engine/gpus/catalogue.hpp"
#include "engine/session/session.hpp"

namespace attnscope {

struct OpenGpu {
  std::unique_ptr<Session> session;  ///< open on the device
  DeviceInfo device;                 ///< its `use` is `compile`
};

/// Tries the ways to the GPU in turn; `options`: all but the environment. The error says why each failed.
Result<OpenGpu> open_gpu(const GpuCatalogue&, const CatalogueGpu&, const DriverPlaces&, const WorkerOptions& options);

/// The config without spills that is nearest to one that spills.
/// By legal steps of one parameter towards smaller private arrays: the fewest steps, then the smallest arrays. nullopt:
/// none found within half a minute, cancelled, or the driver does not report spills.
std::optional<Record> nearest_without_spills(Session&, const Record& spilled, const Cancel& cancel);

bool spills(const Resources&);
/// The values of `to` that `from` has not.
Config changed_values(const Config& from, const Config& to);

}  // namespace attnscope

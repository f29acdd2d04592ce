// GPUs that this machine lacks, and how to make a driver compile for one (assets/gpus.toml).
#pragma once

#include <filesystem>

#include "engine/device_info.hpp"
#include "engine/result.hpp"

namespace attnscope {

/// How a driver is made to believe that it has a GPU.
struct GpuWay {
  std::string name, driver;
  std::string icd;                       ///< of the driver's file, its name without .json
  std::string preload;                   ///< a library's file name; "" = none
  std::vector<std::string> environment;  ///< "NAME=VALUE", with {id}
  std::string package;                   ///< what is to be installed
};

struct CatalogueGpu {
  struct Get {
    size_t way = 0;  ///< of GpuCatalogue::ways
    std::string id;
  };
  std::string name, architecture;
  uint32_t cores = 0;  ///< 0 = not known, as all that follow
  double bandwidth_gbps = 0;
  std::optional<MatrixLayout> layout;
  std::vector<Get> get;  ///< best first
};

struct GpuCatalogue {
  std::vector<GpuWay> ways;
  std::vector<CatalogueGpu> gpus;
};

/// `what` names the text in errors, which say the line.
Result<GpuCatalogue> parse_gpus(std::string_view text, std::string_view what);
/// assets/gpus.toml of the data folder.
Result<GpuCatalogue> load_gpus(const std::filesystem::path& data);

/// "all", or names with commas between them, in any case, or parts of one name alone. The error lists the names.
Result<std::vector<const CatalogueGpu*>> find_gpus(const GpuCatalogue&, std::string_view names);

struct DriverPlaces {
  std::vector<std::filesystem::path> icds, libraries;
};
/// Folders of Linux distributions, and .deps/gpus of the data folder for libraries that were built here.
DriverPlaces driver_places(const std::filesystem::path& data);

struct GpuAttempt {
  const GpuWay* way = nullptr;
  std::vector<std::string> environment;  ///< of the worker
  std::string missing;                   ///< which file, and the package that has it; "" = it can be tried
};
std::vector<GpuAttempt> attempts_for(const GpuCatalogue&, const CatalogueGpu&, const DriverPlaces&);

}  // namespace attnscope

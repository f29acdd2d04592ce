#include "engine/gpus/catalogue.hpp"

#include "engine/input/file.hpp"
#include "engine/input/toml.hpp"
#include "engine/platform/system.hpp"

namespace attnscope {
namespace {

using Bad = TomlError;

std::optional<MatrixLayout> read_layout(const TomlReader& architecture) {
  const toml::node* node = architecture.find("layout");
  if (!node) return std::nullopt;
  const TomlReader l(*node, "layout",
                     {"m", "n", "k", "elements", "row_shift", "lane_mask", "element_rows", "element_cols"});
  const auto number = [&](const char* key) { return l.count(key).value_or(0); };
  return MatrixLayout{.m = number("m"),
                      .n = number("n"),
                      .k = number("k"),
                      .elements = number("elements"),
                      .row_shift = number("row_shift"),
                      .lane_mask = number("lane_mask"),
                      .element_rows = number("element_rows"),
                      .element_cols = number("element_cols")};
}

GpuCatalogue read_catalogue(const toml::table& table) {
  GpuCatalogue out;
  const TomlReader file(table, "", {"ways", "architectures", "gpus"});
  for (const toml::node& node : file.items("ways")) {
    const TomlReader e(node, "a way", {"name", "driver", "icd", "preload", "environment", "package"});
    out.ways.push_back({e.needed("name"), e.needed("driver"), e.needed("icd"), e.text("preload"),
                        e.texts("environment"), e.needed("package")});
    for (const std::string& variable : out.ways.back().environment)
      if (variable.find('=') == variable.npos) throw Bad(node, "'{}' is not NAME=VALUE", variable);
  }
  std::map<std::string, std::optional<MatrixLayout>> architectures;
  for (const toml::node& node : file.items("architectures")) {
    const TomlReader e(node, "an architecture", {"name", "layout"});
    architectures[e.needed("name")] = read_layout(e);
  }
  for (const toml::node& node : file.items("gpus")) {
    const TomlReader e(node, "a GPU", {"name", "architecture", "cores", "bandwidth", "get"});
    CatalogueGpu gpu;
    gpu.name = e.needed("name");
    gpu.architecture = e.needed("architecture");
    gpu.cores = e.count("cores").value_or(0);
    gpu.bandwidth_gbps = e.count("bandwidth").value_or(0);
    const auto a = architectures.find(gpu.architecture);
    if (a == architectures.end()) throw Bad(node, "there is no architecture '{}'", gpu.architecture);
    gpu.layout = a->second;
    for (const std::string& text : e.texts("get")) {
      const std::string name = text.substr(0, text.find(' '));
      const auto way = std::ranges::find_if(out.ways, [&](const GpuWay& w) { return w.name == name; });
      if (way == out.ways.end() || name.size() == text.size())
        throw Bad(node, "'{}' is not a way and the id of the GPU there", text);
      gpu.get.push_back({size_t(way - out.ways.begin()), text.substr(name.size() + 1)});
    }
    const auto same = [&](const CatalogueGpu& g) { return g.name == gpu.name; };
    if (std::ranges::any_of(out.gpus, same) || gpu.name.find(',') != gpu.name.npos || gpu.name == "all")
      throw Bad(node, "'{}' is not a name: it is there twice, has a comma or means all of them", gpu.name);
    out.gpus.push_back(std::move(gpu));
  }
  return out;
}

/// The first of these files that is there; "" = none.
std::filesystem::path find_file(const std::vector<std::filesystem::path>& folders,
                                const std::vector<std::string>& names) {
  std::error_code none;
  for (const std::filesystem::path& folder : folders)
    for (const std::string& name : names)
      if (std::filesystem::exists(folder / name, none)) return folder / name;
  return {};
}

/// Debian 12 names the machine, Debian 13 does not.
std::vector<std::string> icd_names(const std::string& icd) {
  return {fmt::format("{}.{}.json", icd, drivers_machine()), icd + ".json"};
}

}  // namespace

Result<GpuCatalogue> parse_gpus(std::string_view text, std::string_view what) {
  try {
    return read_catalogue(parse_toml(text));
  } catch (const Bad& bad) {
    return bad_input("{}: line {}: {}", what, bad.line, bad.what());
  }
}

Result<GpuCatalogue> load_gpus(const std::filesystem::path& data) {
  const std::filesystem::path path = data / "assets" / "gpus.toml";
  return parse_gpus(TRY(read_file(path, kMaxSourceBytes)), path.string());
}

Result<std::vector<const CatalogueGpu*>> find_gpus(const GpuCatalogue& catalogue, std::string_view names) {
  std::vector<const CatalogueGpu*> out;
  const auto add = [&](const CatalogueGpu& gpu) {
    if (!contains(out, &gpu)) out.push_back(&gpu);
  };
  for (const std::string_view part : split(names, ',')) {
    const std::string name = lower_case(trimmed(part));
    if (name == "all") {
      for (const CatalogueGpu& gpu : catalogue.gpus) add(gpu);
      continue;
    }
    std::vector<const CatalogueGpu*> found;
    for (const CatalogueGpu& gpu : catalogue.gpus) {
      if (lower_case(gpu.name) == name) {
        found = {&gpu};
        break;
      }
      if (!name.empty() && lower_case(gpu.name).find(name) != std::string::npos) found.push_back(&gpu);
    }
    if (found.size() != 1) {
      const bool several = found.size() > 1;
      for (const CatalogueGpu& gpu : catalogue.gpus)
        if (!several) found.push_back(&gpu);
      const std::string known = joined(found, ", ", &CatalogueGpu::name);
      return bad_input(several ? fmt::format("'{}' is part of the names of several GPUs: {}.", name, known)
                               : fmt::format("'{}' is none of the known GPUs: all, {}.", name, known));
    }
    add(*found.front());
  }
  return out;
}

DriverPlaces driver_places(const std::filesystem::path& data) {
  DriverPlaces places;
  for (const char* root : {"/etc", "/usr/local/share", "/usr/share"})
    places.icds.push_back(std::filesystem::path(root) / "vulkan" / "icd.d");
  if (!data.empty()) places.libraries.push_back(data / ".deps" / "gpus");
  for (const char* folder :
       {"/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"})
    places.libraries.emplace_back(folder);
  return places;
}

std::vector<GpuAttempt> attempts_for(const GpuCatalogue& catalogue, const CatalogueGpu& gpu,
                                     const DriverPlaces& places) {
  std::vector<GpuAttempt> out;
  for (const CatalogueGpu::Get& get : gpu.get) {
    const GpuWay& way = catalogue.ways[get.way];
    GpuAttempt attempt;
    attempt.way = &way;
    const std::filesystem::path icd = find_file(places.icds, icd_names(way.icd));
    const std::filesystem::path library = way.preload.empty() ? "" : find_file(places.libraries, {way.preload});
    const std::string lacks = icd.empty() ? way.icd + ".json" : way.preload;
    if (drivers_machine().empty())
      attempt.missing = "compiling for GPUs that are not here needs Linux";
    else if (icd.empty() || (library.empty() && !way.preload.empty()))
      attempt.missing = fmt::format("{} is not installed: {}", lacks, way.package);
    // The linker takes both for separators, goes on without the library, and a real GPU would be in its place.
    else if (library.string().find_first_of(" :") != std::string::npos)
      attempt.missing =
          fmt::format("'{}' has a space or a colon in its path and cannot be preloaded", library.string());
    for (std::string variable : way.environment) {
      if (const size_t at = variable.find("{id}"); at != variable.npos) variable.replace(at, 4, get.id);
      attempt.environment.push_back(std::move(variable));
    }
    // The driver alone: another one could crash, or be taken in its place.
    attempt.environment.push_back("VK_DRIVER_FILES=" + icd.string());
    attempt.environment.push_back("VK_ICD_FILENAMES=" + icd.string());
    if (!library.empty()) attempt.environment.push_back("LD_PRELOAD=" + library.string());
    out.push_back(std::move(attempt));
  }
  return out;
}

}  // namespace attnscope

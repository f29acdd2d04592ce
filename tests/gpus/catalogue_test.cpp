// The catalogue of GPUs that can be compiled for.
#include "engine/gpus/catalogue.hpp"
#include "tests/has.hpp"

namespace attnscope::catalogue_test {

constexpr const char* kSmall = R"(
gpus = [ { name = "Card A", architecture = "New", cores = 4, get = ["shim a1", "null A"] },
         { name = "Card AB", architecture = "New", get = ["null B"] } ]
[[architectures]]
name = "New"
layout = { m = 16, n = 16, k = 16, elements = 4, lane_mask = 15, element_rows = 0xC840 }
[[ways]]
name = "shim"
driver = "D"
icd = "d_icd"
preload = "libshim.so"
environment = ["CHIP={id}"]
package = "shim-package"
[[ways]]
name = "null"
driver = "D"
icd = "d_icd"
environment = ["FAMILY={id}"]
package = "driver-package"
)";

std::string line_of(const std::string& text) { return refusal(parse_gpus(text, "x")); }

TEST(GpuCatalogue, TheShippedOneHasWhatPeopleName) {
  const auto catalogue = must(load_gpus(ATTNSCOPE_SOURCE_DIR));
  EXPECT_GE(catalogue->gpus.size(), 30u);
  for (const char* name : {"RX 7900 XTX", "RX 9070", "Radeon 780M", "MI210", "Arc A770", "Arc B580", "Lunar Lake",
                           "RTX 2080 Ti", "RTX 3090", "RTX 4090", "RTX 5090", "Adreno 750", "Adreno 830", "Apple M1"})
    EXPECT_TRUE(find_gpus(*catalogue, name)) << name;
  for (const CatalogueGpu& gpu : catalogue->gpus) EXPECT_FALSE(gpu.get.empty()) << gpu.name;
  const CatalogueGpu& xtx = *find_gpus(*catalogue, "rx 7900 xtx")->front();
  EXPECT_EQ(xtx.cores, 96u);
  EXPECT_EQ(must(xtx.layout)->elements * 64, 16u * 16) << "a subgroup of 64";
}

TEST(GpuCatalogue, NamesAreFoundInAnyCase) {
  const auto catalogue = must(parse_gpus(kSmall, "small"));
  EXPECT_EQ(find_gpus(*catalogue, "all")->size(), 2u);
  EXPECT_EQ(find_gpus(*catalogue, "card a")->front()->name, "Card A") << "a whole name comes before a part";
  EXPECT_EQ(find_gpus(*catalogue, " AB , card a,ab")->size(), 2u);
  const std::string both = refusal(find_gpus(*catalogue, "card"));  // part of two names
  EXPECT_TRUE(has(both, "Card A"));
  EXPECT_FALSE(has(both, "all")) << "those alone whose part it is";
  EXPECT_FALSE(find_gpus(*catalogue, ""));
  EXPECT_FALSE(find_gpus(*catalogue, "Card C"));
}

TEST(GpuCatalogue, WhatIsInstalledDecides) {
  const auto catalogue = must(parse_gpus(kSmall, "small"));
  const TempDir temporary;
  const fs::path dir = temporary.path();
  const DriverPlaces places{{dir}, {dir}};
  auto attempts = attempts_for(*catalogue, catalogue->gpus[0], places);
  ASSERT_EQ(attempts.size(), 2u);
  EXPECT_TRUE(has(attempts[1].missing, "driver-package"));
  std::ofstream(dir / "d_icd.json") << "{}";
  attempts = attempts_for(*catalogue, catalogue->gpus[0], places);
  EXPECT_TRUE(has(attempts[0].missing, "libshim.so"));
  EXPECT_EQ(attempts[1].missing, "");
  std::ofstream(dir / "libshim.so") << "";
  attempts = attempts_for(*catalogue, catalogue->gpus[0], places);
  EXPECT_EQ(attempts[0].missing, "");
  const std::vector<std::string> wanted{"CHIP=a1", "VK_DRIVER_FILES=" + (dir / "d_icd.json").string(),
                                        "VK_ICD_FILENAMES=" + (dir / "d_icd.json").string(),
                                        "LD_PRELOAD=" + (dir / "libshim.so").string()};
  EXPECT_EQ(attempts[0].environment, wanted);
}

TEST(GpuCatalogue, FaultsNameTheLine) {
  const std::string text = kSmall;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  };
  EXPECT_TRUE(has(line_of(with("cores = 4", "coers = 4")), "line 2"));
  EXPECT_TRUE(has(line_of(with("\"null B\"", "\"nil B\"")), "line 3"));
  EXPECT_TRUE(has(line_of(with("\"Card AB\"", "\"Card A\"")), "twice"));
  for (const std::string& bad : {with("cores = 4", "cores = -4"), with("\"FAMILY={id}\"", "\"FAMILY\""),
                                 with("architecture = \"New\", cores", "architecture = \"Old\", cores"),
                                 std::string("gpus = 3"), std::string("gpus = [")})
    line_of(bad);
}

}  // namespace attnscope::catalogue_test

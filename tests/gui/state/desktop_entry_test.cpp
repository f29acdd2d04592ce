// The entry in a desktop's menu: it names what is installed, and the window that it is of.
#include "tests/gui/desktop.hpp"

namespace attnscope::gui::desktop_entry_test {

TEST(DesktopEntry, NamesTheProgramItsIconAndItsWindow) {
  const fs::path source = ATTNSCOPE_SOURCE_DIR;
  const std::vector<std::string> lines = lines_of(read_file(source / "assets" / "desktop" / "attnscope.desktop"));
  std::map<std::string, std::string> entry;
  EXPECT_EQ(lines.at(0), "[Desktop Entry]");
  for (const std::string& line : lines)
    if (const size_t at = line.find('='); at != std::string::npos) entry[line.substr(0, at)] = line.substr(at + 1);
  EXPECT_EQ(entry["Type"], "Application");
  EXPECT_EQ(entry["Exec"], fs::path(ATTNSCOPE_EXECUTABLE).filename());
  EXPECT_TRUE(fs::exists(source / "assets" / "icons" / (entry["Icon"] + ".svg"))) << entry["Icon"];
  EXPECT_TRUE(entry["Categories"].ends_with(";")) << "a list";
  // The window's own class, so that a desktop shows it under this entry.
  const std::string window = read_file(source / "app" / "gui" / "shell" / "window.cpp");
  EXPECT_TRUE(has(window, "GLFW_X11_CLASS_NAME, \"" + entry["StartupWMClass"] + "\""));
  const std::string desktop = (source / "assets" / "desktop").string();
  const auto accepts = [](const char* program, const std::string& arguments) {
    return !in_path(program) || std::system((program + (" " + arguments)).c_str()) == 0;
  };
  EXPECT_TRUE(accepts("desktop-file-validate", desktop + "/attnscope.desktop"));
  EXPECT_TRUE(accepts("appstreamcli", "validate --no-net " + desktop + "/*.metainfo.xml"));
}

}  // namespace attnscope::gui::desktop_entry_test

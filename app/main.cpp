#include <cstdlib>

#include "app/cli/commands.hpp"
#include "app/gui/gui.hpp"

int main(int argc, char** argv) {
  const int code = attnscope::cli::run(argc, argv);
  if (attnscope::threads_left()) std::_Exit(code);
  return code;
}

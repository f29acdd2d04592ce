#include "app/cli/commands.hpp"

int main(int argc, char** argv) { return attnscope::cli::run(argc, argv); }

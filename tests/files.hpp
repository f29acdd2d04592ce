#pragma once

#include "tests/has.hpp"

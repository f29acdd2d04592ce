// What travels between a window and its worker beyond the values of other rooms.
#include "engine/session/codec.hpp"

#include <gtest/gtest.h>

#include "tests/record/field_round_trip.hpp"

namespace attnscope {
namespace {

template <class T>
class SessionFieldsOf : public testing::Test {};
using Structs = testing::Types<VariantInfo, Inspection, RunRequest, ConfigChoice, SpaceRequest, PrunedReason,
                               RefusedConfig, SpaceBatch, TrialsRequest, Trial, TrialsReport, RaceEntry, RaceRequest,
                               Turns, RaceResult, Tiles, PlanShape, Neighbour, Surroundings, PeaksRequest, PeaksAnswer>;
TYPED_TEST_SUITE(SessionFieldsOf, Structs);

TYPED_TEST(SessionFieldsOf, Travel) { expect_every_field_travels<TypeParam>(); }

}  // namespace
}  // namespace attnscope

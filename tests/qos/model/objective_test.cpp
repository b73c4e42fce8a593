// Which pods an objective is for.
#include "qos/model/objective.h"

#include <gtest/gtest.h>

namespace evenkeel {
namespace {

TEST(Objective, MeansPodsByNamespaceAndAllLabels) {
  Objective one;
  one.namespace_ = "shop";
  one.match_labels = {{"app", "web"}, {"tier", "front"}};
  Pod pod;
  pod.namespace_ = "shop";
  pod.phase = PodPhase::running;
  pod.labels = {{"app", "web"}, {"tier", "front"}, {"x", "y"}};
  EXPECT_TRUE(is_meant(one, pod));
  pod.labels["tier"] = "back";
  EXPECT_FALSE(is_meant(one, pod));
  pod.labels.erase("tier");
  EXPECT_FALSE(is_meant(one, pod));
  pod.labels["tier"] = "front";
  pod.namespace_ = "other";
  EXPECT_FALSE(is_meant(one, pod));
  pod.namespace_ = "shop";
  pod.phase = PodPhase::succeeded;
  EXPECT_FALSE(is_meant(one, pod));
}

}  // namespace
}  // namespace evenkeel

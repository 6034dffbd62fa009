#include "dag.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nearfork/error.hpp>
#include <string>
#include <vector>

namespace {

using nearfork::config_error;
using nearfork::sim::dag;
using nearfork::sim::dag_builder;

std::string refusal(dag_builder builder) {
  try {
    std::move(builder).build();
  } catch (const config_error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Dag, WorkIsTheSumOfWeightsAndSpanTheHeaviestPath) {
  dag_builder b;
  const auto start = b.add(2);
  const auto light = b.add(3);
  const auto heavy = b.add(10);
  const auto end = b.add(1);
  b.edge(start, light);
  b.edge(start, heavy);
  b.edge(light, end);
  b.edge(heavy, end);
  const dag g = std::move(b).build();
  EXPECT_EQ(g.work(), 16U);
  EXPECT_EQ(g.span(), 13U);
  EXPECT_EQ(g.size(), 4U);
  EXPECT_EQ(g.edges(), 4U);
  EXPECT_EQ(g.root(), start);
}

TEST(Dag, EqualAndUnequalWeightsAreKept) {
  for (const std::uint64_t last : {5U, 7U}) {
    dag_builder b;
    const auto first = b.add(5);
    const auto second = b.add(5);
    const auto third = b.add(last);
    b.edge(first, second);
    b.edge(second, third);
    const dag g = std::move(b).build();
    EXPECT_EQ(g.weight(first), 5U);
    EXPECT_EQ(g.weight(second), 5U);
    EXPECT_EQ(g.weight(third), last);
  }
}

TEST(Dag, SuccessorsKeepTheOrderInWhichEdgesWereAdded) {
  dag_builder b;
  const auto root = b.add();
  const auto one = b.add();
  const auto two = b.add();
  const auto three = b.add();
  b.edge(one, three);
  b.edge(root, two);
  b.edge(root, one);
  const dag g = std::move(b).build();
  const auto successors = g.successors(root);
  EXPECT_EQ(std::vector(successors.begin(), successors.end()), (std::vector{two, one}));
  EXPECT_TRUE(g.successors(three).empty());
  EXPECT_EQ(g.predecessors()[three], 1U);
}

TEST(Dag, AGraphWithoutNodesIsRefused) {
  EXPECT_NE(refusal({}).find("no nodes"), std::string::npos);
}

TEST(Dag, TwoFirstNodesAreRefused) {
  dag_builder b;
  b.add();
  b.add();
  EXPECT_NE(refusal(b).find("2 nodes have no predecessor"), std::string::npos);
}

TEST(Dag, ACycleIsRefused) {
  dag_builder b;
  const auto root = b.add();
  const auto one = b.add();
  const auto two = b.add();
  b.edge(root, one);
  b.edge(one, two);
  b.edge(two, one);
  EXPECT_NE(refusal(b).find("2 nodes can never run, the graph has a cycle"), std::string::npos);
}

TEST(Dag, AnEdgeToANodeThatDoesNotExistIsRefused) {
  dag_builder b;
  const auto root = b.add();
  try {
    b.edge(root, 5);
    FAIL() << "accepted";
  } catch (const config_error& error) {
    EXPECT_NE(std::string(error.what()).find("0 -> 5"), std::string::npos) << error.what();
  }
}

TEST(Dag, WorkBeyond64BitsIsRefused) {
  dag_builder b;
  const auto first = b.add(std::numeric_limits<std::uint64_t>::max());
  const auto second = b.add(1);
  b.edge(first, second);
  EXPECT_NE(refusal(b).find("64 bits"), std::string::npos);
}

}  // namespace

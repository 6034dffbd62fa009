// Topology files and strings that cannot be used are refused, and say why.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "leak_pause.hpp"
#include "rig.hpp"
#include "scoped_environment.hpp"

namespace nearfork::tests {
namespace {

std::string refusal(const std::string& topology) {
  const std::string message = config_error_of([&] { machine::from(topology, "--topology"); });
  EXPECT_TRUE(message.starts_with("--topology: ")) << message;
  EXPECT_NE(message.find("accepted are"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  return message;
}

std::string whole_document() {
  return machine_xml({package(0, {node(0), core(0, {0}), core(1, {1})})}).text();
}

TEST(ForeignInput, TheDocumentOfTheTestsBelowIsGood) {
  const support::temp_dir folder;
  EXPECT_EQ(plan(folder.write("m.xml", whole_document()).string()).workers.size(), 2U);
}

TEST(ForeignInput, ABadSyntheticStringIsRefused) {
  for (const char* bad : {"", " ", "numa", "numa:", "numa:x", "numa:0 core:2", "numa:-1",
                          "core:2 numa", "foo:3", "numa:2 pu:2 core:2", "pu:2 pu:2", "numa:2 (",
                          "numa:2 [numa", "machine:2", ":::", "-", "numa:2,core:2"}) {
    EXPECT_NE(refusal(bad).find(quoted(bad)), std::string::npos);
  }
}

TEST(ForeignInput, AMachineTooLargeToPlanIsRefusedAtOnce) {
  for (const char* huge :
       {"numa:1000 core:1000 pu:1000", "pu:4294967295", "pu:99999999999999999999", "core:8193",
        "pack:100 core:100", "1000 1000 1000"}) {
    EXPECT_NE(refusal(huge).find("more than 8192 PUs"), std::string::npos);
  }
}

TEST(ForeignInput, AMissingFileIsCalledThat) {
  EXPECT_NE(refusal("/no/such/machine.xml").find("No such file"), std::string::npos);
  EXPECT_NE(refusal("machine.xml").find("No such file"), std::string::npos);
}

TEST(ForeignInput, AFolderIsCalledThat) {
  const support::temp_dir folder;
  EXPECT_NE(refusal(folder.path().string()).find("Is a directory"), std::string::npos);
}

TEST(ForeignInput, AFileWithoutEndIsRefused) {
  EXPECT_NE(refusal("/dev/zero").find("larger than"), std::string::npos);
}

TEST(ForeignInput, EmptyAndBlankFilesAreRefused) {
  const support::temp_dir folder;
  for (const char* text : {"", "\n", "   \n\t\n"}) {
    refusal(folder.write("m.xml", text).string());
  }
}

TEST(ForeignInput, EveryTruncationOfAnXmlFileIsRefused) {
  const support::temp_dir folder;
  const std::string whole = whole_document();
  const std::size_t end = whole.rfind("</topology>");
  for (std::size_t length = 0; length < end; length += 37) {
    refusal(folder.write("m.xml", whole.substr(0, length)).string());
  }
}

TEST(ForeignInput, BinaryGarbageIsRefused) {
  const support::temp_dir folder;
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::string text;
    for (int i = 0; i < 3000; ++i) text += static_cast<char>(random() & 0xff);
    refusal(folder.write("m.xml", text).string());
  }
}

TEST(ForeignInput, XmlOfOtherThingsIsRefused) {
  const support::temp_dir folder;
  for (const char* text :
       {"<?xml version=\"1.0\"?>\n<html><body/></html>\n", "<topology/>", "<topology></topology>",
        "<?xml version=\"1.0\"?><!DOCTYPE topology SYSTEM \"hwloc2.dtd\">"
        "<topology version=\"2.0\"></topology>"}) {
    refusal(folder.write("m.xml", text).string());
  }
}

TEST(ForeignInput, DamagedDocumentsAreRefusedOrPlannedSoundly) {
  const support::scoped_environment quiet("HWLOC_HIDE_ERRORS", "2");
  // Lines lost, numbers and sets exchanged: whatever hwloc makes of it, the plan must hold.
  const support::temp_dir folder;
  const std::string whole =
      machine_xml({package(0, {node(0), l3({core(0, {0, 1}), core(1, {2, 3})})}),
                   package(1, {node(1), node(2), l3({core(2, {4, 5}), core(3, {6, 7})})})})
          .latencies({0, 1, 2}, {{10, 20, 30}, {20, 10, 15}, {30, 15, 10}})
          .kind({0, 1, 2, 3}, {{"FrequencyMaxMHz", "2000"}})
          .kind({4, 5, 6, 7}, {{"FrequencyMaxMHz", "4000"}})
          .text();
  std::mt19937 random(11);
  int planned = 0;
  int refused = 0;
  for (int round = 0; round < 400; ++round) {
    std::string text = whole;
    for (auto edits = 1 + random() % 3; edits > 0; --edits) {
      const std::size_t at = text.find_first_of("0123456789", random() % text.size());
      if (at == std::string::npos) continue;
      if (random() % 4 == 0) {
        const std::size_t line = text.rfind('\n', at);
        if (line != std::string::npos) text.erase(line, text.find('\n', at) - line);
      } else {
        text[at] = static_cast<char>('0' + random() % 10);
      }
    }
    const std::string file = folder.write("m.xml", text).string();
    try {
      // hwloc 2.9 loses some of its own memory when it refuses a document half-way.
      const machine m = [&file] {
        const leak_pause pause;
        return machine::from(file);
      }();
      const placement p = plan(m);
      ++planned;
      expect_sound(p);
      if (::testing::Test::HasFailure()) FAIL() << text;
    } catch (const config_error&) {
      ++refused;
    }
  }
  EXPECT_GT(planned, 20);
  EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace nearfork::tests

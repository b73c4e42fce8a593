// The texts of resctrl, as real kernels print them and as none does.
#include <gtest/gtest.h>

#include "cgroup/base/text.h"
#include "cgroup/resctrl/text.h"
#include "tests/support/malformed.h"

namespace evenkeel {
namespace {

resctrl::Schemata parsed(std::string_view text) {
  return resctrl::parse_schemata(text).value_or(resctrl::Schemata{});
}

TEST(ResctrlText, SchemataAsKernelsPrintThem) {
  using Lines = resctrl::Schemata;
  EXPECT_EQ(parsed("    MB:0= 20;1= 30\n    L3:0=003;1=7ff\n"),
            (Lines{{"MB", {{0, 20}, {1, 30}}}, {"L3", {{0, 0x3}, {1, 0x7ff}}}}));
  EXPECT_EQ(parsed("L3:0=fffff\n"), (Lines{{"L3", {{0, 0xfffff}}}}));
  EXPECT_EQ(parsed("L3DATA:0=fffff;1=fffff\nL3CODE:0=fffff;1=ffff0\n"),
            (Lines{{"L3DATA", {{0, 0xfffff}, {1, 0xfffff}}}, {"L3CODE", {{0, 0xfffff}, {1, 0xffff0}}}}));
  EXPECT_EQ(parsed("    MB:0=2048;1=2048;7=  16\n    L3:0=ffff;1=ffff;7=ffff\n"),
            (Lines{{"MB", {{0, 2048}, {1, 2048}, {7, 16}}}, {"L3", {{0, 0xffff}, {1, 0xffff}, {7, 0xffff}}}}))
      << "AMD: gaps between the domains";
  EXPECT_EQ(parsed("SMBA:0=2048\n    MB:0=4294967295\n    L2:0=ff;1=0xff\n"), Lines{})
      << "no kernel prints 0x";
  EXPECT_EQ(parsed("\n    L2:3=f\n\n"), (Lines{{"L2", {{3, 0xf}}}}));
  EXPECT_EQ(parsed("MB:0=4294967295\n"), (Lines{{"MB", {{0, 4294967295}}}})) << "mba_MBps";
}

TEST(ResctrlText, RefusesWhatNoKernelPrints) {
  for (const std::string text : {"L3",
                                 "L3:",
                                 "L3:0",
                                 "L3:0=",
                                 "L3:=1",
                                 "L3:0=1;",
                                 "L3:;0=1",
                                 "L3:0=1;;1=1",
                                 "L3:-1=1",
                                 "L3:0=-1",
                                 "l3:0=1",
                                 "L3:0=1 2",
                                 "L3:0=1;0=2",
                                 "L3:0=1\nL3:0=1",
                                 "MB:0=7f",
                                 "MB:0=10%",
                                 ":0=1",
                                 "L3 0=1",
                                 "L3:0=g",
                                 "L3:0=10000000000000000",
                                 "MB:99999999999=10",
                                 "L3:0=1\ngarbage",
                                 "L3:0=1\xff"}) {
    const bool kernel_end = text == "L3:0=1;";  // koordlet writes it so; a trailing ';' says nothing more
    EXPECT_EQ(resctrl::parse_schemata(text).has_value(), kernel_end) << text;
  }
  for (const auto& text : test::malformed_texts())
    EXPECT_FALSE(resctrl::parse_schemata(text)) << text.substr(0, 40);
  std::string many = "L3:0=1";
  for (int i = 1; i < 2000; ++i) many += ";" + std::to_string(i) + "=1";
  EXPECT_FALSE(resctrl::parse_schemata(many)) << "bounded";
}

TEST(ResctrlText, ATextCutOffNeverSaysMore) {
  const std::string whole = "    MB:0= 20;1= 30\n    L3:0=003;1=7ff\n";
  for (const auto part : test::truncations(whole)) {
    const auto some = resctrl::parse_schemata(part);
    EXPECT_LE(some ? some->size() : 0, 2U) << part;
  }
}

TEST(ResctrlText, HoldsWhatIsAskedFor) {
  const auto found = parsed("MB:0=20;1=30\nL3:0=3;1=7ff\n");
  EXPECT_TRUE(resctrl::holds(found, parsed("L3:1=7ff\n")));
  EXPECT_TRUE(resctrl::holds(found, parsed("L3:1=7ff;0=3\nMB:0=20\n"))) << "in any order";
  EXPECT_FALSE(resctrl::holds(found, parsed("L3:1=7fe\n")));
  EXPECT_FALSE(resctrl::holds(found, parsed("L3:2=7ff\n")));
  EXPECT_FALSE(resctrl::holds(found, parsed("L2:0=3\n")));
}

TEST(ResctrlText, Masks) {
  EXPECT_EQ(resctrl::parse_mask("7ff\n"), 0x7ffU);
  EXPECT_EQ(resctrl::parse_mask("ffffffffffffffff"), ~std::uint64_t{0});
  for (const auto* text : {"", "xyz", "7ff,7ff", "-1", "10000000000000000", "7 f"})
    EXPECT_FALSE(resctrl::parse_mask(text)) << text;
}

TEST(ResctrlText, MonitorsThatCannotSayAreAbsent) {
  EXPECT_EQ(resctrl::parse_monitor("3014656\n"), 3014656);
  EXPECT_EQ(resctrl::parse_monitor("0\n"), 0);
  for (const auto* text :
       {"Unavailable\n", "Error\n", "Unassigned\n", "-5\n", "", "1 2", "99999999999999999999"})
    EXPECT_FALSE(resctrl::parse_monitor(text)) << text;
  EXPECT_EQ(resctrl::monitor_domain("mon_L3_00"), 0);
  EXPECT_EQ(resctrl::monitor_domain("mon_L3_10"), 10);
  for (const auto* name : {"mon_L3_", "mon_L3_x", "mon_MB_00", "mon_L3_1x", "", "mon_sub_L3_00"})
    EXPECT_FALSE(resctrl::monitor_domain(name)) << name;
}

TEST(ResctrlText, ThreadsAndThoseThatWeDoNotSee) {
  std::vector<std::int32_t> found;
  EXPECT_EQ(append_threads("101\n102\n105\n", found), 0);
  EXPECT_EQ(append_threads("0\n0\nabc\n-4\n7\n", found), 4);
  EXPECT_EQ(found, (std::vector<std::int32_t>{101, 102, 105, 7}));
}

}  // namespace
}  // namespace evenkeel

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
  const auto intel = parsed("    MB:0= 20;1= 30\n    L3:0=003;1=7ff\n");
  EXPECT_EQ(resctrl::schemata_text(intel), "MB:0=20;1=30\nL3:0=3;1=7ff\n");
  EXPECT_EQ(resctrl::schemata_text(parsed("L3:0=fffff\n")), "L3:0=fffff\n");
  EXPECT_EQ(resctrl::schemata_text(parsed("L3DATA:0=fffff;1=fffff\nL3CODE:0=fffff;1=ffff0\n")),
            "L3DATA:0=fffff;1=fffff\nL3CODE:0=fffff;1=ffff0\n");
  EXPECT_EQ(resctrl::schemata_text(
                parsed("    MB:0=2048;1=2048;7=  16;9=2048\n    L3:0=ffff;1=ffff;7=ffff;9=ffff\n")),
            "MB:0=2048;1=2048;7=16;9=2048\nL3:0=ffff;1=ffff;7=ffff;9=ffff\n")
      << "AMD: gaps between the domains";
  EXPECT_EQ(resctrl::schemata_text(parsed("SMBA:0=2048\n    MB:0=4294967295\n    L2:0=ff;1=0xff\n")), "")
      << "no kernel prints 0x";
  EXPECT_EQ(resctrl::schemata_text(parsed("\n    L2:3=f\n\n")), "L2:3=f\n");
  EXPECT_EQ(resctrl::schemata_text(parsed("MB:0=4294967295\n")), "MB:0=4294967295\n") << "mba_MBps";
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

#include "agent/config/schema.h"

namespace evenkeel::config {
namespace {

using namespace schema;
using B = BlockIoConfig;

constexpr std::string_view kBlockWords[] = {"device", "volumegroup", "podvolume"};

constexpr Row kIoRows[] = {
    number<&B::read_iops>("readIOPS", kAnyCount, "operations per second", "limit of reads; 0 is unlimited"),
    number<&B::write_iops>("writeIOPS", kAnyCount, "operations per second",
                           "limit of writes; 0 is unlimited"),
    number<&B::read_bps>("readBPS", kAnyCount, "bytes per second", "limit of read bandwidth; 0 is unlimited",
                         Kind::bytes),
    number<&B::write_bps>("writeBPS", kAnyCount, "bytes per second",
                          "limit of write bandwidth; 0 is unlimited", Kind::bytes),
    number<&B::io_weight_percent>("ioWeightPercent", Range{1, 100}, "weight",
                                  "io.weight: relative share of a busy disk; not set: 100"),
    number<&B::latency_target_us>(
        "latencyTarget", kAnyCount, "microseconds",
        "io.latency target for services: others are throttled when requests take longer; 0 is none"),
    number<&B::read_latency_us>("readLatency", kAnyCount, "microseconds",
                                "latency target; cgroupRoot only; not set: 3000"),
    number<&B::write_latency_us>("writeLatency", kAnyCount, "microseconds",
                                 "latency target; cgroupRoot only; not set: 3000"),
    number<&B::read_latency_percent>(
        "readLatencyPercent", kPercent, "percentile",
        "percentile of reads that must meet the target; cgroupRoot only; not set: 95"),
    number<&B::write_latency_percent>(
        "writeLatencyPercent", kPercent, "percentile",
        "percentile of writes that must meet the target; cgroupRoot only; not set: 95"),
    toggle<&B::enable_user_model>("enableUserModel",
                                  "use the disk model below; cgroupRoot only; not set: false"),
    number<&B::model_read_bps>("modelReadBPS", Range{1, INT64_MAX}, "bytes per second",
                               "read bandwidth of the disk", Kind::bytes),
    number<&B::model_write_bps>("modelWriteBPS", Range{1, INT64_MAX}, "bytes per second",
                                "write bandwidth of the disk", Kind::bytes),
    number<&B::model_read_seq_iops>("modelReadSeqIOPS", Range{1, INT64_MAX}, "operations per second",
                                    "sequential reads of the disk"),
    number<&B::model_write_seq_iops>("modelWriteSeqIOPS", Range{1, INT64_MAX}, "operations per second",
                                     "sequential writes of the disk"),
    number<&B::model_read_rand_iops>("modelReadRandIOPS", Range{1, INT64_MAX}, "operations per second",
                                     "random reads of the disk"),
    number<&B::model_write_rand_iops>("modelWriteRandIOPS", Range{1, INT64_MAX}, "operations per second",
                                      "random writes of the disk"),
};

constexpr Row kBlockRows[] = {
    with_example(field<&Block::name>("name", Kind::text, "", "a disk, a volume group, or a pod's volume"),
                 "/dev/vdb"),
    word<&Block::type>("type", kBlockWords, "type of the name"),
    section<&Block::io>("ioCfg", &rows_of<kIoRows>, "limits of this disk"),
};

constexpr Row kRows[] = {
    toggle<&BlkioQos::enable>("enable", "disk limits and weights"),
    list<&BlkioQos::blocks>("blocks", &rows_of<kBlockRows>, "one entry per disk"),
};

}  // namespace

std::span<const Row> blkio_rows() { return kRows; }

}  // namespace evenkeel::config

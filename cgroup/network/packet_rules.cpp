#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <set>

#include "cgroup/network/kernel_network.h"

namespace evenkeel::network {
namespace {

const std::string kTable = "evenkeel", kTrial = "evenkeel-trial";
/// Before address translation for sent packets, after it for received ones: "mangle".
constexpr std::int32_t kPriority = -150;
constexpr std::size_t kElementsPerMessage = 200;
/// nft(8)'s numbers for the types of keys and values; only used when an operator lists the table.
constexpr std::uint32_t kTypeIpv4 = 7, kTypeIpv6 = 8, kTypeClass = 23, kTypeCgroup = 46;

enum class Way : std::uint8_t { out, in };
/// Where the rules send a packet whose key is in a map.
enum class Leads : std::uint8_t { to_class, to_class_limit, to_own_limit };
constexpr const char* kLeadsNames[] = {"class", "class_limit", "own_limit"};

/// The packet field that is matched; for cgroups one key per level.
struct Key {
  enum class Kind : std::uint8_t { ipv4, ipv6, cgroup } kind{};
  std::uint32_t level = 0;
  auto operator<=>(const Key&) const = default;
};

std::uint32_t length_of(const Key& key) {
  return key.kind == Key::Kind::ipv4 ? 4 : key.kind == Key::Kind::ipv6 ? 16 : 8;
}
std::uint32_t type_of(const Key& key) {
  return key.kind == Key::Kind::ipv4 ? kTypeIpv4 : key.kind == Key::Kind::ipv6 ? kTypeIpv6 : kTypeCgroup;
}
std::string map_name(const Key& key, Leads leads) {
  const auto of = key.kind == Key::Kind::ipv4   ? std::string("ip")
                  : key.kind == Key::Kind::ipv6 ? std::string("ip6")
                                                : "cgroup" + std::to_string(key.level);
  return of + '_' + kLeadsNames[static_cast<std::size_t>(leads)];
}
std::string limit_name(int position) { return "limit" + std::to_string(position); }

Key key_of(const PacketRule& rule) {
  if (rule.by_cgroup) return {Key::Kind::cgroup, rule.level};
  return {rule.address.v6 ? Key::Kind::ipv6 : Key::Kind::ipv4, 0};
}

/// The byte order in which nft(8) shows keys and values: type, length, number (1: the machine's, 2: network).
std::vector<char> orders_of(const Key& key, bool has_values) {
  std::vector<char> out{0, 4, static_cast<char>(key.kind == Key::Kind::cgroup ? 1 : 2), 0, 0, 0};
  if (has_values) out.insert(out.end(), {1, 4, 1, 0, 0, 0});
  return out;
}

int limit_of(const PacketRule& rule, Leads leads) {
  return leads == Leads::to_class_limit ? rule.class_limit : rule.own_limit;
}

class Builder {
 public:
  explicit Builder(const PacketRules& rules) : rules_(rules) {
    for (const auto& rule : rules.rules) keys_.insert(key_of(rule));
  }

  std::vector<NetlinkMessage> put(bool replaces, bool owned) && {
    begin();
    if (replaces) message(NFT_MSG_DELTABLE, 0).put_text(NFTA_TABLE_NAME, kTable);
    message(NFT_MSG_NEWTABLE, NLM_F_CREATE | NLM_F_EXCL)
        .put_text(NFTA_TABLE_NAME, kTable)
        .put_big(NFTA_TABLE_FLAGS, owned ? NFT_TABLE_F_OWNER : 0);
    add_limits();
    add_chain("forward", NF_INET_FORWARD);
    add_chain("output", NF_INET_LOCAL_OUT);
    add_chain("input", NF_INET_LOCAL_IN);
    for (const auto& key : keys_)
      for (const auto leads : {Leads::to_class, Leads::to_class_limit, Leads::to_own_limit})
        if (add_map(key, leads)) add_rule(key, leads);
    end();
    return std::move(out_);
  }
  std::vector<NetlinkMessage> attempt() && {
    begin();
    message(NFT_MSG_NEWTABLE, NLM_F_CREATE).put_text(NFTA_TABLE_NAME, kTrial);
    message(NFT_MSG_DELTABLE, 0).put_text(NFTA_TABLE_NAME, kTrial);
    end();
    return std::move(out_);
  }
  std::vector<NetlinkMessage> remove() && {
    begin();
    message(NFT_MSG_DELTABLE, 0).put_text(NFTA_TABLE_NAME, kTable);
    end();
    return std::move(out_);
  }

 private:
  void begin() { mark(NFNL_MSG_BATCH_BEGIN); }
  /// The kernel reports each refusal, and one acknowledgement at the end says that there was none.
  void end() {
    out_.back().request_ack();
    mark(NFNL_MSG_BATCH_END);
  }
  void mark(int type) {
    out_.emplace_back(type, NLM_F_REQUEST, nfgenmsg{AF_UNSPEC, NFNETLINK_V0, htons(NFNL_SUBSYS_NFTABLES)});
  }
  NetlinkMessage& message(int type, int flags) {
    return out_.emplace_back((NFNL_SUBSYS_NFTABLES << 8) | type, NLM_F_REQUEST | flags,
                             nfgenmsg{NFPROTO_INET, NFNETLINK_V0, 0});
  }

  /// Packets above the rate are dropped; a burst of up to a tenth of a second's bytes may pass at once.
  void add_limits() {
    for (std::size_t i = 0; i < rules_.limits.size(); ++i) {
      const auto bytes = std::max<std::int64_t>(rules_.limits[i].count() / 8, 1);
      const auto burst = std::clamp<std::int64_t>(bytes / 10, 65536, INT32_MAX);
      auto& one = message(NFT_MSG_NEWOBJ, NLM_F_CREATE)
                      .put_text(NFTA_OBJ_TABLE, kTable)
                      .put_text(NFTA_OBJ_NAME, limit_name(static_cast<int>(i)))
                      .put_big(NFTA_OBJ_TYPE, NFT_OBJECT_LIMIT);
      one.nest(NFTA_OBJ_DATA, [&] {
        one.put_big64(NFTA_LIMIT_RATE, static_cast<std::uint64_t>(bytes))
            .put_big64(NFTA_LIMIT_UNIT, 1)
            .put_big(NFTA_LIMIT_BURST, static_cast<std::uint32_t>(burst))
            .put_big(NFTA_LIMIT_TYPE, NFT_LIMIT_PKT_BYTES)
            .put_big(NFTA_LIMIT_FLAGS, NFT_LIMIT_F_INV);
      });
    }
  }

  void add_chain(const char* name, std::uint32_t hook) {
    auto& one = message(NFT_MSG_NEWCHAIN, NLM_F_CREATE)
                    .put_text(NFTA_CHAIN_TABLE, kTable)
                    .put_text(NFTA_CHAIN_NAME, name)
                    .put_text(NFTA_CHAIN_TYPE, "filter")
                    .put_big(NFTA_CHAIN_POLICY, NF_ACCEPT);
    one.nest(NFTA_CHAIN_HOOK, [&] {
      one.put_big(NFTA_HOOK_HOOKNUM, hook).put_big(NFTA_HOOK_PRIORITY, static_cast<std::uint32_t>(kPriority));
    });
  }

  /// Whether the map has entries.
  bool add_map(const Key& key, Leads leads) {
    std::vector<const PacketRule*> in;
    for (const auto& rule : rules_.rules)
      if (key_of(rule) == key && (leads == Leads::to_class || limit_of(rule, leads) >= 0))
        in.push_back(&rule);
    if (in.empty()) return false;
    const bool to_class = leads == Leads::to_class;
    auto& map = message(NFT_MSG_NEWSET, NLM_F_CREATE)
                    .put_text(NFTA_SET_TABLE, kTable)
                    .put_text(NFTA_SET_NAME, map_name(key, leads))
                    .put_big(NFTA_SET_FLAGS, to_class ? NFT_SET_MAP : NFT_SET_OBJECT)
                    .put_big(NFTA_SET_KEY_TYPE, type_of(key))
                    .put_big(NFTA_SET_KEY_LEN, length_of(key))
                    .put_big(NFTA_SET_ID, ++sets_);
    const auto order = orders_of(key, to_class);
    map.put(NFTA_SET_USERDATA, order.data(), order.size());
    if (to_class) {
      map.put_big(NFTA_SET_DATA_TYPE, kTypeClass).put_big(NFTA_SET_DATA_LEN, sizeof(std::uint32_t));
    } else {
      map.put_big(NFTA_SET_OBJ_TYPE, NFT_OBJECT_LIMIT);
    }
    for (std::size_t from = 0; from < in.size(); from += kElementsPerMessage)
      add_elements(key, leads, std::span(in).subspan(from, std::min(kElementsPerMessage, in.size() - from)));
    return true;
  }

  void add_elements(const Key& key, Leads leads, std::span<const PacketRule* const> rules) {
    auto& list = message(NFT_MSG_NEWSETELEM, NLM_F_CREATE)
                     .put_text(NFTA_SET_ELEM_LIST_TABLE, kTable)
                     .put_text(NFTA_SET_ELEM_LIST_SET, map_name(key, leads));
    list.nest(NFTA_SET_ELEM_LIST_ELEMENTS, [&] {
      for (const auto* rule : rules)
        list.nest(NFTA_LIST_ELEM, [&] {
          list.nest(NFTA_SET_ELEM_KEY, [&] {
            if (rule->by_cgroup) {
              list.put_value(NFTA_DATA_VALUE, rule->cgroup);
            } else {
              list.put(NFTA_DATA_VALUE, rule->address.bytes.data(), length_of(key));
            }
          });
          if (leads != Leads::to_class) {
            list.put_text(NFTA_SET_ELEM_OBJREF, limit_name(limit_of(*rule, leads)));
          } else {
            list.nest(NFTA_SET_ELEM_DATA, [&] { list.put_value(NFTA_DATA_VALUE, kOurQdisc | rule->minor); });
          }
        });
    });
  }

  void add_rule(const Key& key, Leads leads) {
    const Way way = leads == Leads::to_class ? Way::out : Way::in;
    const char* chain = key.kind != Key::Kind::cgroup ? "forward" : way == Way::out ? "output" : "input";
    auto& rule = message(NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND)
                     .put_text(NFTA_RULE_TABLE, kTable)
                     .put_text(NFTA_RULE_CHAIN, chain);
    rule.nest(NFTA_RULE_EXPRESSIONS, [&] {
      add_match(rule, way == Way::out ? NFT_META_OIF : NFT_META_IIF, &rules_.link, sizeof rules_.link);
      add_key(rule, key, way);
      if (leads == Leads::to_class) {
        add_class(rule, map_name(key, leads));
      } else {
        add_limit(rule, map_name(key, leads));
      }
    });
  }

  static void add_expression(NetlinkMessage& rule, const char* name, const std::function<void()>& fill) {
    rule.nest(NFTA_LIST_ELEM, [&] {
      rule.put_text(NFTA_EXPR_NAME, name);
      rule.nest(NFTA_EXPR_DATA, fill);
    });
  }
  static void add_match(NetlinkMessage& rule, std::uint32_t what, const void* value, std::size_t size) {
    add_expression(rule, "meta",
                   [&] { rule.put_big(NFTA_META_KEY, what).put_big(NFTA_META_DREG, NFT_REG_1); });
    add_expression(rule, "cmp", [&] {
      rule.put_big(NFTA_CMP_SREG, NFT_REG_1).put_big(NFTA_CMP_OP, NFT_CMP_EQ);
      rule.nest(NFTA_CMP_DATA, [&] { rule.put(NFTA_DATA_VALUE, value, size); });
    });
  }
  /// Loads the packet's key: its cgroup, or the sender's address if it is sent, the receiver's if it is
  /// received.
  static void add_key(NetlinkMessage& rule, const Key& key, Way way) {
    if (key.kind == Key::Kind::cgroup)
      return add_expression(rule, "socket", [&] {
        rule.put_big(NFTA_SOCKET_KEY, NFT_SOCKET_CGROUPV2)
            .put_big(NFTA_SOCKET_DREG, NFT_REG_1)
            .put_big(NFTA_SOCKET_LEVEL, key.level);
      });
    const bool v6 = key.kind == Key::Kind::ipv6;
    const std::uint8_t protocol = v6 ? NFPROTO_IPV6 : NFPROTO_IPV4;
    add_match(rule, NFT_META_NFPROTO, &protocol, sizeof protocol);
    const std::uint32_t source = v6 ? 8 : 12, destination = v6 ? 24 : 16;
    add_expression(rule, "payload", [&] {
      rule.put_big(NFTA_PAYLOAD_DREG, NFT_REG_1)
          .put_big(NFTA_PAYLOAD_BASE, NFT_PAYLOAD_NETWORK_HEADER)
          .put_big(NFTA_PAYLOAD_OFFSET, way == Way::out ? source : destination)
          .put_big(NFTA_PAYLOAD_LEN, length_of(key));
    });
  }
  static void add_class(NetlinkMessage& rule, const std::string& map) {
    add_expression(rule, "lookup", [&] {
      rule.put_text(NFTA_LOOKUP_SET, map)
          .put_big(NFTA_LOOKUP_SREG, NFT_REG_1)
          .put_big(NFTA_LOOKUP_DREG, NFT_REG_1);
    });
    add_expression(rule, "meta", [&] {
      rule.put_big(NFTA_META_KEY, NFT_META_PRIORITY).put_big(NFTA_META_SREG, NFT_REG_1);
    });
  }
  static void add_limit(NetlinkMessage& rule, const std::string& map) {
    add_expression(rule, "objref", [&] {
      rule.put_big(NFTA_OBJREF_SET_SREG, NFT_REG_1).put_text(NFTA_OBJREF_SET_NAME, map);
    });
    add_expression(rule, "immediate", [&] {
      rule.put_big(NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
      rule.nest(NFTA_IMMEDIATE_DATA,
                [&] { rule.nest(NFTA_DATA_VERDICT, [&] { rule.put_big(NFTA_VERDICT_CODE, NF_DROP); }); });
    });
  }

  const PacketRules& rules_;
  std::set<Key> keys_{};
  std::uint32_t sets_ = 0;
  std::vector<NetlinkMessage> out_{};
};

}  // namespace

std::vector<NetlinkMessage> messages_to_put(const PacketRules& rules, bool replaces, bool owned) {
  return Builder(rules).put(replaces, owned);
}

std::vector<NetlinkMessage> messages_to_try() { return Builder(PacketRules{}).attempt(); }

NetlinkMessage message_to_find() {
  NetlinkMessage out((NFNL_SUBSYS_NFTABLES << 8) | NFT_MSG_GETTABLE, NLM_F_REQUEST | NLM_F_ACK,
                     nfgenmsg{NFPROTO_INET, NFNETLINK_V0, 0});
  out.put_text(NFTA_TABLE_NAME, kTable);
  return out;
}

std::vector<NetlinkMessage> messages_to_remove() { return Builder(PacketRules{}).remove(); }

}  // namespace evenkeel::network

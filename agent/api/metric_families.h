// One function for each family of metrics, called by metrics_text(). Each renders the agent's counters; none
// measures.
#pragma once

#include "agent/api/agent_view.h"
#include "agent/api/exposition.h"

namespace evenkeel::api {

/// Pressure triggers and the brake.
void put_brake(Exposition& out, const AgentView& view);
/// Core scheduling; nothing while it is off.
void put_core_sched(Exposition& out, const AgentView& view);
/// Limits and weights on disks; nothing without one.
void put_disks(Exposition& out, const AgentView& view);
/// Interference detection.
void put_interference(Exposition& out, const AgentView& view);
/// Network classes; nothing while networkQOS is off.
void put_network(Exposition& out, const AgentView& view);
/// Memory reclaimed by memory.reclaim.
void put_reclaim(Exposition& out, const AgentView& view);
/// Cache and memory bandwidth; nothing on machines without resctrl.
void put_resctrl(Exposition& out, const AgentView& view);
/// Requests to the kubelet and the API server.
void put_servers(Exposition& out, const AgentView& view);
/// Time that pods waited for a CPU, memory or disks, and because of which pod; nothing while not measured.
void put_waits(Exposition& out, const AgentView& view);

}  // namespace evenkeel::api

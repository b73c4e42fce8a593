// What can be lent and what is advertised, as JSON: the stepped mode's `report`, and explain's `lending` with
// every term of the sum.
#pragma once

#include "agent/lender/lending.h"
#include "agent/runtime/json.h"

namespace evenkeel::api {

/// {"batch-cpu": …} or null: what would be advertised now; null while none of it is known.
void put_report(runtime::Json& json, const lender::Lending& lending);
/// {"advertised": …, "why": …, "terms": [{"name", "source", "cpu_milli", "memory_bytes"}], …} or null.
void put_lending(runtime::Json& json, const lender::Lending& lending);

}  // namespace evenkeel::api

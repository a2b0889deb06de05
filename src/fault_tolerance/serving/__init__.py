"""What a fleet of replicas loses when some fail.

Training protects state, serving protects throughput: when replicas fail, the others carry their load. Whether
that is safe depends on the service rate, on the tail of the response time, and on who shares a queue.
"""

from fault_tolerance.serving.fleet import (
    YEAR,
    failures_per_year,
    headroom,
    load_per_survivor,
    probability_down,
)
from fault_tolerance.serving.overload import (
    backlog,
    backlog_drain_time,
    requests_lost,
    requests_touched,
)
from fault_tolerance.serving.queueing import erlang_c, response_quantile, response_tail
from fault_tolerance.serving.sizing import replicas_needed, response_floor, safe_load
from fault_tolerance.serving.tokens import kv_cache_bytes, recompute_time

__all__ = [
    "YEAR",
    "backlog",
    "backlog_drain_time",
    "erlang_c",
    "failures_per_year",
    "headroom",
    "kv_cache_bytes",
    "load_per_survivor",
    "probability_down",
    "recompute_time",
    "replicas_needed",
    "requests_lost",
    "requests_touched",
    "response_floor",
    "response_quantile",
    "response_tail",
    "safe_load",
]

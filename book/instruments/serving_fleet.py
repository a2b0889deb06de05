"""Part D: what the survivors of a serving fleet carry, how fast they answer, and what hot spares cost."""

from __future__ import annotations

from typing import Any

import numpy as np

from chapterkit.instrument import Choice, Control, Instrument, Option, Picture, ReadOut
from fault_tolerance import serving

FEWEST, MOST = 4, 32  # replicas the sliders offer


def keeps_up(servers: float, arrival_rate: float, service_rate: float) -> bool:
    """Whether so many servers can serve what arrives; at equality chance alone lets the queue grow for ever."""
    return arrival_rate / servers < service_rate and servers * service_rate > arrival_rate


def p99(servers: float, arrival_rate: float, service_rate: float, pooled: float) -> float:
    if pooled > 0.5:
        return serving.response_quantile(servers, arrival_rate, service_rate)
    return serving.response_quantile(1.0, arrival_rate / servers, service_rate)


def judge(servers: float, arrival_rate: float, service_rate: float, slo: float, pooled: float) -> str:
    """The one rule: it colours the bars, writes the status and picks the sentence."""
    if not keeps_up(servers, arrival_rate, service_rate):
        return "overloaded"
    if p99(servers, arrival_rate, service_rate, pooled) > slo:
        return "late"
    return "ok"


def waiting(servers: float, arrival_rate: float, service_rate: float, pooled: float) -> float:
    """Requests that wait on average in steady state, in all queues together."""
    queues = 1.0
    if pooled < 0.5:
        queues = servers
    each = servers / queues
    load = arrival_rate / queues
    return queues * serving.erlang_c(each, load, service_rate) * load / (each * service_rate - load)


def compute(
    replicas: float,
    arrival_rate: float,
    service_rate: float,
    failed: float,
    recovery_time: float,
    slo: float,
    pooled: float,
    mtbf: float,
    detection_time: float,
    gpus_per_replica: float,
    price: float,
) -> dict[str, Any]:
    survivors = replicas - failed
    load = serving.load_per_survivor(arrival_rate, replicas, failed)
    capacity = survivors * service_rate
    fleet = replicas * service_rate
    verdict = judge(survivors, arrival_rate, service_rate, slo, pooled)
    whole = judge(replicas, arrival_rate, service_rate, slo, pooled)
    floor = serving.response_floor(service_rate)
    reachable = slo > floor

    status = verdict
    if verdict == "ok" and failed == 0.0:
        status = "ok-all-up"
    if verdict == "late" and whole == "late":
        status = "late-always"
    if verdict == "late" and not reachable:
        status = "late-floor"
    if verdict == "overloaded" and arrival_rate == capacity:
        status = "full"
    if whole == "overloaded":
        status = "hopeless"
    words = {"ok": "keeps the target", "late": "too slow", "overloaded": "overloaded"}

    time_down = "none: the queue grows"
    time_up = "none"
    each = "none"
    shared = "none"
    ratio = 0.0
    designs = "unstable"
    if whole != "overloaded":
        time_up = p99(replicas, arrival_rate, service_rate, pooled)
    if verdict != "overloaded":
        time_down = p99(survivors, arrival_rate, service_rate, pooled)
        ratio = time_down / slo
        each = p99(survivors, arrival_rate, service_rate, 0.0)
        shared = p99(survivors, arrival_rate, service_rate, 1.0)
        designs = "one"
        if survivors > 1.0:
            designs = "stable"

    needed = "no number is enough"
    needed_each = "no number"
    needed_shared = "no number"
    spares = "no number is enough"
    spare_price = "no price buys it"
    short = "impossible"
    if reachable:
        needed_each = serving.replicas_needed(arrival_rate, service_rate, slo, failed, False)
        needed_shared = serving.replicas_needed(arrival_rate, service_rate, slo, failed, True)
        needed = needed_each
        if pooled > 0.5:
            needed = needed_shared
        spares = np.maximum(needed - replicas, 0.0)
        spare_price = spares * gpus_per_replica * price
        short = "some"
        if spares == 0.0:
            short = "none"

    backlog = serving.backlog(arrival_rate, service_rate, replicas, failed, recovery_time)
    drain = "never"
    touched = "all of them"
    lost = "no steady number"
    after = 0.0
    phase = "never"
    if whole != "overloaded":
        drain = serving.backlog_drain_time(
            arrival_rate, service_rate, replicas, failed, recovery_time, pooled > 0.5
        )
        touched = 0.0
        lost = 0.0
        phase = "nothing"
        if failed > 0.0:
            after = drain
            touched = serving.requests_touched(
                arrival_rate, service_rate, replicas, failed, recovery_time, pooled > 0.5
            )
            lost = serving.requests_lost(
                arrival_rate, service_rate, replicas, failed, detection_time, pooled > 0.5
            )
            phase = "steady"
            if status == "full":
                phase = "full"
            if backlog > 0.0:
                phase = "each"
                if pooled > 0.5:
                    phase = "shared"

    down_words = "With " + str(int(failed)) + " replicas down"
    least_words = "at least " + str(int(failed)) + " are down together"
    lost_words = "with these " + str(int(failed)) + " replicas"
    if failed == 1.0:
        down_words = "With 1 replica down"
        least_words = "at least one is down"
        lost_words = "with this replica"
    if failed == 0.0:
        down_words = "With all replicas up"
        lost_words = "nothing fails"
    down = "always"
    often = "all-up"
    if failed > 0.0:
        down = serving.probability_down(replicas, failed, mtbf, recovery_time) * serving.YEAR
        often = "some"
    return {
        "survivors": survivors,
        "load": load,
        "load_up": arrival_rate / replicas,
        "headroom": serving.headroom(replicas, failed),
        "capacity": capacity,
        "fleet": fleet,
        "surplus": capacity - arrival_rate,
        "excess": arrival_rate - capacity,
        "excess_up": arrival_rate - fleet,
        "spare_rate": service_rate - load,
        "offered": load / service_rate,
        "utilisation": np.minimum(load / service_rate, 1.0),
        "utilisation_up": np.minimum(arrival_rate / fleet, 1.0),
        "p99": time_down,
        "p99_up": time_up,
        "p99_each": each,
        "p99_shared": shared,
        "ratio": ratio,
        "floor": floor,
        "log": -np.log1p(-0.99),
        "safe": np.maximum(service_rate - floor / slo * service_rate, 0.0),
        "least": np.floor(arrival_rate / service_rate) + 1.0,
        "least_down": np.floor(arrival_rate / service_rate) + 1.0 + failed,
        "needed": needed,
        "needed_each": needed_each,
        "needed_shared": needed_shared,
        "spares": spares,
        "spare_price": spare_price,
        "replica_price": gpus_per_replica * price,
        "backlog": backlog,
        "drain": drain,
        "after": after,
        "touched": touched,
        "lost": lost,
        "lost_words": lost_words,
        "down": down,
        "failures": serving.failures_per_year(replicas, mtbf),
        "unavailable": recovery_time / (mtbf + recovery_time),
        "down_words": down_words,
        "least_words": least_words,
        "verdict": verdict,
        "verdict_words": words[verdict],
        "status": status,
        "short": short,
        "designs": designs,
        "phase": phase,
        "often": often,
    }


def tail_figure(state: dict[str, Any]) -> dict[str, Any]:
    """P99 against the number of replicas, each time with the same number down."""
    arrival_rate, service_rate, slo, pooled = (
        state["arrival_rate"],
        state["service_rate"],
        state["slo"],
        state["pooled"],
    )
    failed = state["failed"]
    x = []
    each = []
    shared = []
    good = bars("keeps the target", "var(--ck-5)")
    late = bars("too slow", "var(--ck-2)")
    tallest = slo
    too_few = 0.0
    for replicas in range(FEWEST, MOST + 1):
        survivors = replicas - failed
        verdict = judge(survivors, arrival_rate, service_rate, slo, pooled)
        if verdict == "overloaded":
            too_few = replicas
        else:
            x.append(replicas)
            each.append(1000.0 * p99(survivors, arrival_rate, service_rate, 0.0))
            shared.append(1000.0 * p99(survivors, arrival_rate, service_rate, 1.0))
            mine = 1000.0 * p99(survivors, arrival_rate, service_rate, pooled)
            tallest = np.maximum(tallest, mine / 1000.0)
            mark = late
            if verdict == "ok":
                mark = good
            mark["x"].append(replicas)
            mark["y"].append(mine)
    top = 1000.0 * np.minimum(2.0 * slo, np.maximum(1.35 * slo, 1.15 * tallest))
    yours = state["replicas"]
    shapes = [
        {
            "type": "line",
            "x0": FEWEST - 0.7,
            "x1": MOST + 0.7,
            "y0": 1000.0 * slo,
            "y1": 1000.0 * slo,
            "line": {"color": "var(--ck-fg)", "dash": "dash", "width": 2},
        },
        {
            "type": "line",
            "x0": yours,
            "x1": yours,
            "y0": 0,
            "y1": 1,
            "yref": "paper",
            "line": {"color": "var(--ck-6)", "dash": "dot", "width": 2},
        },
    ]
    notes = [
        {"x": MOST + 0.6, "y": 1000.0 * slo, "xanchor": "right", "yanchor": "bottom", "showarrow": False, "text": "target"},
        {"x": yours + 0.25 if yours < 0.7 * MOST else yours - 0.25, "y": 0.99, "yref": "paper", "xanchor": "left" if yours < 0.7 * MOST else "right", "yanchor": "top",
         "showarrow": False, "text": "yours", "font": {"color": "var(--ck-6)"}},
    ]  # fmt: skip
    if too_few > 0.0:
        shapes.append({"type": "rect", "x0": FEWEST - 0.7, "x1": too_few + 0.5, "y0": 0, "y1": 1, "yref": "paper",
                       "fillcolor": "var(--ck-band)", "line": {"width": 0}, "layer": "below"})  # fmt: skip
        notes.append({"x": FEWEST - 0.5, "y": 0.03, "yref": "paper", "xanchor": "left", "yanchor": "bottom", "showarrow": False,
                      "text": "overloaded" if too_few > 15 else ""})  # fmt: skip
    return {
        "data": [
            curve("a queue each", x, each, "var(--ck-4)", "dash"),
            curve("one shared queue", x, shared, "var(--ck-1)", "solid"),
            good,
            late,
        ],
        "layout": {
            "xaxis": {"title": {"text": "replicas in the fleet"}, "range": [FEWEST - 0.7, MOST + 0.7], "tickvals": [4, 8, 12, 16, 20, 24, 28, 32], "showgrid": False},
            "yaxis": {"title": {"text": "P99 with replicas down, ms"}, "range": [0, top]},
            "shapes": shapes,
            "annotations": notes,
        },
    }  # fmt: skip


def bars(name: str, color: str) -> dict[str, Any]:
    return {
        "type": "bar",
        "name": name,
        "x": [],
        "y": [],
        "width": 0.8,
        "marker": {"color": color},
        "hovertemplate": "%{x} replicas: %{y:.3g} ms",
    }


def curve(name: str, x: list[float], y: list[float], color: str, dash: str) -> dict[str, Any]:
    return {"type": "scatter", "mode": "lines+markers", "name": name, "x": x, "y": y, "line": {"color": color, "dash": dash, "width": 2},
            "marker": {"color": color, "size": 6, "symbol": "circle" if dash == "solid" else "square"}, "hovertemplate": "%{x} replicas: %{y:.3g} ms"}  # fmt: skip


def queue_figure(state: dict[str, Any]) -> dict[str, Any]:
    """Requests that wait, before, during and after the recovery; fluid where they pile up, else the mean."""
    arrival_rate, service_rate, pooled = state["arrival_rate"], state["service_rate"], state["pooled"]
    replicas, failed, recovery_time = state["replicas"], state["failed"], state["recovery_time"]
    phase, backlog = state["phase"], state["backlog"]
    x = []
    each = []
    shared = []
    end = 2.0 * recovery_time
    words = "all replicas up"
    if failed > 0.0:
        words = str(int(failed)) + " down"
    if phase == "steady" or phase == "nothing":
        kind = "waiting on average"
        for at in [-0.2 * recovery_time, 0.0, 0.0, recovery_time, recovery_time, end]:
            x.append(at)
            servers = replicas
            if len(x) == 3 or len(x) == 4:
                servers = replicas - failed
            each.append(waiting(servers, arrival_rate, service_rate, 0.0))
            shared.append(waiting(servers, arrival_rate, service_rate, 1.0))
    else:
        kind = "backlog"
        growth = np.maximum(state["excess_up"], 0.0)
        slow = 0.0
        fast = 0.0
        if phase == "each" or phase == "shared":
            slow = serving.backlog_drain_time(
                arrival_rate, service_rate, replicas, failed, recovery_time, False
            )
            fast = serving.backlog_drain_time(
                arrival_rate, service_rate, replicas, failed, recovery_time, True
            )
            end = np.minimum(recovery_time + 1.25 * slow, 8.0 * recovery_time)
            end = np.maximum(end, 1.3 * recovery_time)
        for at in [
            -0.2 * recovery_time,
            0.0,
            recovery_time,
            recovery_time + fast,
            recovery_time + slow,
            np.maximum(end, recovery_time + slow),
        ]:
            x.append(at)
            each.append(level(at, backlog, recovery_time, slow, growth))
            shared.append(level(at, backlog, recovery_time, fast, growth))
    tallest = 1.0
    for at in range(len(x)):
        tallest = np.maximum(tallest, np.maximum(each[at], shared[at]))
    shapes = [
        {
            "type": "rect",
            "x0": 0,
            "x1": recovery_time,
            "y0": 0,
            "y1": 1,
            "yref": "paper",
            "fillcolor": "var(--ck-band)",
            "line": {"width": 0},
            "layer": "below",
        }
    ]
    width_each = 2
    width_shared = 3.5
    if pooled < 0.5:
        width_each = 3.5
        width_shared = 2
    return {
        "data": [
            level_line("a queue each", x, each, "var(--ck-4)", "dash", width_each),
            level_line("one shared queue", x, shared, "var(--ck-1)", "solid", width_shared),
        ],
        "layout": {
            "xaxis": {"title": {"text": "seconds since the failure"}, "range": [-0.2 * recovery_time, end]},
            "yaxis": {"title": {"text": "requests, " + kind}, "range": [0, 1.2 * tallest]},
            "shapes": shapes,
            "annotations": [
                {"x": 0.02 * recovery_time, "y": 0.98, "yref": "paper", "xanchor": "left", "yanchor": "top", "showarrow": False, "text": words}
            ],
        },
    }  # fmt: skip


def level(at: float, backlog: float, recovery_time: float, drain: float, growth: float) -> float:
    """The backlog so long after the failure: it rises, then goes within `drain`, or goes on growing."""
    if at <= 0.0:
        return 0.0
    if at <= recovery_time:
        return backlog * at / recovery_time
    if drain > 0.0:
        return backlog * np.maximum(1.0 - (at - recovery_time) / drain, 0.0)
    return backlog + growth * (at - recovery_time)


def level_line(
    name: str, x: list[float], y: list[float], color: str, dash: str, width: float
) -> dict[str, Any]:
    return {"type": "scatter", "mode": "lines", "name": name, "x": x, "y": y,
            "line": {"color": color, "dash": dash, "width": width}, "hovertemplate": "%{x:.3g} s: %{y:,.3g}"}  # fmt: skip


INSTRUMENT = Instrument(
    name="serving-fleet",
    title="A fleet that loses replicas",
    controls=[
        Control("replicas", "Replicas", FEWEST, MOST, 1, 10, symbol="c", whole=True),
        Control("arrival_rate", "Requests", 100, 5_000, 100, 1_000, unit="/s", symbol="λ"),
        Control("service_rate", "Service rate of one replica", 20, 500, 5, 130, unit="/s", symbol="μ"),
        Control("failed", "Failed at once", 0, 3, 1, 1, symbol="k", whole=True),
        Control("recovery_time", "Recovery", 10, 300, 10, 90, unit="s", symbol="Tᵣ", also="time"),
        Control("slo", "P99 target", 100, 2_000, 50, 500, unit="ms", symbol="L"),
        Choice(
            "pooled",
            "Queues",
            [Option("each", "one each", 0), Option("shared", "one shared by all", 1)],
            "each",
        ),
        Control("mtbf", "Time between failures of a replica", 1, 365, 1, 30, unit="d", symbol="M", more=True),
        Control("detection_time", "Until a failure is noticed", 0, 10, 0.5, 5, unit="s", more=True),
        Control("gpus_per_replica", "GPUs in a replica", 1, 64, 1, 8, whole=True, more=True),
        Control("price", "Price of a GPU-hour", 0.5, 10, 0.1, 3, unit="$/h", more=True),
    ],
    compute=compute,
    readouts=[
        ReadOut(
            "load",
            "Load per survivor",
            "/s",
            ".4g",
            "{load_up|/s .4g} with all up; one can serve {service_rate|/s .4g}",
        ),
        ReadOut(
            "utilisation",
            "Utilisation of the survivors",
            "%",
            ".1f",
            "{offered|% .1f} of their capacity arrives",
        ),
        ReadOut(
            "p99",
            "P99 response",
            "time",
            ".3g",
            "target {slo|ms .4g}; with all up {p99_up|time .3g}",
            main=True,
        ),
        ReadOut("verdict_words", "Status", note="{down_words}", main=True),
        ReadOut("spares", "Hot spares needed", "", ",.0f", "replicas in all: {needed| ,.0f}", main=True),
        ReadOut(
            "spare_price", "Price of these spares, per day", "$/d", ",.0f", "{replica_price|$/d ,.0f} each"
        ),
        ReadOut("backlog", "Backlog after recovery", "", ",.0f", "drained after: {drain|time .3g}"),
        ReadOut("touched", "Requests touched", "", ",.0f", "arrive before all is as it was"),
        ReadOut("lost", "Requests lost at once", "", ",.0f", "{lost_words}"),
        ReadOut("down", "At least so many down, per year", "time", ".3g", "{failures| ,.3g} failures a year"),
    ],
    sentences={
        "status": {
            "ok-all-up": "<b>All replicas are up and keep the target.</b> Each gets {load|/s .4g} and could take {safe|/s .4g} from a queue of its own.",
            "ok": "<b>The target holds.</b> {down_words}, each survivor gets {load|/s .4g}, {headroom|% .3g} more than before. The P99 is {p99|time .3g}, within {slo|ms .4g}.",
            "late": '<b class="ck-alert">Too slow.</b> {down_words}, nothing piles up, but the P99 is {p99|time .3g}, {ratio|x .3g} the target of {slo|ms .4g}. '
            "The survivors have {surplus|/s .3g} to spare, and the tail needs more.",
            "late-always": '<b class="ck-alert">Too slow, whatever fails.</b> {down_words}, the P99 is {p99|time .3g}. With all up it is {p99_up|time .3g}, and the target is {slo|ms .4g}. '
            "The fleet is too small for its load even on a good day.",
            "late-floor": '<b class="ck-alert">A target that no fleet keeps.</b> Serving alone, without any wait, takes {floor|ms .4g} at the P99. The target is {slo|ms .4g}. '
            "Set it above that, or make each replica faster.",
            "full": '<b class="ck-alert">Exactly full.</b> {survivors| .0f} survivors can serve {capacity|/s ,.5g}, which is just what arrives. On average nothing piles up, but chance makes the queue grow without end. '
            "So there is no P99. With {least_down| ,.0f} replicas the survivors would keep up.",
            "overloaded": '<b class="ck-alert">Overloaded.</b> {arrival_rate|/s ,.5g} arrive and {survivors| .0f} survivors can serve {capacity|/s ,.5g}. The queue grows by {excess| ,.4g} requests every second, so there is no P99. '
            "With {least_down| ,.0f} replicas the survivors would keep up.",
            "hopeless": '<b class="ck-alert">Overloaded even with all replicas up.</b> {arrival_rate|/s ,.5g} arrive, and {replicas| .0f} replicas can serve {fleet|/s ,.5g}. No recovery helps, and there is no P99. '
            "It takes at least {least| ,.0f} replicas that are up, or fewer requests.",
        },
        "short": {
            "none": "<b>No hot spare is needed</b> for this. It takes {needed| ,.0f} replicas in all; there are {replicas| .0f}.",
            "some": "<b>Hot spares needed: {spares| ,.0f}.</b> It takes {needed| ,.0f} replicas in all; there are {replicas| .0f}. A hot spare serves all the time. A cold one is loaded after the failure, "
            "{recovery_time|time .3g} later.",
            "impossible": "<b>No number of spares keeps this target.</b> Replicas can shorten the wait, not the service: {floor|ms .4g} at the P99.",
        },
        "designs": {
            "stable": "With a queue each the P99 is {p99_each|time .3g}; with one shared queue it is {p99_shared|time .3g}. Replicas needed in all: {needed_each| ,.0f} with a queue each, {needed_shared| ,.0f} with a shared one.",
            "one": "A single survivor has a single queue, so both designs are the same: the P99 is {p99_each|time .3g}.",
            "unstable": "Sharing a queue does not help here. What is missing is capacity. Replicas needed in all: {needed_each| ,.0f} with a queue each, {needed_shared| ,.0f} with a shared one.",
        },
        "phase": {
            "nothing": "Nothing fails, so there is no recovery. Set <i>Failed at once</i> to see one.",
            "steady": "No backlog builds up. {touched| ,.0f} requests arrive while replicas are down and meet the longer times. {lost| ,.0f} are lost at once and must be sent again.",
            "full": "In the fluid model the backlog stays at zero. {touched| ,.0f} requests arrive while replicas are down, to queues that only chance fills. {lost| ,.0f} are lost at once.",
            "each": "In {recovery_time|time .3g} a backlog of {backlog| ,.0f} requests builds up. It is gone {drain|time .3g} after recovery: the replicas that come back cannot help, since each survivor keeps its own queue. "
            "{touched| ,.0f} requests are touched, {lost| ,.0f} are lost at once.",
            "shared": "In {recovery_time|time .3g} a backlog of {backlog| ,.0f} requests builds up. It is gone {drain|time .3g} after recovery, worked off by all replicas from one queue. "
            "{touched| ,.0f} requests are touched, {lost| ,.0f} are lost at once.",
            "never": "The backlog of {backlog| ,.0f} requests never goes: recovery leaves the fleet overloaded. Shed load, or add replicas.",
        },
        "often": {
            "all-up": "Replicas fail {failures| ,.3g} times a year, each time for {recovery_time|time .3g}.",
            "some": "Replicas fail {failures| ,.3g} times a year. If they fail independently, {least_words} for {down|time .3g} of the year. A roll-out or a shared cause adds to that.",
        },
    },
    lines=[
        "load: λ / (<i>c</i> − <i>k</i>) = {arrival_rate|/s ,.5g} / ({replicas| .0f} − {failed| .0f}) = {load|/s .4g}, up by <i>k</i> / (<i>c</i> − <i>k</i>) = {headroom|% .3g}",
        "capacity: (<i>c</i> − <i>k</i>) μ = {survivors| .0f} · {service_rate|/s .4g} = {capacity|/s ,.5g}, against {arrival_rate|/s ,.5g}",
        "a queue each: ln 100 / (μ − λ/(<i>c</i> − <i>k</i>)) = {log| .4g} / ({service_rate|/s .4g} − {load|/s .4g}) = {p99_each|time .3g}",
        "safe load: μ − ln 100 / <i>L</i> = {service_rate|/s .4g} − {log| .4g} / {slo|s .4g} = {safe|/s .4g}; the floor is ln 100 / μ = {floor|ms .4g}",
        "spares: {needed| ,.0f} needed, {replicas| .0f} at hand; each {gpus_per_replica| .0f} GPUs · {price|$/h .2f} · 24 = {replica_price|$/d ,.0f} a day",
        "backlog: (λ − (<i>c</i> − <i>k</i>) μ)<sup>+</sup> <i>T</i><sub>r</sub> = {backlog| ,.0f}, drained after: {drain|time .3g}",
        "a replica is down for <i>T</i><sub>r</sub> / (<i>M</i> + <i>T</i><sub>r</sub>) = {recovery_time|time .3g} / ({mtbf|time .3g} + {recovery_time|time .3g}) = {unavailable|% .2g} of the time",
    ],
    pictures=[
        Picture(
            "tail",
            "P99 against the number of replicas, as many down as you set",
            tail_figure,
            caption="{down_words}. The bars are your choice of queues; the two lines compare it with the other. Bars and lines that leave the picture go on above it. "
            "In the shaded part the fleet is overloaded: the survivors cannot keep up, and there is no P99.",
        ),
        Picture(
            "queue",
            "Requests that wait, before, during and after the recovery",
            queue_figure,
            caption="Shaded: the recovery of {recovery_time|time .3g}. Where the survivors keep up, the lines show how many requests wait on average; "
            "where they do not, the backlog as if requests were a fluid. The thicker line is your choice.",
            ratio=0.42,
            narrow_ratio=0.8,
        ),
    ],
)

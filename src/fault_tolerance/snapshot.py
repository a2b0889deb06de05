"""Checkpoints in the background: a short pause, then a drain while training goes on.

The job pauses while each node copies its share to its own drives, and goes on while the copy drains to
storage that outlives the node. Two facts bound the gain. A snapshot counts only once it is drained, so
drain time is lost at every failure as restart time is. And drains run one after another, so snapshots
cannot follow each other faster than they drain.
"""

import numpy as np

from fault_tolerance import checkpoint
from fault_tolerance._arguments import DOMAINS, Array, Domain, Numbers, accepts, each
from fault_tolerance.reliability import survival
from fault_tolerance.serving._elementwise import elementwise

DOMAINS["machines"] = Domain(1.0, False, 100_000.0, False, True, "a whole number from 1 to 100,000")
DOMAINS["part"] = Domain(0.0, False, 1.0, False, False, "a number from 0 to 1")


@accepts(checkpoint_bytes="positive", nodes="positive", node_bandwidth="positive")
def pause(checkpoint_bytes: Numbers, nodes: Numbers, node_bandwidth: Numbers) -> Numbers:
    r"""Time for which training stops while every node copies its share to its own drives.

    .. math:: s = \frac{C / n}{B_\text{local}}

    Parameters
    ----------
    checkpoint_bytes : float or array
        Bytes of one checkpoint (:math:`C`), spread evenly over the nodes.
    nodes : float or array
        Nodes of the job (:math:`n`).
    node_bandwidth : float or array
        What the drives of one node take in, in bytes per second (:math:`B_\text{local}`).

    Returns
    -------
    float or array
        Seconds, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        An argument is not finite and above 0.

    Notes
    -----
    Derived in :ref:`part-c-pause` as :eq:`eq-pause`. To copy first and drain later is the way of
    :cite:t:`mohan2021checkfreq`.

    Examples
    --------
    2.45 TB over 1,250 nodes of 100 GB/s:

    >>> pause(checkpoint_bytes=2.45e12, nodes=1250, node_bandwidth=100e9)
    0.0196
    """
    return checkpoint_bytes / nodes / node_bandwidth


@accepts(checkpoint_bytes="positive", drain_bandwidth="positive")
def drain_time(checkpoint_bytes: Numbers, drain_bandwidth: Numbers) -> Numbers:
    r"""Time to make a snapshot durable.

    .. math:: T_d = C / B_\text{drain}

    Parameters
    ----------
    checkpoint_bytes : float or array
        Bytes of one checkpoint (:math:`C`).
    drain_bandwidth : float or array
        From all local drives together to durable storage, in bytes per second (:math:`B_\text{drain}`).

    Returns
    -------
    float or array
        Seconds, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        An argument is not finite and above 0.

    Notes
    -----
    Derived in :ref:`part-c-drain` as :eq:`eq-drain`. :cite:t:`mohan2021checkfreq` call this phase
    *persist*.

    Examples
    --------
    >>> drain_time(checkpoint_bytes=2.45e12, drain_bandwidth=10e9)
    245.0
    """
    return checkpoint_bytes / drain_bandwidth


@accepts(pause="positive", drain_time="non-negative", mtbf="positive")
def interval(pause: Numbers, drain_time: Numbers, mtbf: Numbers) -> Numbers:
    r"""Best interval that the drain can follow.

    .. math:: \tau = \max(\tau^*(s, M),\ T_d - s)

    Goodput falls on both sides of its optimum :math:`\tau^*`, so where that is too short for the drain, the
    shortest possible interval is the best.

    Parameters
    ----------
    pause, drain_time, mtbf : float or array
        Pause of one snapshot, time to drain it, mean time between failures, in seconds
        (:math:`s, T_d, M`).

    Returns
    -------
    float or array
        Work between snapshots in seconds, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        An argument is outside its domain: finite and above 0, or 0 and up for ``drain_time``.

    Notes
    -----
    Derived in :ref:`part-c-drain` as :eq:`eq-async-interval`. A snapshot may be taken while the
    one before it still drains, but its own drain starts only after that; so a period :math:`\tau + s` lasts
    at least :math:`T_d`, which is :eq:`eq-keeps-up`. The optimum is that of
    :func:`fault_tolerance.checkpoint.optimal_interval` :cite:p:`herault2015fault`: drain time scales the
    goodput of every interval alike and does not move it.

    Examples
    --------
    On 10,000 GPUs the optimum is 27 s, but a drain at 10 GB/s takes 245 s:

    >>> round(interval(pause=0.0196, drain_time=0, mtbf=18_000), 1)
    26.6
    >>> round(interval(pause=0.0196, drain_time=245, mtbf=18_000), 1)
    245.0
    """
    return np.maximum(checkpoint.optimal_interval(pause, mtbf), drain_time - pause)


@accepts(
    interval="positive",
    pause="positive",
    drain_time="non-negative",
    mtbf="positive",
    restart_time="non-negative",
    local_survival="part",
)
def goodput(
    interval: Numbers,
    pause: Numbers,
    drain_time: Numbers,
    mtbf: Numbers,
    restart_time: Numbers = 0.0,
    local_survival: Numbers = 0.0,
) -> Numbers:
    r"""Fraction of time that ends up as kept work, when only drained snapshots count.

    .. math::

        \begin{aligned}
        \eta &= \left[q + (1 - q) e^{-T_d/M}\right] \\
        &\quad \times e^{-R/M} \frac{\tau / M}{e^{(\tau + s)/M} - 1}
        \end{aligned}

    Without local survival (:math:`q = 0`) that is exact, and drain time acts just as restart time does.

    Parameters
    ----------
    interval, pause, drain_time, mtbf : float or array
        Work between snapshots, pause of one snapshot, time to drain it, mean time between failures, in
        seconds (:math:`\tau, s, T_d, M`).
    restart_time : float or array, optional
        Time from a failure until work goes on, in seconds (:math:`R`).
    local_survival : float or array, optional
        Share of the failures that leave all local snapshots usable (:math:`q`).

    Returns
    -------
    float or array
        Between 0 and 1, in the broadcast shape of the arguments; 0.0 where it is too small for a float.

    Raises
    ------
    ValueError
        An argument is outside its domain: finite and above 0, 0 and up for ``drain_time`` and
        ``restart_time``, 0 to 1 for ``local_survival``.

    Notes
    -----
    Derived in :ref:`part-c-durable` as :eq:`eq-async`, along the lines of
    :cite:t:`daly2006checkpoint`, and in :ref:`part-c-spared` as :eq:`eq-spared`.

    Between :math:`q = 0` and 1 it is an approximation, a little too good: it forgets that a snapshot which
    survived one failure undrained can be lost at the next. At :math:`q = 0.5`, 1 GB/s and :math:`R` = 300 s
    on 10,000 GPUs it says 86.0 % where a run played out in full finds 85.5 %. With :math:`q = 1` the
    snapshots are taken for immortal, and what is left of the waste is that of the pause alone.

    The formula does not ask whether the drain keeps up: :func:`interval` sees to that. A shorter interval
    stands for drains that run side by side, each as long as ``drain_time``.

    Examples
    --------
    10,000 GPUs, drained at 10 GB/s and at 1 GB/s:

    >>> round(1 - goodput(interval=245, pause=0.0196, drain_time=245, mtbf=18_000), 4)
    0.0203
    >>> round(1 - goodput(interval=2450, pause=0.0196, drain_time=2450, mtbf=18_000), 3)
    0.185
    """
    kept = local_survival + (1.0 - local_survival) * survival(drain_time, mtbf)
    return kept * checkpoint.goodput(interval, pause, mtbf, restart_time)


@accepts(
    interval="positive",
    pause="positive",
    drain_time="non-negative",
    mtbf="positive",
    restart_time="non-negative",
)
def waste(
    interval: Numbers, pause: Numbers, drain_time: Numbers, mtbf: Numbers, restart_time: Numbers = 0.0
) -> Numbers:
    r"""Fraction of time lost, to first order, when only drained snapshots count.

    .. math:: W \approx \frac{s}{\tau} + \frac{T_d + \tau/2 + R}{M}

    It is an estimate for times much shorter than :math:`M` and exceeds 1 where that fails;
    ``1 - goodput(...)`` is the exact loss.

    Parameters
    ----------
    interval, pause, drain_time, mtbf : float or array
        Work between snapshots, pause of one snapshot, time to drain it, mean time between failures, in
        seconds (:math:`\tau, s, T_d, M`).
    restart_time : float or array, optional
        Time from a failure until work goes on, in seconds (:math:`R`).

    Returns
    -------
    float or array
        A share of the time, in the broadcast shape of the arguments; infinite where it exceeds the largest
        float.

    Raises
    ------
    ValueError
        An argument is outside its domain: finite and above 0, or 0 and up for ``drain_time`` and
        ``restart_time``.

    Notes
    -----
    Derived in :ref:`part-c-durable` as :eq:`eq-async-waste`: Young's formula
    :cite:p:`young1974checkpoint` with the drain added to the restart. Where the drain sets the interval it is
    :eq:`eq-async-limited`.

    Examples
    --------
    >>> round(waste(interval=245, pause=0.0196, drain_time=245, mtbf=18_000), 4)
    0.0205
    """
    return checkpoint.waste(interval, pause, mtbf, restart_time) + drain_time / mtbf


@accepts(checkpoint_bytes="positive", pause="positive", mtbf="positive")
def bandwidth_to_free(checkpoint_bytes: Numbers, pause: Numbers, mtbf: Numbers) -> Numbers:
    r"""Least drain bandwidth at which the optimum, not the drain, sets the interval.

    .. math:: B_\text{drain} = \frac{C}{\tau^*(s, M) + s}

    Parameters
    ----------
    checkpoint_bytes : float or array
        Bytes of one checkpoint (:math:`C`).
    pause, mtbf : float or array
        Pause of one snapshot and mean time between failures, in seconds (:math:`s, M`).

    Returns
    -------
    float or array
        Bytes per second, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        An argument is not finite and above 0.

    Notes
    -----
    Derived in :ref:`part-c-drain` as :eq:`eq-free`; the optimum is that of
    :cite:t:`herault2015fault`. More bandwidth still helps: it shortens the drain, which is lost at every
    failure.

    Examples
    --------
    >>> round(bandwidth_to_free(checkpoint_bytes=2.45e12, pause=0.0196, mtbf=18_000) / 1e9)
    92
    """
    return checkpoint_bytes / (checkpoint.optimal_interval(pause, mtbf) + pause)


@accepts(interval="positive", pause="positive", drain_time="non-negative")
def slots(interval: Numbers, pause: Numbers, drain_time: Numbers, keep_durable: bool = True) -> Numbers:
    r"""Snapshots for which each node needs room on its drives.

    .. math:: 1 + \left\lceil \frac{T_d}{\tau + s} \right\rceil + 1

    One being written, those being drained, and one to keep a local copy of the last durable snapshot, from
    which a restart reads fastest. Times :math:`C/n` that makes bytes per node.

    Parameters
    ----------
    interval, pause, drain_time : float or array
        Work between snapshots, pause of one snapshot, time to drain it, in seconds (:math:`\tau, s, T_d`).
    keep_durable : bool, optional
        Whether to keep the local copy.

    Returns
    -------
    float or array
        A whole number, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        An argument is outside its domain: finite and above 0, or 0 and up for ``drain_time``.

    Notes
    -----
    Derived in :ref:`part-c-slots` as :eq:`eq-slots`; the copies are those of
    :cite:t:`mohan2021checkfreq`. A period as long as the drain counts as one, whatever rounding makes of it.
    A single slot works only where the drain ends before the next pause begins, :math:`\tau \ge T_d`: a longer
    interval, which loses more.

    Examples
    --------
    >>> slots(interval=245 - 0.0196, pause=0.0196, drain_time=245)
    3.0
    """
    draining = np.ceil(drain_time / (interval + pause) * (1.0 - 1e-12))
    if keep_durable:
        return draining + 2.0
    return draining + 1.0


@accepts(rates=each("non-negative"), costs=each("non-negative"))
def two_level_overhead(rates: Array, costs: Array) -> Numbers:
    r"""Least first-order waste of checkpoints on several levels.

    .. math:: W = \sum_l \sqrt{\frac{2 \delta_l}{M_l}}

    Cheap levels are written often and survive common failures; the dearest survives all.

    Parameters
    ----------
    rates : list of float, or array
        Failures per second that need this level and no higher one (:math:`1/M_l`). The last axis runs over
        the levels.
    costs : list of float, or array
        Time of one blocking write to each level, in seconds (:math:`\delta_l`). Broadcasts with ``rates``,
        the last axis included.

    Returns
    -------
    float or array
        Share of the time lost to writes and rework, without the last axis.

    Raises
    ------
    ValueError
        A number is negative or not finite, or the lists differ in length.

    Notes
    -----
    Derived in :ref:`part-c-levels` as :eq:`eq-levels`, after :cite:t:`benoit2017multilevel`. With
    one level it is the waste at Young's interval.

    Examples
    --------
    Half of the failures leave a local copy that takes 0.02 s to write; the rest need 2,450 s:

    >>> round(two_level_overhead(rates=[0.5 / 18_000, 0.5 / 18_000], costs=[0.02, 2450]), 3)
    0.37
    """
    overhead = 0.0
    for level, rate in enumerate(rates):
        overhead = overhead + np.sqrt(2.0 * rate * costs[level])
    return overhead


def _machines_in_pairs(machines: Numbers, failed: Numbers) -> None:
    if not np.all(machines / 2.0 == np.floor(machines / 2.0)):
        odd = np.ravel(machines)[np.argmax(np.ravel(machines % 2.0 != 0.0))]
        raise ValueError(f"machines must be even, as they mirror each other in pairs; got {float(odd)!r}")
    if not np.all(failed <= machines):
        failures, all_of_them = map(np.ravel, np.broadcast_arrays(failed, machines))
        at = int(np.argmax(failures > all_of_them))
        raise ValueError(
            f"failed must be at most machines, {float(all_of_them[at])!r}; got {float(failures[at])!r}"
        )


@accepts("arrays", _machines_in_pairs, machines="machines", failed="count-or-zero")
def peer_survival(machines: Numbers, failed: Numbers) -> Numbers:
    r"""Probability that no mirrored pair is lost when some machines fail together.

    .. math:: \binom{N/2}{k} 2^k \Big/ \binom{N}{k} = \prod_{i<k} \frac{N - 2i}{N - i}

    Machines keep each other's snapshots in memory, two by two; any machines may fail, with equal chance.

    Parameters
    ----------
    machines : float or array
        Machines in all (:math:`N`), an even number up to 100,000.
    failed : float or array
        Machines that fail at once (:math:`k`).

    Returns
    -------
    float or array
        A probability, in the broadcast shape of the arguments; 0.0 where more than half fail.

    Raises
    ------
    ValueError
        An argument is no whole number in its domain, ``machines`` is odd, or fewer than ``failed``.

    Notes
    -----
    Derived in :ref:`part-c-levels` as :eq:`eq-peers`, after :cite:t:`wang2023gemini`.

    Examples
    --------
    >>> round(peer_survival(machines=16, failed=2), 3)
    0.933
    """
    return _unpaired(machines / 2.0, failed)


@accepts(pairs="count", failed="count-or-zero")
@elementwise
def _unpaired(pairs: float, failed: float) -> float:
    if failed > pairs:
        return 0.0
    share = 1.0
    for machine in range(int(failed)):
        share = share * (2.0 * (pairs - machine) / (2.0 * pairs - machine))
    return share

"""What a checkpoint weighs, how long it takes to write, and when that is too long.

Every threshold follows from one fact about the exact model without restarts: at its best interval a job
reaches the goodput η if and only if a write takes at most M(−ln η − (1 − η)). Read one way it gives the
longest write, read other ways the least bandwidth, the most GPUs, or the longest restart.
"""

import numpy as np

from fault_tolerance._arguments import DOMAINS, Domain, Numbers, accepts
from fault_tolerance.checkpoint import _excess

DOMAINS["share"] = Domain(0.0, True, 1.0, True, False, "a number above 0 and below 1")

#: Best goodput below which a job is in a checkpoint storm, with more than half of the machine lost;
#: :eq:`eq-storm` says from which write on.
STORM_GOODPUT = 0.5

#: Best goodput at which a write takes as long as the work before it, the root of −ln η = 2(1 − η).
WRITE_EQUALS_WORK_GOODPUT = 0.2031878699799799


@accepts(parameters="positive", bytes_per_parameter="positive")
def checkpoint_bytes(parameters: Numbers, bytes_per_parameter: Numbers = 14) -> Numbers:
    r"""Size of a checkpoint.

    .. math:: C = \beta P

    Parameters
    ----------
    parameters : float or array
        Parameters of the model (:math:`P`).
    bytes_per_parameter : float or array, optional
        Bytes written for each (:math:`\beta`): 14 for training in 16 bits with Adam, of which 2 are the
        weight, 4 its master copy and 4 each the two moments. 12 where weights are cast anew from the
        master copy, 2 for weights alone. Gradients are not saved; they would make it 16 or 18.

    Returns
    -------
    float or array
        Bytes, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        An argument is not finite and above 0.

    Notes
    -----
    Derived in :ref:`part-b-size` as :eq:`eq-size`. Published checkpoints come back to about 14
    bytes :cite:p:`mlcommons2025storage,bigscience2022card`.

    Examples
    --------
    >>> checkpoint_bytes(parameters=175e9) / 1e12
    2.45
    """
    return parameters * bytes_per_parameter


@accepts(checkpoint_bytes="positive", storage_bandwidth="positive")
def write_time(
    checkpoint_bytes: Numbers,
    storage_bandwidth: Numbers,
    nodes: Numbers | None = None,
    node_bandwidth: Numbers | None = None,
) -> Numbers:
    r"""Time to write one checkpoint while the job waits.

    .. math:: \delta = \frac{C}{\min(B_\text{storage},\ n B_\text{node})}

    Parameters
    ----------
    checkpoint_bytes : float or array
        Bytes of one checkpoint (:math:`C`).
    storage_bandwidth : float or array
        What the storage takes in, for the whole job, in bytes per second (:math:`B_\text{storage}`).
    nodes, node_bandwidth : float or array, optional
        Nodes of the job and what one of them sends, in bytes per second (:math:`n, B_\text{node}`). Give
        both, or neither where the storage is sure to be the slower end.

    Returns
    -------
    float or array
        Seconds, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        An argument is not finite and above 0.
    TypeError
        Only one of ``nodes`` and ``node_bandwidth`` is given.

    Notes
    -----
    Derived in :ref:`part-b-write` as :eq:`eq-write`. The write blocks the job, as in the models
    of :cite:t:`herault2015fault`.

    Examples
    --------
    >>> round(write_time(checkpoint_bytes=2.45e12, storage_bandwidth=1e9) / 60, 1)
    40.8

    Ten nodes of 2 GB/s cannot use storage of 100 GB/s:

    >>> write_time(checkpoint_bytes=2.45e12, storage_bandwidth=100e9, nodes=10, node_bandwidth=2e9)
    122.5
    """
    if nodes is None and node_bandwidth is None:
        return checkpoint_bytes / storage_bandwidth
    # Where one of the two is missing, the check of the other function says which.
    return _write_time_of_nodes(checkpoint_bytes, storage_bandwidth, nodes, node_bandwidth)  # type: ignore[arg-type]


@accepts(goodput="share", mtbf="positive")
def write_time_for_goodput(goodput: Numbers, mtbf: Numbers) -> Numbers:
    r"""Longest write with which a job can still reach a goodput.

    .. math:: \delta = M \left(-\ln \eta - (1 - \eta)\right)

    Parameters
    ----------
    goodput : float or array
        Useful share of the time, at the best interval and without restarts (:math:`\eta`).
    mtbf : float or array
        Mean time between failures in seconds (:math:`M`).

    Returns
    -------
    float or array
        Seconds, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        ``goodput`` is not above 0 and below 1, or ``mtbf`` not finite and above 0.

    Notes
    -----
    Derived in :ref:`part-b-storm` as :eq:`eq-longest-write`, from :math:`\eta^* = 1 - \tau^*/M`;
    the optimum is that of :cite:t:`herault2015fault`. With a goodput of one half it is the threshold of the
    storm, :eq:`eq-storm`. Near a goodput of 1 the terms cancel, so there the difference is summed as a
    series.

    Examples
    --------
    Half of the machine is lost once a write takes a fifth of the time between failures:

    >>> round(write_time_for_goodput(goodput=0.5, mtbf=1.0), 4)
    0.1931
    """
    return mtbf * _excess(-np.log(goodput))


def _possible_with_some_bandwidth(
    checkpoint_bytes: Numbers, mtbf: Numbers, waste: Numbers, restart_time: Numbers = 0.0
) -> None:
    limit = max_restart_time(waste, mtbf)
    if not np.all(restart_time < limit):
        restarts, limits, wastes = map(np.ravel, np.broadcast_arrays(restart_time, limit, waste))
        at = int(np.argmax(restarts >= limits))
        raise ValueError(
            f"restart_time must be below {float(limits[at]):.6g} s, where restarts alone cost the waste of "
            f"{float(wastes[at])!r} and no bandwidth helps; got {float(restarts[at])!r}"
        )


@accepts(
    "arrays",
    _possible_with_some_bandwidth,
    checkpoint_bytes="positive",
    mtbf="positive",
    waste="share",
    restart_time="non-negative",
)
def bandwidth_for_waste(
    checkpoint_bytes: Numbers, mtbf: Numbers, waste: Numbers, restart_time: Numbers = 0.0
) -> Numbers:
    r"""Least storage bandwidth with which the best interval loses no more than a given share.

    .. math::

        \begin{aligned}
        B &= \frac{C}{M \left[-\ln(1 - w) - w\right]} \\
        &\approx \frac{2C}{M w^2}
        \end{aligned}

    With a restart time, :math:`w` becomes :math:`1 - (1 - w) e^{R/M}`: what is left of the waste when
    restarts have had their share.

    Parameters
    ----------
    checkpoint_bytes : float or array
        Bytes of one checkpoint (:math:`C`).
    mtbf : float or array
        Mean time between failures in seconds (:math:`M`).
    waste : float or array
        Share of the time that may be lost, restarts included (:math:`w`).
    restart_time : float or array, optional
        Time from a failure until work goes on, in seconds (:math:`R`).

    Returns
    -------
    float or array
        Bytes per second, in the broadcast shape of the arguments; infinite where the waste is so small
        (below 1e-150) that the bandwidth exceeds the largest float.

    Raises
    ------
    ValueError
        An argument is outside its domain, or ``restart_time`` reaches :func:`max_restart_time`: no
        bandwidth is enough then. Ask that function first where a slider can get there.

    Notes
    -----
    Derived in :ref:`part-b-bandwidth` as :eq:`eq-bandwidth`, with restarts as :eq:`eq-left-over`;
    the optimum is that of :cite:t:`herault2015fault`.

    Examples
    --------
    175 billion parameters on 10,000 GPUs, a tenth lost at best:

    >>> round(bandwidth_for_waste(checkpoint_bytes=2.45e12, mtbf=18_000, waste=0.1) / 1e9, 1)
    25.4
    """
    return checkpoint_bytes / _write_share(-np.log1p(-waste) - restart_time / mtbf) / mtbf


@accepts(waste="share", mtbf="positive")
def max_restart_time(waste: Numbers, mtbf: Numbers) -> Numbers:
    r"""Restart time at which a waste is spent on restarts alone, however fast the storage.

    .. math:: R = -M \ln(1 - w)

    Parameters
    ----------
    waste : float or array
        Share of the time that may be lost (:math:`w`).
    mtbf : float or array
        Mean time between failures in seconds (:math:`M`).

    Returns
    -------
    float or array
        Seconds, in the broadcast shape of the arguments. A restart must take less.

    Raises
    ------
    ValueError
        ``waste`` is not above 0 and below 1, or ``mtbf`` not finite and above 0.

    Notes
    -----
    Derived in :ref:`part-b-bandwidth` as :eq:`eq-max-restart`: without writes
    :math:`\eta = e^{-R/M}` :cite:p:`daly2006checkpoint`.

    Examples
    --------
    Failures every 3.09 hours and a tenth to lose, in minutes:

    >>> round(max_restart_time(waste=0.1, mtbf=54 * 86_400 / 419) / 60, 1)
    19.6
    """
    return -mtbf * np.log1p(-waste)


@accepts(goodput="share", write_time="positive", mttf="positive")
def gpus_for_goodput(goodput: Numbers, write_time: Numbers, mttf: Numbers) -> Numbers:
    r"""Number of GPUs at which the best goodput is just this.

    .. math:: N = \frac{\Theta}{\delta} \left(-\ln \eta - (1 - \eta)\right)

    More GPUs have less. The number is real: the first whole GPU past a threshold is the next one up.

    Parameters
    ----------
    goodput : float or array
        Useful share of the time, at the best interval and without restarts (:math:`\eta`).
        :data:`STORM_GOODPUT` is where half is lost, :data:`WRITE_EQUALS_WORK_GOODPUT` where a write takes as
        long as the work before it.
    write_time : float or array
        Time of one write in seconds (:math:`\delta`).
    mttf : float or array
        GPU time per interruption in seconds (:math:`\Theta`).

    Returns
    -------
    float or array
        GPUs, in the broadcast shape of the arguments; below 1 where not even one GPU gets there.

    Raises
    ------
    ValueError
        ``goodput`` is not above 0 and below 1, or another argument not finite and above 0.

    Notes
    -----
    Derived in :ref:`part-b-storm` as :eq:`eq-storm-gpus`; the optimum is that of
    :cite:t:`herault2015fault`.

    Examples
    --------
    >>> import math
    >>> math.ceil(gpus_for_goodput(goodput=0.5, write_time=2450, mttf=50_000 * 3600))
    14191
    """
    return write_time_for_goodput(goodput, mttf) / write_time


@accepts(waste="positive", write_time="positive", mttf="positive")
def gpus_for_first_order_waste(waste: Numbers, write_time: Numbers, mttf: Numbers) -> Numbers:
    r"""Number of GPUs at which Young's formula puts the least waste at just this.

    .. math:: N = \frac{w^2 \Theta}{2 \delta}, \quad\text{from } w = \sqrt{2 \delta / M}

    The estimate passes 1, where there is nothing more to lose; at 2 a write takes as long as Young's
    interval.

    Parameters
    ----------
    waste : float or array
        Least first-order waste (:math:`w`).
    write_time : float or array
        Time of one write in seconds (:math:`\delta`).
    mttf : float or array
        GPU time per interruption in seconds (:math:`\Theta`).

    Returns
    -------
    float or array
        GPUs, in the broadcast shape of the arguments; a real number.

    Raises
    ------
    ValueError
        An argument is not finite and above 0.

    Notes
    -----
    Derived in :ref:`part-b-storm`, in the step on where two rules of thumb ring; the estimate is
    that of :cite:t:`young1974checkpoint`.

    Examples
    --------
    Half lost by the estimate, and a write as long as Young's interval:

    >>> import math
    >>> [math.ceil(gpus_for_first_order_waste(waste, 2450, 50_000 * 3600)) for waste in (0.5, 2)]
    [9184, 146939]
    """
    return waste * (mttf / write_time) * waste / 2.0


@accepts(
    checkpoint_bytes="positive", storage_bandwidth="positive", nodes="positive", node_bandwidth="positive"
)
def _write_time_of_nodes(
    checkpoint_bytes: Numbers, storage_bandwidth: Numbers, nodes: Numbers, node_bandwidth: Numbers
) -> Numbers:
    return checkpoint_bytes / np.minimum(storage_bandwidth, nodes * node_bandwidth)


@accepts(margin="positive")
def _write_share(margin: Numbers) -> Numbers:
    """Longest write over the MTBF, for a margin −ln(1 − w) − R/M; without a margin there is none."""
    return _excess(margin)

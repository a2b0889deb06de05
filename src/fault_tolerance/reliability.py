"""From parts to a system: how often does something break?

Failures are taken as exponential: the chance of one in the next minute does not depend on how
long the system has already run. That is the model of the whole package.
"""

import numpy as np

from fault_tolerance._arguments import Array, Numbers, accepts, each


@accepts(mttf="positive", gpus="positive")
def system_mtbf(mttf: Numbers, gpus: Numbers) -> Numbers:
    r"""Mean time between failures of a job that stops when any of its GPUs stops.

    .. math:: M = \Theta / N

    Parameters
    ----------
    mttf : float or array
        GPU time per interruption, all causes together, in seconds (:math:`\Theta`).
    gpus : float or array
        GPUs in the job (:math:`N`); need not be whole, so that it can be solved for.

    Returns
    -------
    float or array
        Mean time between failures in seconds, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        An argument is not finite and above 0.

    Notes
    -----
    Derived in :ref:`part-a-mtbf` as :eq:`eq-mtbf`. The rates of independent exponential parts add
    up :cite:p:`herault2015fault`.

    Examples
    --------
    >>> system_mtbf(mttf=50_000 * 3600, gpus=16_000)
    11250.0
    """
    return mttf / gpus


@accepts(time="non-negative", mtbf="positive")
def survival(time: Numbers, mtbf: Numbers) -> Numbers:
    r"""Probability that nothing fails for a given time.

    .. math:: P(\text{no failure in } t) = e^{-t/M}

    Parameters
    ----------
    time : float or array
        How long nothing may fail, in seconds.
    mtbf : float or array
        Mean time between failures in seconds (:math:`M`).

    Returns
    -------
    float or array
        A probability, in the broadcast shape of the arguments; 0.0 where it is too small for a float.

    Raises
    ------
    ValueError
        ``time`` is negative, ``mtbf`` is not above 0, or either is not finite.

    Notes
    -----
    Derived in :ref:`part-a-mtbf` as :eq:`eq-survival`. The exponential law is that of
    :cite:t:`herault2015fault`.

    Examples
    --------
    One hour on 16,000 GPUs:

    >>> round(survival(time=3600, mtbf=11_250), 3)
    0.726
    """
    return np.exp(-(time / mtbf))


@accepts(work="non-negative", mtbf="positive")
def time_without_checkpoints(work: Numbers, mtbf: Numbers) -> Numbers:
    r"""Expected time to finish a job that starts over after every failure.

    .. math:: E[T] = M \left(e^{T/M} - 1\right)

    Parameters
    ----------
    work : float or array
        Time the job needs when nothing fails, in seconds (:math:`T`).
    mtbf : float or array
        Mean time between failures in seconds (:math:`M`).

    Returns
    -------
    float or array
        Expected time in seconds, in the broadcast shape of the arguments. Infinite where ``work`` is
        more than 709 times ``mtbf``: the number is then beyond what a float can hold.

    Raises
    ------
    ValueError
        ``work`` is negative, ``mtbf`` is not above 0, or either is not finite.

    Notes
    -----
    Derived in :ref:`part-a-mtbf` as :eq:`eq-no-checkpoints`. It is the special case of
    :cite:t:`daly2006checkpoint` with one interval and free restarts.

    Examples
    --------
    A day of work on 16,000 GPUs takes 282 days:

    >>> round(time_without_checkpoints(work=86_400, mtbf=11_250) / 86_400)
    282
    """
    return mtbf * np.expm1(work / mtbf)


@accepts(counts=each("non-negative"), mttfs=each("positive"))
def component_mtbf(counts: Array, mttfs: Array) -> Numbers:
    r"""Mean time between failures of a system built from several kinds of parts.

    .. math:: M = \frac{1}{\sum_i n_i / \Theta_i}

    Parameters
    ----------
    counts : list of float, or array
        How many parts of each kind (:math:`n_i`). The last axis runs over the kinds.
    mttfs : list of float, or array
        Mean time to failure of one part of each kind, in seconds (:math:`\Theta_i`). Broadcasts
        with ``counts``, the last axis included.

    Returns
    -------
    float or array
        Mean time between failures in seconds, without the last axis. Infinite where every count is 0.

    Raises
    ------
    ValueError
        A count is negative, a lifetime is not above 0, a value is not finite, or the lists differ in length.

    Notes
    -----
    Derived in :ref:`part-a-mtbf`, in the step on why failure rates add. The system is a series
    system: it stops when any part stops :cite:p:`herault2015fault`.

    Examples
    --------
    Eight GPUs of 50,000 h and one switch of 100,000 h:

    >>> round(component_mtbf(counts=[8, 1], mttfs=[50_000 * 3600, 100_000 * 3600]) / 3600, 1)
    5882.4
    """
    rate = 0.0
    for kind, count in enumerate(counts):
        rate = rate + count / mttfs[kind]
    return 1.0 / rate

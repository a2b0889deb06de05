"""How often to save, and what is lost at best.

A job works for an interval, writes a checkpoint, and repeats. A failure sends it back to the last
finished write. ``interval`` is always the *work* between two writes; the period is interval plus write.

Two models stand side by side. The first-order one is Young's: short, good to a few per cent while a
write is much shorter than the time between failures. The exact one lets failures strike work, write
and restart alike, and holds everywhere.
"""

import numpy as np

from fault_tolerance._arguments import Numbers, accepts
from fault_tolerance.reliability import survival


@accepts(interval="positive", write_time="positive", mtbf="positive", restart_time="non-negative")
def waste(interval: Numbers, write_time: Numbers, mtbf: Numbers, restart_time: Numbers = 0.0) -> Numbers:
    r"""Fraction of time lost, to first order.

    .. math:: W(\tau) = \frac{\delta}{\tau} + \frac{\tau}{2M} + \frac{R}{M}

    The terms are writing, redoing lost work, and restarting. It is an estimate for
    :math:`\delta \ll M` and exceeds 1 where that fails; ``1 - goodput(...)`` is the exact loss.

    Parameters
    ----------
    interval, write_time, mtbf : float or array
        Work between writes, time of one write, mean time between failures, in seconds
        (:math:`\tau, \delta, M`).
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
        An argument is outside its domain: finite and above 0, or 0 and up for ``restart_time``.

    Notes
    -----
    Derived in :ref:`part-a-first-order` as :eq:`eq-waste`; the model is that of
    :cite:t:`young1974checkpoint`. It is least at :func:`young_interval`, where it takes the value
    :eq:`eq-least-waste`, and flat around there, by :eq:`eq-flat` in :ref:`part-a-flat`.

    Examples
    --------
    >>> round(waste(interval=600, write_time=120, mtbf=11_250), 4)
    0.2267
    """
    return write_time / interval + interval / mtbf / 2.0 + restart_time / mtbf


@accepts(write_time="positive", mtbf="positive")
def young_interval(write_time: Numbers, mtbf: Numbers) -> Numbers:
    r"""Interval with the least first-order waste.

    .. math:: \tau_Y = \sqrt{2 \delta M}

    Parameters
    ----------
    write_time, mtbf : float or array
        Time of one write and mean time between failures, in seconds (:math:`\delta, M`).

    Returns
    -------
    float or array
        Work between writes in seconds, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        An argument is not finite and above 0.

    Notes
    -----
    Derived in :ref:`part-a-first-order` as :eq:`eq-young`, after :cite:t:`young1974checkpoint`. A
    factor of two either way costs little: see :func:`waste`.

    Examples
    --------
    >>> round(young_interval(write_time=120, mtbf=11_250))
    1643
    """
    product = 2.0 * write_time * mtbf
    apart = np.sqrt(2.0) * np.sqrt(write_time) * np.sqrt(mtbf)
    # Apart, the roots stay within a float's reach where the product leaves it.
    return np.where(np.abs(np.log(product)) < 600.0, np.sqrt(product), apart)


@accepts(write_time="positive", mtbf="positive")
def daly_interval(write_time: Numbers, mtbf: Numbers) -> Numbers:
    r"""Best interval by Daly's higher-order formula.

    .. math::

        \begin{aligned}
        \tau_D &= \sqrt{2 \delta M} \left[1 + \tfrac13 \sqrt{\tfrac{\delta}{2M}}
        + \tfrac19 \tfrac{\delta}{2M}\right] - \delta \\
        &\quad\text{for } \delta < 2M, \text{ else } M
        \end{aligned}

    Parameters
    ----------
    write_time, mtbf : float or array
        Time of one write and mean time between failures, in seconds (:math:`\delta, M`).

    Returns
    -------
    float or array
        Work between writes in seconds, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        An argument is not finite and above 0.

    Notes
    -----
    Derived in :ref:`part-a-daly` as :eq:`eq-daly`; it is Eq. 37 of :cite:t:`daly2006checkpoint`.
    It jumps by :math:`M/9` at :math:`\delta = 2M`.

    Examples
    --------
    >>> round(daly_interval(write_time=300, mtbf=15 * 60) / 60, 1)
    9.1
    """
    ratio = np.minimum(write_time / mtbf / 2.0, 1.0)
    bracket = 1.0 + np.sqrt(ratio) / 3.0 + ratio / 9.0
    short = young_interval(write_time, mtbf) * bracket - write_time
    return np.where(write_time < 2.0 * mtbf, short, mtbf)


@accepts(write_time="positive", mtbf="positive")
def optimal_interval(write_time: Numbers, mtbf: Numbers) -> Numbers:
    r"""Interval with the highest exact goodput.

    .. math:: \tau^* = M \left[1 + W_0\!\left(-e^{-1-\delta/M}\right)\right]

    Restart time and downtime do not enter: they scale every interval's goodput alike.

    Parameters
    ----------
    write_time, mtbf : float or array
        Time of one write and mean time between failures, in seconds (:math:`\delta, M`).

    Returns
    -------
    float or array
        Work between writes in seconds, in the broadcast shape of the arguments; never above ``mtbf``.

    Raises
    ------
    ValueError
        An argument is not finite and above 0.

    Notes
    -----
    Derived in :ref:`part-a-exact` as :eq:`eq-optimum`, by setting the derivative of
    :func:`goodput` to zero, as :cite:t:`herault2015fault` do. :math:`W_0` is the principal branch of the
    Lambert function :cite:p:`corless1996lambert`.

    As it stands the formula loses digits for :math:`\delta \ll M`, where :math:`W_0` is close to −1. So the
    equation is solved for :math:`L = -\ln(1 - \tau^*/M)`, which is :math:`L + e^{-L} - 1 = \delta/M`,
    by Newton's method, with the left side as a series where :math:`L` is small. Below
    :math:`\delta/M = 10^{-16}` the first two terms, :math:`\tau_Y - \tfrac23\delta`, are exact to
    the last digit.

    Examples
    --------
    >>> round(optimal_interval(write_time=120, mtbf=10_800))
    1531
    """
    ratio = np.minimum(np.maximum(write_time / mtbf, 1e-16), 1000.0)
    log_loss = np.sqrt(2.0 * ratio) + ratio / 3.0
    for _ in range(4):  # three reach the last digit everywhere; one is to spare
        log_loss = log_loss + (ratio - _excess(log_loss)) / -np.expm1(-log_loss)
    tiny = young_interval(write_time, mtbf) - write_time / 1.5
    return np.where(write_time < 1e-16 * mtbf, tiny, -mtbf * np.expm1(-log_loss))


@accepts(
    interval="positive",
    write_time="positive",
    mtbf="positive",
    restart_time="non-negative",
    downtime="non-negative",
)
def goodput(
    interval: Numbers,
    write_time: Numbers,
    mtbf: Numbers,
    restart_time: Numbers = 0.0,
    downtime: Numbers = 0.0,
) -> Numbers:
    r"""Fraction of time that ends up as kept work, exactly.

    .. math:: \eta = \frac{\tau}{e^{R/M} (M + D) \left(e^{(\tau + \delta)/M} - 1\right)}

    Failures are exponential and may strike work, write and restart alike; none strikes a downtime. At the
    best interval and without downtime, :math:`\eta^* = e^{-R/M}(1 - \tau^*/M)`, which is :eq:`eq-identity`.

    Parameters
    ----------
    interval, write_time, mtbf : float or array
        Work between writes, time of one write, mean time between failures, in seconds
        (:math:`\tau, \delta, M`).
    restart_time : float or array, optional
        Time from a failure until work goes on, in seconds (:math:`R`).
    downtime : float or array, optional
        Extra repair time after each failure, before the restart, in seconds (:math:`D`).

    Returns
    -------
    float or array
        Between 0 and 1, in the broadcast shape of the arguments; 0.0 where it is too small for a float.

    Raises
    ------
    ValueError
        An argument is outside its domain: finite and above 0, or 0 and up for the last two.

    Notes
    -----
    Derived in :ref:`part-a-exact` as :eq:`eq-exact`, after :cite:t:`daly2006checkpoint`, and with
    the downtime after :cite:t:`herault2015fault`. It is computed as a product of shares, each between 0 and
    1: work in a period, periods not lost to failures, restarts, repairs.

    Examples
    --------
    >>> round(1 - goodput(interval=600, write_time=120, mtbf=11_250), 3)
    0.193
    """
    period = interval + write_time
    kept = _kept_share(period / mtbf)
    repaired = 1.0 / (1.0 + downtime / mtbf)
    return interval / period * kept * survival(restart_time, mtbf) * repaired


@accepts(interval="positive", write_time="positive", mtbf="positive", restart_time="non-negative")
def checkpoint_rate(
    interval: Numbers, write_time: Numbers, mtbf: Numbers, restart_time: Numbers = 0.0
) -> Numbers:
    r"""Checkpoints completed per second, failures included.

    .. math:: \eta / \tau

    A write that a failure cuts short does not count. Nor does a write count twice: the work behind
    each is kept.

    Parameters
    ----------
    interval, write_time, mtbf : float or array
        Work between writes, time of one write, mean time between failures, in seconds
        (:math:`\tau, \delta, M`).
    restart_time : float or array, optional
        Time from a failure until work goes on, in seconds (:math:`R`).

    Returns
    -------
    float or array
        Checkpoints per second, in the broadcast shape of the arguments; never above one per period.

    Raises
    ------
    ValueError
        An argument is outside its domain: finite and above 0, or 0 and up for ``restart_time``.

    Notes
    -----
    Derived in :ref:`part-b-reveal` as :eq:`eq-completed`, from the exact :func:`goodput`
    :cite:p:`daly2006checkpoint`.

    Examples
    --------
    A write of 41 minutes on 10,000 GPUs, at its best interval, in one day:

    >>> best = optimal_interval(write_time=2450, mtbf=18_000)
    >>> round(86_400 * checkpoint_rate(best, write_time=2450, mtbf=18_000), 1)
    6.2
    """
    return goodput(interval, write_time, mtbf, restart_time) / interval


def _excess(log_loss: Numbers) -> Numbers:
    """L + e^{−L} − 1, by its series below 1, where the terms as written would cancel."""
    small = np.minimum(log_loss, 1.0)
    series: Numbers = 1.0
    for step in range(18):
        series = 1.0 - small / (20 - step) * series
    return np.where(log_loss < 1.0, small * small / 2.0 * series, log_loss + np.expm1(-log_loss))


def _kept_share(period: Numbers) -> Numbers:
    """x/(eˣ − 1): share of the periods that survive, for a period of x times the MTBF."""
    x = np.minimum(np.maximum(period, 1e-300), 1e6)
    return x * np.exp(-x) / -np.expm1(-x)

"""What a request leaves behind on its replica, and what it takes to do the work again."""

from fault_tolerance._arguments import DOMAINS, Domain, Numbers, accepts

DOMAINS["utilisation"] = Domain(0.0, True, 1.0, False, False, "a number above 0, at most 1")


@accepts(
    tokens="non-negative",
    layers="positive",
    kv_heads="positive",
    head_size="positive",
    bytes_per_value="positive",
)
def kv_cache_bytes(
    tokens: Numbers, layers: Numbers, kv_heads: Numbers, head_size: Numbers, bytes_per_value: Numbers = 2
) -> Numbers:
    r"""Size of the cache of keys and values that a request builds up.

    .. math:: 2 \cdot t \cdot l \cdot h \cdot d \cdot b

    Parameters
    ----------
    tokens : float or array
        Tokens of the request so far (:math:`t`).
    layers, kv_heads, head_size : float or array
        Layers of the model, its heads of keys and values (fewer than those of queries where queries share
        them), and the numbers in one head (:math:`l, h, d`).
    bytes_per_value : float or array, optional
        Bytes of one number (:math:`b`); 2 in 16 bits.

    Returns
    -------
    float or array
        Bytes, in the broadcast shape of the arguments. The leading 2 is for keys and values.

    Raises
    ------
    ValueError
        An argument is outside its domain: finite and above 0, or 0 and up for ``tokens``.

    Notes
    -----
    Derived in :ref:`part-d-kv` as :eq:`eq-kv`. The shape in the example is that of the
    70-billion-parameter model of :cite:t:`grattafiori2024llama3`.

    Examples
    --------
    >>> kv_cache_bytes(tokens=1, layers=80, kv_heads=8, head_size=128)
    327680.0
    """
    return 2.0 * tokens * layers * kv_heads * head_size * bytes_per_value


@accepts(
    tokens="non-negative",
    parameters="positive",
    gpus="positive",
    peak_flops="positive",
    utilisation="utilisation",
)
def recompute_time(
    tokens: Numbers, parameters: Numbers, gpus: Numbers, peak_flops: Numbers, utilisation: Numbers
) -> Numbers:
    r"""Time to build a lost cache anew by running the tokens through the model again.

    .. math:: \frac{2 P t}{N F u}

    Two operations per parameter and token: a multiplication and an addition.

    Parameters
    ----------
    tokens : float or array
        Tokens of the request so far (:math:`t`).
    parameters : float or array
        Parameters of the model (:math:`P`).
    gpus, peak_flops : float or array
        GPUs of the replica, and operations per second of one (:math:`N, F`).
    utilisation : float or array
        Share of the peak that is reached (:math:`u`).

    Returns
    -------
    float or array
        Seconds, in the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        An argument is outside its domain: finite and above 0, 0 and up for ``tokens``, at most 1 for
        ``utilisation``.

    Notes
    -----
    Derived in :ref:`part-d-kv` as :eq:`eq-recompute`, after :cite:t:`kaplan2020scaling`.
    Attention adds :math:`2 l t^2 d` operations for :math:`l` layers of width :math:`d`, which are left out:
    with 80 layers of 8,192 they are 7 % more at 8,000 tokens, though more than the rest at 128,000.

    Examples
    --------
    8,000 tokens of a 70B model on eight GPUs:

    >>> round(recompute_time(tokens=8000, parameters=70e9, gpus=8, peak_flops=989e12, utilisation=0.4), 2)
    0.35
    """
    return 2.0 * tokens / gpus / peak_flops / utilisation * parameters

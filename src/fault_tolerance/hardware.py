"""A few machines and the published figures for them.

Frozen records in SI base units: bytes, bytes per second, floating-point operations per second.
``source`` says where a figure was published, or that it is a value of the scenario.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

SCENARIO = "scenario value"

#: GPU time per job interruption in seconds, 50,000 hours :cite:p:`mlcommons2025storage`.
GPU_MTTF = 50_000 * 3600.0

#: Price of a GPU in dollars per second, a scenario value of 3 $ an hour.
GPU_PRICE = 3.0 / 3600.0


@dataclass(frozen=True)
class GPU:
    """One accelerator; ``peak_flops`` is dense 16-bit (BF16) arithmetic.

    The datasheet of the H100 prints the rate with sparsity, which is twice as high.
    """

    name: str
    peak_flops: float
    memory_bytes: float
    memory_bandwidth: float
    memory_kind: str
    source: str


@dataclass(frozen=True)
class StorageTier:
    """Shared storage; ``bandwidth`` is for the whole job, not for each node."""

    name: str
    bandwidth: float
    source: str


@dataclass(frozen=True)
class Node:
    """A server; ``local_bandwidth`` is what its drives take in, ``link_bandwidth`` what their links carry."""

    name: str
    gpus: int
    local_bytes: float
    local_bandwidth: float
    link_bandwidth: float
    source: str


#: The GPUs by their short names, with the figures of their datasheets.
GPUS: Mapping[str, GPU] = MappingProxyType(
    {
        "A100": GPU("NVIDIA A100 SXM 80 GB", 312e12, 80e9, 2.039e12, "HBM2e", "NVIDIA A100 datasheet"),
        "H100": GPU("NVIDIA H100 SXM", 989e12, 80e9, 3.35e12, "HBM3", "NVIDIA H100 datasheet"),
    }
)

#: Three sizes of shared storage by their short names ``nfs``, ``parallel`` and ``nvme``.
STORAGE: Mapping[str, StorageTier] = MappingProxyType(
    {
        "nfs": StorageTier("shared NFS", 1e9, SCENARIO),
        "parallel": StorageTier("parallel file system", 10e9, SCENARIO),
        "nvme": StorageTier("NVMe tier", 100e9, SCENARIO),
    }
)

#: Eight drives of 3.84 TB as in a DGX H100. Four lanes of PCIe 4.0 carry 16e9 transfers a second each,
#: 128 bits of every 130 being data; PCIe 5.0 carries twice that. The 100 GB/s are what the scenario assumes,
#: more than eight PCIe 4.0 drives have links for.
NODE = Node(
    name="node of 8 GPUs",
    gpus=8,
    local_bytes=8 * 3.84e12,
    local_bandwidth=100e9,
    link_bandwidth=8 * 4 * 16e9 * 128 / 130 / 8,
    source="NVIDIA DGX H100 user guide (drives); PCI Express 4.0 (link); scenario value (bandwidth)",
)

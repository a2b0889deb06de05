"""The machines of the chapter."""

import dataclasses

import pytest

from fault_tolerance import hardware

RECORDS = [*hardware.GPUS.values(), *hardware.STORAGE.values(), hardware.NODE]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_every_figure_says_where_it_comes_from(record):
    assert record.source


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_a_record_cannot_be_changed(record):
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.name = "other"


def test_a_registry_cannot_be_changed():
    with pytest.raises(TypeError):
        hardware.GPUS["other"] = hardware.GPUS["H100"]


def test_figures_are_in_base_units():
    assert hardware.GPU_MTTF / 3600 == 50_000
    assert round(hardware.GPU_PRICE * 3600, 12) == 3
    assert [gpu.peak_flops / 1e12 for gpu in hardware.GPUS.values()] == [312, 989]
    assert [tier.bandwidth / 1e9 for tier in hardware.STORAGE.values()] == [1, 10, 100]


def test_a_node_holds_about_thirty_terabytes_behind_links_of_sixty_three_gigabytes_a_second():
    assert round(hardware.NODE.local_bytes / 1e12) == 31
    assert round(hardware.NODE.link_bandwidth / 1e9) == 63
    assert hardware.NODE.local_bandwidth > hardware.NODE.link_bandwidth


def test_gpu_memory_is_hbm3():
    assert hardware.GPUS["H100"].memory_kind == "HBM3"

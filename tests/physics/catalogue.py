"""Every public function of the physics with one set of good arguments, for claims about all of them."""

from fault_tolerance import checkpoint, reliability, simulate

TIMES = {"interval": 1600.0, "write_time": 120.0, "mtbf": 11_250.0}

FUNCTIONS = {
    reliability.system_mtbf: {"mttf": 1.8e8, "gpus": 16_000.0},
    reliability.survival: {"time": 3600.0, "mtbf": 11_250.0},
    reliability.time_without_checkpoints: {"work": 3600.0, "mtbf": 11_250.0},
    reliability.component_mtbf: {"counts": [8.0, 1.0], "mttfs": [1.8e8, 3.6e8]},
    checkpoint.waste: {**TIMES, "restart_time": 600.0},
    checkpoint.young_interval: {"write_time": 120.0, "mtbf": 11_250.0},
    checkpoint.daly_interval: {"write_time": 120.0, "mtbf": 11_250.0},
    checkpoint.optimal_interval: {"write_time": 120.0, "mtbf": 11_250.0},
    checkpoint.goodput: {**TIMES, "restart_time": 600.0, "downtime": 60.0},
    checkpoint.checkpoint_rate: {**TIMES, "restart_time": 600.0},
    simulate.training_run: {"work": 16_000.0, **TIMES, "restart_time": 600.0, "runs": 3, "seed": 7},
    simulate.timeline: {"gaps": [0.7, 0.3], **TIMES, "restart_time": 600.0},
    simulate.useful_work: {"gaps": [0.7, 0.3], "elapsed": 9000.0, **TIMES, "restart_time": 600.0},
}

ELEMENTWISE = [
    function
    for function in FUNCTIONS
    if function
    not in (reliability.component_mtbf, simulate.training_run, simulate.timeline, simulate.useful_work)
]

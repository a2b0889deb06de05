"""Build the JupyterLite application around an assembled Pyodide."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import sys
from pathlib import Path

from chapterkit.live.manifest import LiveBuildError, Manifest, verify
from chapterkit.live.runtime import BOOT
from chapterkit.live.sources import _run, installed

_KERNEL = "@jupyterlite/pyodide-kernel-extension"
_KERNEL_SETTINGS = f"{_KERNEL}:kernel"
# In the application as built, but asked for by nothing that this site offers.
_UNUSED = ("*.map", "service-worker.js", "manifest.webmanifest", "icon-*.png", "jupyterlite.schema.v0.json")
_UNUSED += ("third-party-licenses.json", "*.LICENSE.txt", "doc", "pypi", "rspack.config*.js")


def build(manifest: Manifest, packages: list[str], scratch: Path, out: Path) -> None:
    """Write the application to `out`, set to start Python with these packages."""
    for package, version in manifest.application.items():
        found = importlib.metadata.version(package)
        if found != version:
            raise LiveBuildError(f"{package} {found} is installed, the manifest names {version}")
    archive = f"jupyterlite-app-{manifest.application['jupyterlite-core']}.tgz"
    verify(installed("jupyterlite-core", archive), manifest.application_archive)

    lite_dir = scratch / "lite"
    lite_dir.mkdir(parents=True)
    _write_settings(manifest, packages, lite_dir)
    command = [sys.executable, "-m", "jupyterlite_core", "build"]
    command += ["--lite-dir", str(lite_dir), "--output-dir", str(out)]
    # Otherwise the time of the build stands in what is built.
    os.environ.setdefault("SOURCE_DATE_EPOCH", "315532800")
    _run(command, "JupyterLite could not be built", cwd=lite_dir)
    _strip(out)


def _write_settings(manifest: Manifest, packages: list[str], lite_dir: Path) -> None:
    settings = json.loads((manifest.folder / "jupyter-lite.json").read_text(encoding="utf-8"))
    kernel = settings["jupyter-config-data"]["litePluginSettings"][_KERNEL_SETTINGS]
    kernel["pyodideUrl"] = f"./static/pyodide/{BOOT.name}"
    kernel["loadPyodideOptions"] = {"packages": packages}
    (lite_dir / "jupyter-lite.json").write_text(json.dumps(settings, indent=2), encoding="utf-8")

    config = json.loads((manifest.folder / "jupyter_lite_config.json").read_text(encoding="utf-8"))
    kernel_extension = installed("jupyterlite-pyodide-kernel", "install.json").parent
    own = [str((manifest.folder / name).resolve()) for name in manifest.extensions]
    config["LiteBuildConfig"]["federated_extensions"] = [str(kernel_extension), *own]
    (lite_dir / "jupyter_lite_config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")


def _strip(out: Path) -> None:
    for pattern in _UNUSED:
        for path in sorted(out.rglob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()

# SPDX-License-Identifier: Apache-2.0
"""What the checks on built archives share: the layers, their archives, the symbols of an archive."""
import os
import subprocess

BUILD = os.environ.get("BUILD", "build")


def read_layers():
    layers = {}
    for line in open("src/LAYERS"):
        if not line.startswith("#") and line.strip():
            name, _, needs = line.partition(":")
            layers[name.strip()] = needs.split()
    return layers


def archive_of(folder):
    path = os.path.join(BUILD, "lib" + folder.replace("/", "_") + ".a")
    return path if os.path.exists(path) else None


def symbols(path):
    """(object, kind, name) of every symbol of an object or archive."""
    found = []
    text = subprocess.run(["nm", "-A", path], capture_output=True, text=True, check=False).stdout
    for line in text.splitlines():
        place, _, rest = line.rpartition(":") if "::" not in line else line.rpartition(":")
        fields = rest.split()
        if len(fields) >= 2:
            found.append((place, fields[-2], fields[-1].split("@")[0]))
    return found

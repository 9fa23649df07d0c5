"""Compares what kustomize and the chart render: same.py KUSTOMIZE CHART, folders with files of the same names.

Left out is what differs by nature: the hash in a generated ConfigMap's name and its counterpart, the chart's
checksum annotation, and the labels by which Helm and kustomize know their objects.
"""

import re
import sys
from pathlib import Path

import yaml

BY_NATURE = {"app.kubernetes.io/managed-by", "app.kubernetes.io/part-of", "helm.sh/chart", "checksum/config"}


def plain(value):
    if isinstance(value, dict):
        kept = {k: plain(v) for k, v in value.items() if k not in BY_NATURE}
        # Maps that held nothing else are gone; `emptyDir: {}` and its like stay.
        return {k: v for k, v in kept.items() if v != {} or value[k] == {}}
    if isinstance(value, list):
        items = [plain(item) for item in value]
        # Variables are a map by name, if none refers to another one before it.
        if items and all(isinstance(i, dict) and {"name"} < set(i) <= {"name", "value", "valueFrom"} for i in items):
            items.sort(key=lambda i: ("$(" in str(i.get("value")), i["name"]))
        return items
    if isinstance(value, str):
        return re.sub(r"^((?:policy-xacml-)?pdp-config)-[a-z0-9]{10}$", r"\1", value).strip()
    return value


def objects(file):
    found = [plain(o) for o in yaml.safe_load_all(file.read_text()) if o]
    return {(o["apiVersion"], o["kind"], o["metadata"]["name"]): o for o in found}


def differences(a, b, at=""):
    if type(a) is not type(b):
        return [f"{at}: {a!r} in kustomize, {b!r} in the chart"]
    if isinstance(a, dict):
        return [d for k in sorted({*a, *b}) for d in differences(a.get(k), b.get(k), f"{at}/{k}")]
    if isinstance(a, list) and len(a) == len(b):
        return [d for i, (x, y) in enumerate(zip(a, b)) for d in differences(x, y, f"{at}/{i}")]
    return [] if a == b else [f"{at}: {a!r} in kustomize, {b!r} in the chart"]


def main(kustomize, chart):
    faults, count = [], 0
    for file in sorted(kustomize.glob("*.yaml")):
        ours, theirs = objects(file), objects(chart / file.name)
        count += len(ours)
        for key in sorted({*ours, *theirs}):
            where = f"{file.stem}: {' '.join(key[1:])}"
            if key not in theirs or key not in ours:
                faults.append(f"{where}: only in {'kustomize' if key in ours else 'the chart'}")
            else:
                faults += [f"{where}: {d}" for d in differences(ours[key], theirs[key])]
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{count} objects of kustomize compared with the chart's: {len(faults)} differences")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))

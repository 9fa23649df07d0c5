"""Holds manifests against everything a cluster would hold them against: manifests.py TOOLS FILE...

Each check takes objects and returns what is wrong with them, one line each. `# refused by: CHECK` in a file's first
line turns the meaning: that check must refuse it, so that none of them can go blind.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import kubernetes_validate
import yaml

KUBERNETES = "1.37.0"
CHECKS = Path(__file__).parent
OPERATOR = "monitoring.coreos.com/"


def load(file):
    """The objects of a file, without empty documents."""
    return [o for o in yaml.safe_load_all(Path(file).read_text()) if o]


def called(o):
    return f"{o.get('kind')} {o.get('metadata', {}).get('name')}"


def schema(objects, _tools):
    """Kubernetes' own objects: no unknown key, no wrong type, and no object without a schema."""
    faults = []
    for o in objects:
        if o["apiVersion"].startswith(OPERATOR):
            continue
        try:
            kubernetes_validate.validate(o, KUBERNETES, strict=True)
        except kubernetes_validate.ValidationError as fault:
            place = "/".join(str(step) for step in fault.path)
            faults.append(f"{called(o)}: {place}: {fault.message[:300]}")
        except kubernetes_validate.SchemaNotFoundError as fault:
            faults.append(f"{called(o)}: {fault.message}")
    return faults


def piped(command, objects):
    done = subprocess.run(command, input=json.dumps(objects), capture_output=True, text=True)
    if done.returncode == 0:
        return []
    return [line for line in (done.stdout + done.stderr).splitlines() if line] or [f"{command[0]} failed"]


def operator(objects, tools):
    """PodMonitor, ServiceMonitor, PrometheusRule: unknown keys are refused as well."""
    theirs = [o for o in objects if o["apiVersion"].startswith(OPERATOR)]
    return piped(["node", str(tools / "operator/check.mjs")], theirs) if theirs else []


def restricted(objects, tools):
    """The restricted pod security profile."""
    return piped([str(tools / "podsecurity")], objects)


def rules(objects, _tools):
    """Alert rules as Prometheus reads them."""
    faults = []
    for o in objects:
        if o["kind"] != "PrometheusRule":
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            yaml.safe_dump({"groups": o["spec"]["groups"]}, file)
            file.flush()
            done = subprocess.run(["promtool", "check", "rules", file.name], capture_output=True, text=True)
        if done.returncode:
            faults.append(f"{called(o)}: {done.stdout}{done.stderr}")
    return faults


def house(objects, _tools):
    """What every pod of ours has, and no profile asks for."""
    faults = []
    names = {(o["kind"], o["metadata"]["name"]) for o in objects}
    for o in objects:
        if o["kind"] not in ("Deployment", "Job"):
            continue
        pod = o["spec"]["template"]["spec"]

        def demand(holds, what, o=o):
            if not holds:
                faults.append(f"{called(o)}: {what}")

        demand(pod.get("enableServiceLinks") is False, "enableServiceLinks is not false")
        demand(pod.get("automountServiceAccountToken") is False, "the account's token is mounted")
        for volume in pod.get("volumes", []):
            name = volume.get("configMap", {}).get("name")
            demand(not name or ("ConfigMap", name) in names, f"there is no ConfigMap {name}")
        for container in pod["containers"]:
            security = container.get("securityContext", {})
            demand(security.get("readOnlyRootFilesystem"), "the root file system can be written")
            demand("memory" in container.get("resources", {}).get("limits", {}), "memory has no limit")
            demand("cpu" in container.get("resources", {}).get("requests", {}), "no processor is requested")
            secret = any("secretKeyRef" in e.get("valueFrom", {}) for e in container.get("env", []))
            asked = container["args"][0] in ("serve", "s3p")
            demand(not asked or secret or "--insecure" in container["args"], "no credentials, and no --insecure")
            if o["kind"] == "Deployment":
                for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                    demand(probe in container, f"no {probe}")
                demand("preStop" in container.get("lifecycle", {}), "no preStop")
        if o["kind"] == "Job":
            demand(o["spec"].get("backoffLimit") == 0, "a verdict is not repeated: backoffLimit is not 0")
            demand(pod.get("restartPolicy") == "Never", "restartPolicy is not Never")
    return faults


ALL = {check.__name__: check for check in (schema, operator, restricted, rules, house)}


def main(tools, files):
    right = 0
    wrong = []
    together, sources = [], []
    for file in files:
        expected = re.match(r"# refused by: (\w+)\n", Path(file).read_text())
        if not expected:
            objects = load(file)
            # Each kind of object once per file: checks that start a program are called once for all files.
            wrong += [f"{file}: {fault}" for fault in house(objects, tools)]
            together += objects
            sources.append(file)
        elif ALL[expected[1]](load(file), tools):
            right += 1
        else:
            wrong.append(f"{file}: {expected[1]} did not refuse it")
    for name, check in ALL.items():
        if together and name != "house":
            wrong += [f"{name}: {fault}" for fault in check(together, tools)]
    for fault in wrong:
        print(fault, file=sys.stderr)
    print(f"{len(together)} objects of {len(sources)} files hold; {right} broken files were refused")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2:]))

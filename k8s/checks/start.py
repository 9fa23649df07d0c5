"""Starts what is rendered: start.py BINARIES FOLDER, with a rendered overlay in each file of FOLDER.

Containers' arguments, variables, ConfigMaps and Secrets are laid out below a temporary root as the kubelet lays them
out (a ConfigMap's files behind the two symlinks that it swaps), and the real binaries run with them. The service must
become ready, decide for who has the credentials, and refuse who has not; a Job must end well.
"""

import base64
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import yaml

USER, PASSWORD = "someone", "a word that is made up"
# What a user of each overlay has to create, by Secret and key.
SECRETS = {
    "pdp-credentials": {"user": USER, "password": PASSWORD},
    "policy-xacml-pdp-restserver-creds": {"login": USER, "password": PASSWORD},
    "policy-xacml-pdp-api-creds": {"login": USER, "password": PASSWORD},
    "policy-xacml-pdp-db-creds": {"login": USER, "password": "made-up"},
}
NAMING = {"action": "naming", "resource": {"policy-type": ["onap.policies.Naming"]}}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def answers(host, port):
    """Waits until somebody listens there."""
    for _ in range(300):
        try:
            return socket.create_connection((host, port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"nobody listens on {host}:{port}")


class Root:
    """A container's files below a temporary folder."""

    def __init__(self, folder, objects, secrets):
        self.folder, self.secrets = folder, secrets
        self.config_maps = {o["metadata"]["name"]: o["data"] for o in objects if o["kind"] == "ConfigMap"}

    def lay(self, pod):
        """Makes the volumes of a pod and returns the places, longest first."""
        volumes = {volume["name"]: volume for volume in pod.get("volumes", [])}
        mounts = pod["containers"][0].get("volumeMounts", [])
        for mount in mounts:
            volume = volumes[mount["name"]]
            place = self.folder / mount["mountPath"].lstrip("/")
            place.mkdir(parents=True, exist_ok=True)
            if "configMap" in volume:
                self.files(place, self.config_maps[volume["configMap"]["name"]])
            elif "secret" in volume:
                self.files(place, self.secrets[volume["secret"]["secretName"]])
        return sorted((mount["mountPath"] for mount in mounts), key=len, reverse=True)

    def files(self, place, data):
        version = place / "..2026_01_01_00_00_00.1"
        version.mkdir()
        (place / "..data").symlink_to(version.name)
        for name, text in data.items():
            (version / name).write_text(text)
            (place / name).symlink_to(f"..data/{name}")

    def variables(self, container):
        found = {"PATH": os.environ["PATH"]}
        for entry in container.get("env", []):
            if "valueFrom" in entry:
                wanted = entry["valueFrom"]["secretKeyRef"]
                found[entry["name"]] = self.secrets[wanted["name"]][wanted["key"]]
            else:
                found[entry["name"]] = expand(entry["value"], found)
        return found


def expand(text, variables):
    """`$(NAME)`, as Kubernetes replaces it."""
    return re.sub(r"\$\((\w+)\)", lambda name: variables[name[1]], text)


def moved(text, places, folder):
    """Absolute paths of the container as paths below the root."""
    for place in places:
        text = re.sub(rf"(?<![\w/]){re.escape(place)}(?![\w-])", str(folder / place.lstrip("/")), text)
    return text


def command(container, root, places, binaries):
    variables = root.variables(container)
    arguments = [expand(a, variables) for a in container["args"]]
    paths = lambda text: moved(text, places, root.folder)
    variables = {name: text if name == "PATH" else paths(text) for name, text in variables.items()}
    return [str(binaries / container["command"][0]), *map(paths, arguments)], variables


def rewrite_configuration(root, places):
    """Policies are where the root is, and a free port of loopback is enough."""
    for name in ("pdp.yaml", "config.json"):
        for file in root.folder.glob(f"**/..data/{name}"):
            text = moved(file.read_text(), places, root.folder)
            text = text.replace("0.0.0.0:6969", "127.0.0.1:0")
            text = text.replace('"host": "0.0.0.0"', '"host": "127.0.0.1"')
            text = text.replace('"port": 6969,\n        "userName": "${REST', f'"port": {free_port()},\n        "userName": "${{REST')
            file.write_text(re.sub(r"drain: \d+s", "drain: 0s", text))


def ask(url, path, body=None, credentials=None):
    """Code and text of an answer."""
    headers = {"Content-Type": "application/json"}
    if credentials:
        headers["Authorization"] = "Basic " + base64.b64encode(":".join(credentials).encode()).decode()
    request = urllib.request.Request(url + path, json.dumps(body).encode() if body else None, headers)
    trust = ssl._create_unverified_context()  # the certificate is made below, for this run
    try:
        with urllib.request.urlopen(request, timeout=20, context=trust) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as fault:
        return fault.code, fault.read().decode()


def judge(name, url, open_to_all):
    path = "/policy/pdpx/v1/decision"
    code, text = ask(url, "/readyz")
    # ONAP's overlay starts without its database, and says what it waits for.
    ready = code == 200 or (name == "onap" and code == 503 and '"history":"reachable"' not in text)
    assert ready, f"{name}: readyz answers {code} {text}"
    code, text = ask(url, path, NAMING, None if open_to_all else (USER, PASSWORD))
    assert code == 200 and "SDNC_Policy.ONAP_NF_NAMING_TIMESTAMP" in text, f"{name}: a decision answers {code} {text}"
    if not open_to_all:
        code, _ = ask(url, path, NAMING)
        assert code == 401, f"{name}: without credentials a decision answers {code}"


def serve(name, objects, folder, secrets, binaries):
    root = Root(folder, objects, secrets)
    deployment = next(o for o in objects if o["kind"] == "Deployment")
    pod = deployment["spec"]["template"]["spec"]
    places = root.lay(pod)
    rewrite_configuration(root, places)
    arguments, variables = command(pod["containers"][0], root, places, binaries)
    variables["PDP_SERVER__DRAIN"] = "0s"
    with open(folder / "log", "w+") as log, subprocess.Popen(
        arguments, env=variables, cwd=folder, stdout=subprocess.PIPE, stderr=log, text=True
    ) as service:
        try:
            line = service.stdout.readline()
            found = re.match(r"listening on (\S+)", line)
            log.seek(0)
            assert found, f"{name}: {' '.join(arguments)} did not start:\n{log.read()}"
            judge(name, found[1], "--insecure" in arguments)
            for job in (o for o in objects if o["kind"] == "Job"):
                run_job(name, job, found[1], folder / "job", objects, secrets, binaries)
        finally:
            service.send_signal(signal.SIGTERM)
            code = service.wait(timeout=60)
        assert code == 0, f"{name}: ended with {code}"
    print(f"{name}: {' '.join(['pdp', *arguments[1:]]).replace(str(folder), '')}: ready, decides, ends with 0")


def run_job(name, job, url, folder, objects, secrets, binaries):
    """A job as it is written, for three seconds and with one user a group."""
    root = Root(folder, objects, secrets)
    pod = job["spec"]["template"]["spec"]
    arguments, variables = command(pod["containers"][0], root, root.lay(pod), binaries)
    message = folder / "termination-log"
    message.touch()
    for flag, value in (
        ("--target", url), ("--users", "1"), ("--duration", "3s"), ("--verdict-file", str(message)),
    ):
        arguments[arguments.index(flag) + 1] = value
    done = subprocess.run(arguments, env=variables, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{name}: {arguments} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    assert (folder / "report/report.json").exists(), f"{name}: there is no report"
    verdict = message.read_text().strip()
    assert verdict.startswith("SOAK PASS") and verdict in done.stdout, f"{name}: the verdict is {verdict!r}"
    print(f"{name}: job: {verdict}")


def main(binaries, rendered):
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        port = free_port()
        cache = subprocess.Popen(
            ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(work)],
            stdout=subprocess.DEVNULL,
        )
        try:
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                 "-days", "1", "-subj", "/CN=pdp", "-keyout", str(work / "key"), "-out", str(work / "cert")],
                check=True, capture_output=True,
            )
            secrets = SECRETS | {
                "pdp-tls": {"tls.crt": (work / "cert").read_text(), "tls.key": (work / "key").read_text()},
                "pdp-history": {"url": f"redis://127.0.0.1:{port}\n"},
            }
            answers("127.0.0.1", port)
            for name in ("dev", "production", "soak", "onap"):
                folder = work / name
                folder.mkdir()
                (folder / "job").mkdir()
                objects = [o for o in yaml.safe_load_all((rendered / f"{name}.yaml").read_text()) if o]
                serve(name, objects, folder, secrets, binaries)
        finally:
            cache.terminate()
            cache.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2])))

"""Tests the alerts, and every query of dashboard and alerts on series of the real service: queries.py PDP

The service runs, is asked, and is scraped twice. From the two scrapes a `promtool test rules` file is made: each query
of the dashboard must find something in them, no alert may fire, and each metric that is named must be there.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import yaml

K8S = Path(__file__).parent.parent
MONITORING = K8S / "components/monitoring"
METRIC = re.compile(r"\b((?:pdp|pdpx|process|jvm)_[a-z0-9_]+)\b")
VARIABLES = {"$namespace": ".*", "$pod": ".*", "$__rate_interval": "5m"}
# What an operator must be able to see; each is the title of a panel.
ASKED = [
    "Decisions by application and result", "Latency of decision requests", "Errors", "Latency of look-ups",
    "Guard Indeterminate by cause", "Policies that decide", "Deployments", "Time of the last change",
    "CPU by replica", "Requests in flight per worker", "Descriptors in use", "Memory by replica",
]


def dashboard():
    """Title and query of each target."""
    panels = json.loads((MONITORING / "pdp.json").read_text())["panels"]
    missing = set(ASKED) - {panel["title"] for panel in panels}
    assert not missing, f"the dashboard has no panel {missing}"
    for panel in panels:
        for target in panel.get("targets", []):
            query = target["expr"]
            for name, value in VARIABLES.items():
                query = query.replace(name, value)
            yield panel["title"], query


def rules():
    return yaml.safe_load((MONITORING / "prometheusrule.yaml").read_text())["spec"]


def ask(url, path, body=None):
    request = urllib.request.Request(url + path, body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as fault:
        return fault.read().decode()


def load(url):
    """Questions of several kinds: those of the shipped policies, and one that cannot be read."""
    for file in sorted((K8S.parent / "policies/s3p").glob("*.request.json")):
        ask(url, "/policy/pdpx/v1/decision", file.read_bytes())
    ask(url, "/policy/pdpx/v1/decision", b"{")
    ask(url, "/policy/pdpx/v1/healthcheck")


def scrapes(pdp):
    with tempfile.TemporaryDirectory() as work, subprocess.Popen(
        [pdp, "serve", "--policies", str(K8S.parent / "policies"), "--listen", "127.0.0.1:0", "--state", "none", "-q"],
        cwd=work, stdout=subprocess.PIPE, text=True,
    ) as service:
        try:
            url = re.match(r"listening on (\S+)", service.stdout.readline())[1]
            found = []
            for _ in range(2):
                for _ in range(20):
                    load(url)
                time.sleep(0.2)
                found.append(ask(url, "/metrics"))
            return found
        finally:
            service.terminate()


def series(text):
    """Samples by series."""
    found = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            found[name] = value
    return found


def labelled(name):
    """A series as Prometheus keeps it: with the labels of where it was scraped."""
    of = 'namespace="policy",pod="pdp-0",instance="pdp-0:6969",job="pdp"'
    metric, _, labels = name.partition("{")
    return f"{metric}{{{of},{labels}" if labels else f"{metric}{{{of}}}"


def main(pdp):
    first, second = map(series, scrapes(pdp))
    names = {name.partition("{")[0] for name in second}
    queries = list(dashboard())
    alerts = [(rule["alert"], rule["expr"].strip()) for group in rules()["groups"] for rule in group["rules"]]
    for where, query in queries + alerts:
        absent = set(METRIC.findall(query)) - names
        assert not absent, f"{where}: the service has no metric {absent}"

    one = lambda expression, value: {
        "expr": expression, "eval_time": "1m", "exp_samples": [{"labels": "{}", "value": value}],
    }
    tests = [{
        "interval": "1m",
        "input_series": [
            {"series": labelled(name), "values": f"{first[name]} {second[name]}"} for name in second if name in first
        ],
        "promql_expr_test": [one(f"count({query}) > bool 0", 1) for _, query in queries]
        # How long something took says nothing about a machine that builds beside it.
        + [one(f"count({query}) or vector(0)", 0) for _, query in alerts if "histogram_quantile" not in query],
    }]
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        (work / "rules.yaml").write_text(yaml.safe_dump(rules()))
        (work / "real.test.yaml").write_text(yaml.safe_dump({"evaluation_interval": "1m", "tests": tests}, width=1000))
        (work / "alerts.test.yaml").write_text((K8S / "checks/alerts.test.yaml").read_text())
        tested = (K8S / "checks/alerts.test.yaml").read_text()
        for alert, _ in alerts:
            assert f'alertname="{alert}"' in tested, f"alerts.test.yaml never lets {alert} fire"
        files = ["real.test.yaml", "alerts.test.yaml"]
        done = subprocess.run(["promtool", "test", "rules", *files], cwd=work, capture_output=True, text=True)
        if done.returncode:
            print(done.stdout, done.stderr, file=sys.stderr)
            return 1
        # The way of testing must be able to fail.
        text = (work / "real.test.yaml").read_text().replace("> bool 0", "< bool 0")
        (work / "real.test.yaml").write_text(text)
        blind = subprocess.run(["promtool", "test", "rules", files[0]], cwd=work, capture_output=True).returncode == 0
        assert not blind, "promtool passes whatever is asked"
    print(f"{len(queries)} queries of the dashboard find real series; {len(alerts)} alerts fire when they should")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

"""Reads the YAML and JSON files of this folder, and checks what they name: volumes, mounted files, metrics, runbooks."""

import json
import pathlib
import re
import sys

import yaml

here = pathlib.Path(__file__).resolve().parent
problems = []


def require(condition, problem):
    if not condition:
        problems.append(problem)


def read_all():
    for path in sorted(here.rglob("*.yaml")):
        list(yaml.safe_load_all(path.read_text()))
    for path in sorted(here.rglob("*.json")):
        json.loads(path.read_text())


def check_compose():
    document = yaml.safe_load((here / "compose.yaml").read_text())
    services = document["services"]
    expected = {"kaspad", "indexer", "prometheus", "alertmanager", "grafana"}
    require(set(services) == expected, "compose.yaml: other services than five")
    for name, service in services.items():
        _, colon, version = service.get("image", "").partition(":")
        require(colon and version != "latest", f"compose.yaml: {name} has no image of a named version")
        for other in service.get("depends_on", []):
            require(other in services, f"compose.yaml: {name} depends on {other}, which is none")
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if source.startswith("."):
                # Secrets are the operator's.
                require((here / source).exists() or source == "./secrets", f"compose.yaml: {source} is not there")
            else:
                require(source in document["volumes"], f"compose.yaml: volume {source} is not declared")
        for port in service.get("ports", []):
            require(name == "kaspad" or port.startswith("127.0.0.1:"), f"compose.yaml: {name} publishes {port}")
    check_environment(services["indexer"])
    build = services["indexer"]["build"]
    require((here / build["context"] / build["dockerfile"]).exists(), "compose.yaml: the Dockerfile is not there")


def check_alerting():
    """Prometheus tells an Alertmanager that is there, at its port; no password stands in a file that everybody has."""
    services = yaml.safe_load((here / "compose.yaml").read_text())["services"]
    alerting = yaml.safe_load((here / "prometheus/prometheus.yaml").read_text())["alerting"]
    targets = [target for manager in alerting["alertmanagers"] for config in manager["static_configs"]
               for target in config["targets"]]
    require(targets == ["alertmanager:9093"], "prometheus.yaml: it tells no Alertmanager of compose.yaml")
    require(services["alertmanager"]["ports"] == ["127.0.0.1:9093:9093"], "compose.yaml: Alertmanager's port")
    password = services["grafana"]["environment"]["GF_SECURITY_ADMIN_PASSWORD"]
    require(re.fullmatch(r"\$\{GRAFANA_PASSWORD:\?[^}]+\}", password), "compose.yaml: Grafana's password has a default")


def check_environment(indexer):
    """compose.env is the operator's: `environment` wins over it, so no name may stand in both."""
    example = (here / "compose.env.example").read_text()
    names = dict(re.findall(r"^#?([A-Z][A-Z_]+)=(.*)$", example, re.M))
    given = indexer["environment"]
    given = given if isinstance(given, dict) else dict(line.partition("=")[::2] for line in given)
    for name, value in given.items():
        require(name not in names, f"compose.yaml: environment overrides {name} of compose.env")
        require(not str(value or "").startswith("${"), f"compose.yaml: {name} is empty unless the caller's shell has it")
    targets = [volume.split(":")[1] for volume in indexer["volumes"] if volume.startswith("./secrets:")]
    require(
        [names.get("APNS_KEY_PATH")] == [f"{target}/apns.p8" for target in targets],
        "compose.env.example: APNS_KEY_PATH is not where compose.yaml mounts the key")


def metrics_of_the_code():
    """Every name in Swift's metrics catalogue, with its labels and kind."""
    text = (here.parent / "Sources/API/Metrics/MetricsCatalogue.swift").read_text()
    found = {}
    for name, kind, rest in re.findall(r'MetricDefinition\(\s*"([a-z_]+)",\s*\.(\w+),(.*?)\)\s*[,\n\]]', text, re.S):
        if "Old name of" in rest:
            continue
        labels = re.search(r"labels: \[(.*?)\]", rest)
        found[name] = (kind, set(re.findall(r'"(\w+)"', labels.group(1))) if labels else set())
    return found


def expressions():
    for group in yaml.safe_load((here / "prometheus/alerts.yaml").read_text())["groups"]:
        for rule in group["rules"]:
            yield f"alert {rule['alert']}", rule["expr"]
    dashboard = json.loads((here / "grafana/kasia-push-indexer.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield f"panel {panel['title']}", target["expr"]
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            yield f"variable {variable['name']}", variable["query"]["query"]


def check_metrics():
    known = metrics_of_the_code()
    require(len(known) > 25, f"only {len(known)} metrics were found in the code")
    used = set()
    for where, expression in expressions():
        for name, selector in re.findall(r"\b((?:kasia|process)_[a-z_]+)\b(\{[^}]*\})?", expression):
            base = name if name in known else re.sub(r"_(bucket|sum|count)$", "", name)
            require(base in known, f"{where}: the code exports no {name}")
            if base not in known:
                continue
            kind, labels = known[base]
            require((base != name) == (kind == "histogram"), f"{where}: {name} is a {kind}")
            used.add(base)
            allowed = labels | {"instance", "job"} | ({"le"} if kind == "histogram" else set())
            for label in re.findall(r'(\w+)\s*(?:=~|!~|!=|=)\s*"', selector or ""):
                require(label in allowed, f"{where}: {base} has no label {label}")
    for name in sorted(set(known) - used):
        problems.append(f"{name} is on no dashboard and in no alert")


def check_runbooks():
    guide = (here / "docs/operator-guide.md").read_text()
    anchors = {re.sub(r"[^a-z0-9 -]", "", line[line.index(" ") + 1 :].lower()).replace(" ", "-")
               for line in guide.splitlines() if re.match(r"#+ ", line)}
    for group in yaml.safe_load((here / "prometheus/alerts.yaml").read_text())["groups"]:
        for rule in group["rules"]:
            name = rule["alert"]
            require(rule["labels"].get("severity") in {"page", "ticket"}, f"alert {name}: no severity")
            runbook = rule["annotations"].get("runbook", "")
            require(runbook.startswith(f"operator-guide.md#{name.lower()}: "), f"alert {name}: no runbook line")
            require(name.lower() in anchors, f"alert {name}: operator-guide.md has no section of this name")


for step in (read_all, check_compose, check_alerting, check_metrics, check_runbooks):
    step()
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)

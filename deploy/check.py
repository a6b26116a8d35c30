"""Reads the YAML and JSON files of this folder, and checks what they name: volumes, mounted files, metrics, runbooks."""

import ipaddress
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


def check_cluster_compose():
    """What holds for compose.yaml, and that the parts find each other: members, addresses, settings, passwords."""
    text = (here / "cluster/compose.yaml").read_text()
    document = yaml.safe_load(text)
    services, subnet = document["services"], document["networks"]["cluster"]["ipam"]["config"][0]["subnet"]
    members = ["db1", "db2", "db3"]
    expected = {"kaspad", "nginx", "indexer1", "indexer2", "etcd1", "etcd2", "etcd3", *members}
    require(set(services) == expected, "cluster/compose.yaml: other services than ten")
    for name, service in services.items():
        _, colon, version = service.get("image", "").rpartition(":")
        require(colon and version != "latest", f"cluster/compose.yaml: {name} has no image of a named version")
        require("cluster" in service["networks"], f"cluster/compose.yaml: {name} is not in the network")
        for other in service.get("depends_on", []):
            require(other in services, f"cluster/compose.yaml: {name} depends on {other}, which is none")
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            operators = {"./secrets", "./certificates"}
            if source.startswith("."):
                is_there = (here / "cluster" / source).exists() or source in operators
                require(is_there, f"cluster/compose.yaml: {source} is not there")
            else:
                require(source in document["volumes"], f"cluster/compose.yaml: volume {source} is not declared")
        for port in service.get("ports", []):
            is_open = name != "kaspad" and not port.startswith("127.0.0.1:")
            require(not is_open, f"cluster/compose.yaml: {name} publishes {port}")
        if "build" in service:
            build = here / "cluster" / service["build"]["context"] / service["build"].get("dockerfile", "Dockerfile")
            require(build.exists(), f"cluster/compose.yaml: the Dockerfile of {name} is not there")
    for variable in ["KASIA_PASSWORD", "SUPERUSER_PASSWORD", "REPLICATION_PASSWORD"]:
        given = re.findall(r"\$\{" + variable + r"[^}]*\}", text)
        require(given and all(":?" in use for use in given), f"cluster/compose.yaml: {variable} has a default")
    kaspad = yaml.safe_load((here / "compose.yaml").read_text())["services"]["kaspad"]
    is_same = {**kaspad, "networks": ["cluster"]} == services["kaspad"]
    require(is_same, "cluster/compose.yaml: kaspad differs from compose.yaml's")
    addresses = []
    for name in ["indexer1", "indexer2"]:
        environment = services[name]["environment"]
        is_known = environment["STORE_URL"] == f"postgresql://kasia@{','.join(members)}/kasia"
        require(is_known, f"cluster/compose.yaml: {name} does not know every member")
        require(environment["STORE_STANDBY"] == "true", f"cluster/compose.yaml: {name} does not stand by")
        require(environment["STORE_SHARDS"] == "2", f"cluster/compose.yaml: {name} does not share the sending out")
        require("KASIA_PASSWORD" in environment["PGPASSWORD"], f"cluster/compose.yaml: {name} has no password")
        addresses.append(services[name]["networks"]["cluster"]["ipv4_address"])
    are_inside = all(ipaddress.ip_address(address) in ipaddress.ip_network(subnet) for address in addresses)
    require(are_inside, "cluster/compose.yaml: the indexers' addresses")
    upstream = re.findall(r"server ([0-9.]+):8080 max_fails=0;", (here / "cluster/nginx.conf").read_text())
    require(upstream == addresses, "cluster/nginx.conf: other indexers than two")
    volumes = [volume for name in ["indexer1", "indexer2", *members] for volume in services[name]["volumes"]]
    own = [volume for volume in volumes if not volume.startswith("./")]
    require(len(set(own)) == 5, "cluster/compose.yaml: two processes share a volume")
    for name in members:
        environment = services[name]["environment"]
        given = [environment[f"PATRONI_{key}"] for key in ("NAME", "POSTGRESQL_CONNECT_ADDRESS", "RESTAPI_CONNECT_ADDRESS")]
        require(given == [name, f"{name}:5432", f"{name}:8008"], f"cluster/compose.yaml: addresses of {name}")


def check_cluster_database():
    """Patroni's version and settings are what the operator guide asks for."""
    patroni = yaml.safe_load((here / "cluster/patroni.yaml").read_text())
    settings = patroni["bootstrap"]["dcs"]
    require(settings["synchronous_mode"] is True, "patroni.yaml: replication is not synchronous")
    require(settings["ttl"] >= settings["loop_wait"] + 2 * settings["retry_timeout"], "patroni.yaml: ttl is too short")
    guide = (here / "docs/operator-guide.md").read_text()
    chapter = guide[guide.index("### Settings of the server") : guide.index("### Settings of the service")]
    asked = {}
    for names, values in re.findall(r"^\| (`.*?`) \| (.*?) \|", chapter, re.M):
        texts = [value.replace(" ", "") for value in re.findall(r"[0-9]+ (?:GB|min)|`\w+`", values)]
        keys = re.findall(r"`(\w+)`", names)
        if texts:
            asked |= dict(zip(keys, [text.strip("`") for text in texts] * len(keys)))
    require(len(asked) > 5, f"operator-guide.md: only {len(asked)} settings of the server were found")
    for name, value in asked.items():
        given = settings["postgresql"]["parameters"].get(name)
        require(given == value, f"patroni.yaml: {name} is {given}, and the guide asks for {value}")
    dockerfile = (here / "cluster/Dockerfile").read_text()
    version = re.search(r"^ARG PATRONI_VERSION=(\d+)\.(\d+)\.(\d+)$", dockerfile, re.M)
    is_safe = version and tuple(map(int, version.groups())) >= (3, 0, 4)
    require(is_safe, "cluster/Dockerfile: Patroni before 3.0.4, or none named")
    major = re.search(r"postgresql-(\d+)", dockerfile).group(1)
    require(f"/postgresql/{major}/" in patroni["postgresql"]["bin_dir"], "patroni.yaml: bin_dir is of another version")
    hosts = patroni["etcd3"]["hosts"].split(",")
    require(hosts == [f"etcd{number}:2379" for number in (1, 2, 3)], "patroni.yaml: other etcds than compose.yaml's")


def check_cluster_proxy():
    """The cluster's nginx.conf is nginx.conf, but for two indexers, where things lie, and what passes a request on."""
    def directives(path):
        text = (here / path).read_text()
        lines = [line.strip() for line in text[text.index("log_format") :].splitlines()]
        return [line for line in lines if line and not line.startswith("#")]

    one, two = directives("nginx.conf"), directives("cluster/nginx.conf")
    is_in_order = [line for line in one if line in two] == [line for line in two if line in one]
    require(is_in_order, "cluster/nginx.conf: another order than nginx.conf's")
    known = {"ssl_certificate", "ssl_certificate_key", "access_log", "proxy_connect_timeout"}
    missing = {line.split()[0] for line in one if line not in two}
    require(missing == known, f"cluster/nginx.conf: of nginx.conf it lacks {missing}")
    known |= {"proxy_next_upstream", "proxy_next_upstream_tries"}
    own = {line.split()[0] for line in two if line not in one}
    require(own == known, f"cluster/nginx.conf: it has of its own {own}")
    is_passed = "proxy_next_upstream error timeout http_503 non_idempotent;" in two
    require(is_passed, "cluster/nginx.conf: what is passed on to the other indexer")


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


for step in (read_all, check_compose, check_cluster_compose, check_cluster_database, check_cluster_proxy,
             check_alerting, check_metrics, check_runbooks):
    step()
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)

#!/usr/bin/env bash
# Checks the files of this folder with their own tools, and says plainly what could not be checked for want of one.
#
#   deploy/check.sh             checks what it can; a missing tool is no failure
#   deploy/check.sh --strict    a missing tool is one, if Debian has it: docker compose and hadolint are not in Debian 12
#
# Debian: apt-get install prometheus prometheus-alertmanager systemd nginx-light python3-yaml shellcheck
set -uo pipefail
cd "$(dirname "$0")"
strict=no
case "${1:-}" in
"") ;;
--strict) strict=yes ;;
*)
    echo "check: unknown option $1; the only option is --strict" >&2
    exit 2
    ;;
esac

failed=0
skipped=0
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

has() { command -v "$1" >/dev/null 2>&1 || [ -x "/usr/sbin/$1" ]; }

# check NAME COMMAND…: runs it, and shows what it said if it failed.
check() {
    local name=$1
    shift
    if "$@" >"$temporary/output" 2>&1; then
        echo "ok       $name"
    else
        echo "FAILED   $name"
        sed 's/^/         /' "$temporary/output"
        failed=$((failed + 1))
    fi
}

skip() {
    echo "skipped  $1: $2"
    skipped=$((skipped + 1))
}

# What Debian has no tool for.
pass_over() { echo "not here $1: $2"; }

# Prometheus: configuration, rules, and tests of the rules.
if has promtool; then
    check "prometheus.yaml (promtool)" promtool check config prometheus/prometheus.yaml
    check "alerts.yaml (promtool)" promtool check rules prometheus/alerts.yaml
    check "alerts-test.yaml (promtool)" promtool test rules prometheus/alerts-test.yaml
else
    skip "Prometheus' files" "promtool is not installed (package prometheus)"
fi

# Alertmanager: its configuration as it is, and with the examples of receivers.
if has amtool; then
    check "alertmanager.yaml (amtool)" amtool check-config alertmanager/alertmanager.yaml
    # A sentence has one space behind its #, an example none or more.
    sed 's/^    #\([a-z]\|  \)/    \1/' alertmanager/alertmanager.yaml >"$temporary/alertmanager.yaml"
    check "alertmanager.yaml with its examples taken in (amtool)" amtool check-config "$temporary/alertmanager.yaml"
else
    skip "Alertmanager's files" "amtool is not installed (package prometheus-alertmanager)"
fi

# systemd: the unit as it is, but for the program, which need not be installed here.
if has systemd-analyze; then
    sed 's#^ExecStart=/usr/local/bin/kasia-push-indexer#ExecStart=/bin/true#' kasia-push-indexer.service \
        >"$temporary/kasia-push-indexer.service"
    verify_unit() {
        systemd-analyze verify --man=no "$temporary/kasia-push-indexer.service" 2>&1 | tee "$temporary/verify"
        # It also names faults of other units of the machine, and does not fail for unknown keys.
        ! grep -q "kasia-push-indexer.service" "$temporary/verify"
    }
    check "kasia-push-indexer.service (systemd-analyze verify)" verify_unit
    harden() { systemd-analyze security --offline=yes --threshold=20 "$temporary/kasia-push-indexer.service"; }
    check "kasia-push-indexer.service (systemd-analyze security, exposure at most 2.0)" harden
else
    skip "kasia-push-indexer.service" "systemd-analyze is not installed (package systemd)"
fi

# The command beside the unit: what it would have systemd run, as root would.
check "kasia-push-indexer-admin (sh -n)" sh -n kasia-push-indexer-admin
mkdir "$temporary/bin"
printf '#!/bin/sh\necho 0\n' >"$temporary/bin/id"
printf '#!/bin/sh\nfor word; do echo "[$word]"; done\n' >"$temporary/bin/systemd-run"
chmod 755 "$temporary/bin/id" "$temporary/bin/systemd-run"
admin() {
    PATH="$temporary/bin:$PATH" ./kasia-push-indexer-admin outbox list "two words" | tee "$temporary/admin" &&
        for word in "--property=EnvironmentFile=$(sed -n 's/^EnvironmentFile=//p' kasia-push-indexer.service)" \
            "--setenv=$(sed -n 's/^Environment=\(STORE_PATH=.*\)/\1/p' kasia-push-indexer.service)" \
            "$(sed -n 's/^ExecStart=\([^ ]*\) .*/\1/p' kasia-push-indexer.service)" --config \
            "$(sed -n 's/^ExecStart=.*--config //p' kasia-push-indexer.service)" "two words"; do
            grep -qxF -e "[$word]" "$temporary/admin" || { echo "not there: $word" && return 1; }
        done
}
check "kasia-push-indexer-admin names what the unit names" admin
if has shellcheck; then
    check "kasia-push-indexer-admin (shellcheck)" shellcheck kasia-push-indexer-admin
else
    skip "kasia-push-indexer-admin by shellcheck" "not installed"
fi

# nginx: in a main file of its own, with a certificate of the moment.
if has nginx && has openssl; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=push.example.org \
        -keyout "$temporary/privkey.pem" -out "$temporary/fullchain.pem" 2>/dev/null
    sed -e "s#/etc/letsencrypt/live/push.example.org#$temporary#" -e "s#/var/log/nginx#$temporary#" nginx.conf \
        >"$temporary/site.conf"
    sed "s#/etc/nginx/certificates#$temporary#" cluster/nginx.conf >"$temporary/cluster.conf"
    for site in site cluster; do
        cat >"$temporary/nginx-$site.conf" <<END
pid $temporary/nginx.pid;
error_log stderr;
events {}
http {
    include $temporary/$site.conf;
}
END
    done
    nginx=$(command -v nginx || echo /usr/sbin/nginx)
    check "nginx.conf (nginx -t)" "$nginx" -t -q -c "$temporary/nginx-site.conf"
    check "cluster/nginx.conf (nginx -t)" "$nginx" -t -q -c "$temporary/nginx-cluster.conf"
else
    skip "nginx.conf, cluster/nginx.conf" "nginx or openssl is not installed (package nginx-light)"
fi

# Compose: by docker's plugin, or the same program by itself, if one is there. check.py reads it too.
compose() {
    local password=$1
    shift
    if docker compose version >/dev/null 2>&1; then set -- docker compose "$@"; else set -- docker-compose "$@"; fi
    env -u GRAFANA_PASSWORD ${password:+"GRAFANA_PASSWORD=$password"} "$@"
}
if compose "" version --short 2>/dev/null | grep -q '^v\{0,1\}[2-9]'; then
    check "compose.yaml (docker compose config)" compose secret -f compose.yaml --env-file /dev/null config --quiet
    printf '%s_PASSWORD=secret\n' KASIA SUPERUSER REPLICATION >"$temporary/cluster.env"
    check "cluster/compose.yaml (docker compose config)" \
        compose "" -f cluster/compose.yaml --env-file "$temporary/cluster.env" config --quiet
    refuses() {
        ! compose "" -f compose.yaml --env-file /dev/null config --quiet >"$temporary/refusal" 2>&1 &&
            grep -F 'into the file .env beside compose.yaml' "$temporary/refusal"
    }
    check "compose.yaml starts nothing without GRAFANA_PASSWORD (docker compose config)" refuses
else
    pass_over "compose.yaml, cluster/compose.yaml by docker compose" "the plugin is not installed; read as YAML below"
fi
if has python3 && python3 -c 'import yaml' 2>/dev/null; then
    check "YAML and JSON, and what they name (python3)" python3 check.py
else
    skip "YAML and JSON" "python3 with yaml is not installed (package python3-yaml)"
fi

check "cluster/create-store.sh (sh -n)" sh -n cluster/create-store.sh
if has shellcheck; then
    check "cluster/create-store.sh (shellcheck)" shellcheck cluster/create-store.sh
fi

# The images' last stages: whether the packages that it installs are there in Debian 12.
if grep -q 'VERSION_CODENAME=bookworm' /etc/os-release 2>/dev/null && has apt-cache; then
    packages=$(sed -n '/^FROM ${RUN_IMAGE}/,$ s/.*--no-install-recommends \(.*\) \\/\1/p' Dockerfile)
    check "Dockerfile's packages (apt-cache)" sh -c "apt-cache show --no-all-versions $packages >/dev/null"
    packages=$(sed -n 's/.*--no-install-recommends \(.*\) \\/\1/p' cluster/Dockerfile)
    check "cluster/Dockerfile's packages (apt-cache)" sh -c "apt-cache show --no-all-versions $packages >/dev/null"
else
    skip "Dockerfile's packages" "this is not Debian 12"
fi
build_steps() { ./image-steps.sh --print | tee "$temporary/steps" && sh -n "$temporary/steps" && grep -q "swift build" "$temporary/steps"; }
check "Dockerfile's build steps (image-steps.sh --print, sh -n)" build_steps
if has hadolint; then
    # DL3008 wants a version with each of Debian's packages; those go from its archive with the next security update.
    check "Dockerfile (hadolint)" hadolint --ignore DL3008 Dockerfile
    check "cluster/Dockerfile (hadolint)" hadolint --ignore DL3008 cluster/Dockerfile
else
    pass_over "Dockerfile by hadolint" "not installed"
fi

# The examples for app developers, against the vectors.
if has python3; then
    check "docs/sign.py against the vectors (python3)" \
        python3 docs/sign.py --check ../Tests/Fixtures/vectors/registration-auth.json
else
    skip "docs/sign.py" "python3 is not installed"
fi

echo "$failed failed, $skipped skipped"
[ "$failed" -eq 0 ] || exit 1
[ "$strict" = no ] || [ "$skipped" -eq 0 ] || exit 1

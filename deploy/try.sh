#!/bin/sh
# Tries docker-compose.yml on the engine that is there: builds, starts, imports accounts through the published port while each
# service is started again, ends everything and starts it once more with the data kept, and cleans up. Takes some minutes.
# usage: deploy/try.sh   with `docker compose`, or with what COMPOSE names ("podman compose", "docker-compose")
# Volumes and networks of its own (project gangway-try); ports 18080, 18090 and 18233 of this machine.
set -eu
cd "$(dirname "$0")/.."
PROJECT=gangway-try
export GANGWAY_PUBLISH=127.0.0.1:18080 SUPPORT_SITE_PUBLISH=127.0.0.1:18090 TEMPORAL_UI_PUBLISH=127.0.0.1:18233
# Where the published ports are reached, if not from here: "nsenter -t 4711 -n", for example.
reach=${REACH:-}
base=http://$GANGWAY_PUBLISH
work=$(mktemp -d)

compose() { ${COMPOSE:-docker compose} --project-name "$PROJECT" "$@"; }
say() { printf '%s  %s\n' "$(date +%T)" "$*"; }
fail() {
  say "FAILED: $*"
  compose ps --all || true
  compose logs --no-color --tail 15 || true
  say 'the last answer and the last faults of calls:'
  tail -n 5 "$work/answer" "$work/curl.log" || true
  exit 1
}
clean_up() {
  say 'cleaning up'
  touch "$work/stop"
  wait || true
  compose down --volumes --timeout 40 >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

call() { # method path [body]; prints the answer and its status in a last line
  # shellcheck disable=SC2086
  $reach curl --silent --show-error --max-time 60 --request "$1" --write-out '\n%{http_code}\n' --header "Authorization: Token ${token:-}" \
    --header 'content-type: application/json' ${3+--data "$3"} "$base$2" 2>>"$work/curl.log" || true
}
accepted() { call "$@" | tee "$work/answer" | grep -q '^2[0-9][0-9]$'; } # as call
obtain_token() { # key
  call POST /graphql/ "{\"query\":\"mutation { obtainToken(input: {organizationSecretKey: \\\"$1\\\"}) { token } }\"}" | sed -n 's/.*"token":"\([^"]*\)".*/\1/p'
}
up() {
  compose up --build --wait --wait-timeout 300 --detach >"$work/up.log" 2>&1 || {
    tail -n 40 "$work/up.log"
    fail 'the services do not become ready'
  }
}
account() { # number
  printf '{"external_account_number":"%s","import_supplier":"TRY","customers":[{"given_name":"Ada","family_name":"Martin","email":"ada.martin@example.org"}],"supply_addresses":[{"supply_address1":"1 rue du Port","supply_postcode":"35400","customer_at_supply_address_from_date":"2024-01-01","supply_points":[{"identifier":"2501%010d","supply_type":"ELECTRICITY","supply_start_date":"2027-01-01"}]}]}' "T$1" "$1"
}
# Sent until it is taken: whoever imports tries again what was not answered. Then the account may exist already.
insist() { # as call
  until accepted "$@" || grep -q '"account_import_process_already_imported"' "$work/answer"; do
    [ ! -e "$work/stop" ] || return 1
    sleep 0.5
  done
}
import() { # number
  insist POST /v1/data-import/account-import-process/create-or-update/ "$(account "$1")" || return 1
  insist POST /v1/data-import/account-import-process/process/ "{\"external_account_number\":\"T$1\",\"import_supplier_code\":\"TRY\",\"operations_team_name\":\"Migration\"}" || return 1
  echo "T$1" >>"$work/imported"
}
load() {
  number=0
  until [ -e "$work/pause" ] || [ -e "$work/stop" ]; do
    number=$((number + 1))
    import "$number" || return 0
  done
}
imported() { wc -l <"$work/imported" | tr -d ' '; }
created() {
  compose exec -T postgres psql --username postgres --dbname gangway --no-align --tuples-only \
    --command 'select count(*) from account' </dev/null | tr -d '[:space:]'
}
compare() { # when
  [ "$(created)" = "$(imported)" ] || fail "$1: $(imported) accounts were imported, $(created) are stored"
  say "$1: $(imported) accounts were imported, and as many are stored"
}

: >"$work/imported"
[ -s deploy/secrets/database-url ] || deploy/make-secrets.sh
say 'building and starting'
up
say 'ready'

key() { compose exec -T api node programs/cli.mjs key create --direct "$@" </dev/null | grep -o 'gwk_[A-Za-z0-9_-]*'; }
token=$(obtain_token "$(key --role operator --organisation Operations --name try)")
[ -n "$token" ] || fail 'the operator key gets no token'
accepted PUT /v1/operations/import-suppliers/TRY/ '{"name":"Try"}' || fail 'no supplier'
accepted PUT /v1/operations/operations-teams/Migration/ '{}' || fail 'no team'
token=$(obtain_token "$(key --role supplier --organisation Try --name try --supplier TRY)")
[ -n "$token" ] || fail 'the key of the supplier gets no token'

load &
for service in worker api support-site temporal temporal-ui postgres; do
  say "starting $service again, with $(imported) accounts imported"
  compose restart "$service" >/dev/null 2>&1
  compose up --wait --wait-timeout 300 --detach >"$work/up.log" 2>&1 || fail "not ready after $service was started again"
  before=$(imported)
  tries=0
  until [ "$(imported)" -gt "$before" ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 120 ] || fail "nothing was imported for two minutes after $service was started again"
    sleep 1
  done
done
touch "$work/pause"
wait
compare 'after each service was started again'

say 'down and up'
compose down --timeout 40 >/dev/null 2>&1
up
compare 'after down and up'
accepted GET /v1/data-import/account-transfer-status/TRY/T1/ || fail 'the first account is not told'
say 'all is well'

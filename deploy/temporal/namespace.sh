#!/bin/sh
# Makes gangway's namespace on the Temporal server with its search attributes. May run again at any time; what is there
# stays. Needs TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE; waits for the server.
set -eu
temporal=${TEMPORAL_CLI_PATH:-temporal}
# The same as in temporal.config.ts.
attributes='ImportKind:Keyword ImportStatus:Keyword ImportSupplier:Keyword NetworkOperator:Keyword BatchId:Keyword ImportAccounts:KeywordList'

# attempt <what> <command...>: tries for two minutes.
attempt() {
  what=$1
  shift
  # By the clock: a try that gets no answer takes some seconds itself.
  end=$(($(date +%s) + 120))
  until said=$("$@" 2>&1); do
    if [ "$(date +%s)" -ge "$end" ]; then
      echo "$said" >&2
      echo "$what failed; see above" >&2
      exit 1
    fi
    sleep 1
  done
  echo "$what: done"
}

make_namespace() {
  "$temporal" operator namespace describe --namespace "$TEMPORAL_NAMESPACE" ||
    "$temporal" operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "${TEMPORAL_RETENTION:-30d}"
}

# The server takes search attributes on a new namespace with a delay; those that are listed are not made again.
make_attributes() {
  listed=$("$temporal" operator search-attribute list --namespace "$TEMPORAL_NAMESPACE") || return 1
  missing=''
  for attribute in $attributes; do
    name=${attribute%:*}
    echo "$listed" | grep -qw "$name" || missing="$missing --name $name --type ${attribute#*:}"
  done
  # shellcheck disable=SC2086
  [ -z "$missing" ] || "$temporal" operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" $missing
}

attempt 'reach the server' "$temporal" operator cluster health
attempt "namespace $TEMPORAL_NAMESPACE" make_namespace
attempt 'search attributes' make_attributes

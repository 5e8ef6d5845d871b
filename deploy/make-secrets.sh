#!/bin/sh
# Makes the secrets that docker-compose.yml hands to the containers. Those that are there already stay.
# usage: deploy/make-secrets.sh [folder]
set -eu
umask 077
folder=${1:-$(dirname "$0")/secrets}
mkdir -p "$folder"
chmod 700 "$folder"

# keep <name> <value>: the folder keeps others out; the file is readable, because each container reads it as a user of its own.
keep() {
  [ -s "$folder/$1" ] || printf '%s\n' "$2" >"$folder/$1"
  chmod 444 "$folder/$1"
}

# Hexadecimal: fit for an address and for a configuration file without any quoting.
random() {
  od -An -N32 -tx1 /dev/urandom | tr -d ' \n'
}

keep postgres-password "$(random)"
keep temporal-password "$(random)"
keep gangway-password "$(random)"
keep gangway-owner-password "$(random)"
keep database-url "postgresql://gangway:$(cat "$folder/gangway-password")@postgres:5432/gangway"
keep migrate-database-url "postgresql://gangway_owner:$(cat "$folder/gangway-owner-password")@postgres:5432/gangway"

#!/bin/sh
# Hands the database password to the Temporal server, which takes it from its environment only.
# usage: server.sh <command that starts the server>, with POSTGRES_PWD_FILE
set -eu
POSTGRES_PWD=$(cat "$POSTGRES_PWD_FILE")
export POSTGRES_PWD
exec "$@"

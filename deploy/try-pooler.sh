#!/bin/sh
# Runs deploy/try.sh with PgBouncer in transaction mode between gangway and Postgres (docs/running/processes.md, "Behind a pooler").
# usage: deploy/try-pooler.sh   with `docker compose`, or with what COMPOSE names, as deploy/try.sh
set -eu
cd "$(dirname "$0")/.."
[ -s deploy/secrets/database-url ] || deploy/make-secrets.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
password=$(cat deploy/secrets/gangway-password)
printf 'postgresql://gangway:%s@pgbouncer:6432/gangway\n' "$password" >"$work/database-url"
printf '"gangway" "%s"\n' "$password" >"$work/users"
cat >"$work/pgbouncer.ini" <<INI
[databases]
gangway = host=postgres
[pgbouncer]
listen_addr = 0.0.0.0
listen_port = 6432
auth_type = scram-sha-256
auth_file = /etc/pgbouncer/users
pool_mode = transaction
max_prepared_statements = 200
INI
# Debian 13 has 1.24; Debian 12 has 1.18, which does not carry prepared statements.
cat >"$work/Dockerfile" <<'DOCKERFILE'
FROM debian:13-slim
RUN apt-get update && apt-get install --yes --no-install-recommends pgbouncer && rm -rf /var/lib/apt/lists/*
COPY --chown=postgres --chmod=0400 pgbouncer.ini users /etc/pgbouncer/
USER postgres
CMD ["pgbouncer", "/etc/pgbouncer/pgbouncer.ini"]
DOCKERFILE
cat >"$work/compose.yml" <<COMPOSE
x-listen: &listen
  secrets: [database-listen-url]
  environment:
    DATABASE_LISTEN_URL_FILE: /run/secrets/database-listen-url
services:
  pgbouncer:
    build: $work
    networks: [inside]
    depends_on:
      postgres:
        condition: service_healthy
  migrate:
    <<: *listen
    depends_on:
      pgbouncer:
        condition: service_started
  api: *listen
  worker: *listen
secrets:
  database-url:
    file: $work/database-url
  database-listen-url:
    file: $PWD/deploy/secrets/database-url
COMPOSE
chmod 755 "$work"
chmod 444 "$work/database-url"
COMPOSE="${COMPOSE:-docker compose} --file docker-compose.yml --file $work/compose.yml" deploy/try.sh

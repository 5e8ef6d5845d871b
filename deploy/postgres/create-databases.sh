#!/bin/sh
# Roles and databases of gangway and Temporal: nobody opens the others'. gangway_owner owns gangway's tables and is used by
# `migrate` alone; gangway, as which the service runs, reads and writes rows. The Postgres image runs this once, on an empty volume. Needs POSTGRES_USER; SECRETS_DIR is /run/secrets unless set.
set -eu
export SECRETS_DIR="${SECRETS_DIR:-/run/secrets}"

psql --set ON_ERROR_STOP=1 --no-psqlrc --quiet --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\set gangway_password `cat "$SECRETS_DIR/gangway-password"`
\set gangway_owner_password `cat "$SECRETS_DIR/gangway-owner-password"`
\set temporal_password `cat "$SECRETS_DIR/temporal-password"`
CREATE ROLE gangway LOGIN PASSWORD :'gangway_password';
CREATE ROLE gangway_owner LOGIN PASSWORD :'gangway_owner_password';
CREATE ROLE temporal LOGIN PASSWORD :'temporal_password';
-- The collation is Postgres' own: that of the C library may change with the image, and indexes on text would be wrong from then on.
CREATE DATABASE gangway OWNER gangway_owner TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8';
CREATE DATABASE temporal OWNER temporal TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8';
CREATE DATABASE temporal_visibility OWNER temporal TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8';
REVOKE CONNECT ON DATABASE gangway, temporal, temporal_visibility FROM PUBLIC;
GRANT CONNECT ON DATABASE gangway TO gangway;
SQL

#!/bin/sh
# Brings both databases of Temporal to the schema of this version of its tool, from nothing or from an older one. May run
# again at any time. Needs SQL_HOST, SQL_PORT, SQL_USER, SQL_PLUGIN and SQL_PASSWORD_FILE.
set -eu
SQL_PASSWORD=$(cat "$SQL_PASSWORD_FILE")
export SQL_PASSWORD
tool=${TEMPORAL_SQL_TOOL:-temporal-sql-tool}

# update <database> <schema>
update() {
  "$tool" --database "$1" update-schema --schema-name "postgresql/v12/$2" 2>&1
}

# bring <database> <schema>: setup-schema sets the version to 0.0 when it cannot read it, for whatever reason. So it runs
# only where the update says that there is none.
bring() {
  if said=$(update "$1" "$2"); then
    echo "$1 is up to date"
    return
  fi
  case $said in
    *'schema_version'*'does not exist'* | *'no rows in result set'*) ;;
    *)
      echo "$said" >&2
      echo "$1: the update failed; see above" >&2
      exit 1
      ;;
  esac
  "$tool" --database "$1" setup-schema --version 0.0 >/dev/null
  update "$1" "$2" >/dev/null || update "$1" "$2" >&2
  echo "$1 was set up"
}

bring "${DBNAME:-temporal}" temporal
bring "${VISIBILITY_DBNAME:-temporal_visibility}" visibility

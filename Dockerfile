# docker build -t dao-market-data .
# docker run --read-only --volume data:/data --env-file .env --publish 3000:3000 dao-market-data
ARG BASE=node:24-bookworm-slim

# Compiles the sources.
FROM ${BASE} AS build
WORKDIR /app
COPY .npmrc package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit
COPY . .
RUN npm run build

# Production dependencies only. The compiler is installed as a peer of a peer, the musl binaries are for another C
# library.
FROM ${BASE} AS modules
WORKDIR /app
COPY .npmrc package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --omit=dev && \
  rm -rf node_modules/typescript node_modules/@libsql/*-musl node_modules/@resvg/*-musl

FROM ${BASE}
ENV NODE_ENV=production DATA_DIR=/data
WORKDIR /app
COPY --from=modules /app/node_modules node_modules
COPY package.json openapi.json openapi.yaml LICENSE ./
COPY public public
COPY scripts/built.js scripts/built.js
COPY --from=build /app/dist dist
# The only writable folder, used by the embedded store.
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 3000
# Below 500 the process answers, also when the rate limit of this address is used up.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health`, { \
    signal: AbortSignal.timeout(4000) \
  }).then(({ status }) => process.exit(status < 500 ? 0 : 1), () => process.exit(1))"]
# No shell or npm between signals and the process, which exits gracefully within 10 seconds.
# The flags: docs/deployment.md, "Sizing".
CMD ["node", "--heap-growing-percent=40", "--max-semi-space-size=4", "--v8-pool-size=1", "--no-parallel-scavenge", \
  "dist/server.js"]

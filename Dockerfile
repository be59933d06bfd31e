# docker build -t dao-market-data .
# docker run --read-only --volume data:/data --env-file .env --publish 3000:3000 dao-market-data
ARG BASE=node:24-bookworm-slim

# What is written here, compiled.
FROM ${BASE} AS build
WORKDIR /app
COPY .npmrc package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit
COPY . .
RUN npm run build

# What it stands on, without what only development needs. The compiler comes along as a peer of a peer, the other binary is of another C library.
FROM ${BASE} AS modules
WORKDIR /app
COPY .npmrc package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --omit=dev && rm -rf node_modules/typescript node_modules/@libsql/*-musl node_modules/@resvg/*-musl

FROM ${BASE}
ENV NODE_ENV=production DATA_DIR=/data
WORKDIR /app
COPY --from=modules /app/node_modules node_modules
COPY package.json LICENSE ./
COPY public public
COPY scripts/built.js scripts/built.js
COPY --from=build /app/dist dist
# The one place that is written to, and only with the embedded store.
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 3000
# Whether the process answers: below 500 it does, also where a client of its own address has used up the limit.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health`, { signal: AbortSignal.timeout(4000) }).then(({ status }) => process.exit(status < 500 ? 0 : 1), () => process.exit(1))"]
# No shell and no npm between the signals and the process, which ends with grace within 10 seconds.
# half the memory, for a third more CPU while the history is read: docs/deployment.md, "Sizing"
CMD ["node", "--heap-growing-percent=40", "--max-semi-space-size=4", "--v8-pool-size=1", "--no-parallel-scavenge", "dist/server.js"]

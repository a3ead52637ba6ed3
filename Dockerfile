# Builds from a clone: docker build -t geth-reader . docs/deployment.md says how to run it.
FROM node:22-slim AS build
WORKDIR /src
COPY . .
RUN npm ci && npm pack

FROM node:22-slim
COPY --from=build /src/geth-reader-*.tgz /tmp/
RUN npm install --global /tmp/geth-reader-*.tgz && rm /tmp/geth-reader-*.tgz
# The user node, by number: a host or Kubernetes cannot look its name up.
USER 1000
EXPOSE 8545 9545
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:9545/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["geth-reader"]
CMD ["serve", "--datadir", "/data", "--http.addr", "0.0.0.0", "--ops.addr", "0.0.0.0", "--ops.port", "9545"]

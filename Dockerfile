# The packed file, as npm publish sends it
FROM node:24-slim AS pack
WORKDIR /clone
COPY . .
RUN npm ci --no-audit --no-fund
RUN npm pack --pack-destination /clone

# its installation, with the versions that were tested
FROM node:24-slim AS install
WORKDIR /usr/local/lib/node_modules/pocketsms
COPY --from=pack /clone/pocketsms-*.tgz /
COPY --from=pack /clone/package-lock.json .
RUN tar -xzf /pocketsms-*.tgz --strip-components=1
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8090 DATA_DIR=/data XDG_CACHE_HOME=/data/cache
COPY --from=install /usr/local/lib/node_modules/pocketsms /usr/local/lib/node_modules/pocketsms
RUN ln -s ../lib/node_modules/pocketsms/bin/pocketsms.js /usr/local/bin/pocketsms
RUN install -d -o node -g node -m 700 /data
USER node
VOLUME /data
EXPOSE 8090
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["pocketsms", "serve"]

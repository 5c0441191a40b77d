FROM node:24-slim AS console
WORKDIR /app
COPY . .
RUN npm ci --no-audit --no-fund

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8090 DATA_DIR=/data
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && npm cache clean --force
COPY LICENSE README.md ./
COPY bin bin
COPY grammar grammar
COPY sql sql
COPY src src
COPY --from=console /app/console/dist console/dist
RUN install -d -o node -g node /data
USER node
VOLUME /data
EXPOSE 8090
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "bin/pocketsms.js", "serve"]

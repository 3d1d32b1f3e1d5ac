# Aktenlage for a machine that is not Linux x64, from the same lock file. See README.md, "On another system".
FROM --platform=linux/amd64 node:24.21.0-bookworm-slim

# The table is kept apart in a network namespace of its own: `unshare` is there, `ip` is not.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends iproute2 curl ca-certificates \
  && rm -rf /var/lib/apt/lists/*

WORKDIR /aktenlage
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run client
RUN mkdir -p .local node_modules/.cache && chown node:node .local node_modules/.cache
USER node
VOLUME /aktenlage/.local
CMD ["npm", "start"]

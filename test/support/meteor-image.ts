import { Readable } from 'node:stream'
import type Docker from 'dockerode'
import { pack } from 'tar-stream'
import { has, versionOf } from './build-images.ts'

/** The result of `npm install -g meteor@<n>`: a tool that bundles an app by copying it. Other commands go to npm. */
const NPM = `#!/bin/sh
case "$1 $2 $3" in
  "install -g meteor@"*) mkdir -p /root/.meteor && cp /opt/meteor /root/.meteor/meteor ;;
  *) exec /usr/bin/npm "$@" ;;
esac
`

const METEOR = `#!/bin/sh
set -e
[ -n "$METEOR_ALLOW_SUPERUSER" ]
case "$1" in
  npm) shift && exec npm "$@" ;;
  build)
    [ "$2" = --directory ] && [ "$4" = --server-only ] && [ -d node_modules ] && [ -f .meteor/release ]
    mkdir -p "$3/bundle/programs/server/app"
    cp server/main.js "$3/bundle/programs/server/app/app.js"
    echo "process.env.ROOT_URL || process.exit(5); require('./programs/server/app/app.js')" > "$3/bundle/main.js"
    echo '{ "name": "meteor-dev-bundle", "version": "0.0.0" }' > "$3/bundle/programs/server/package.json" ;;
  *) exit 2 ;;
esac
`

/** Stands in for `node:<n>-bookworm` with Meteor's tool, which is normally downloaded from Meteor's servers. */
export async function ensureMeteorImage(docker: Docker, node: string): Promise<string> {
  const image = `berth-stand-in-meteor:${versionOf(import.meta.filename)}`
  if (await has(docker, image)) return image
  const archive = pack()
  archive.entry({ name: 'npm', mode: 0o755 }, NPM)
  archive.entry({ name: 'meteor', mode: 0o755 }, METEOR)
  archive.entry({ name: 'Dockerfile' }, `FROM ${node}\nCOPY npm /usr/local/bin/npm\nCOPY meteor /opt/meteor\n`)
  archive.finalize()
  for await (const _line of await docker.buildImage(Readable.from(archive), { t: image }));
  return image
}

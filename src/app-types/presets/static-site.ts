import { BuildFailure } from '../../domain/build-failure.ts'
import { buildStage, DEFAULT_NODE_VERSION, dockerfileOf, NODE_VERSIONS, nodeBuildBase } from './node-image.ts'
import { requireScript } from './node-package.ts'
import type { BuildPreset, DockerfileRequest, SourceFacts } from './preset.ts'

/** Runs as an unprivileged user, fills in templates at start, and logs to the container's output. */
const STATIC_BASE = 'ARG STATIC_IMAGE=nginxinc/nginx-unprivileged:1.28-alpine'

const FROM_STATIC = 'FROM $STATIC_IMAGE'

/** A name that ends in a hash, as bundlers write it: `index-BwK3kz9a.js`, `main.1a2b3c4d.css`. */
const HASHED = '[.-](?=\\w*[0-9A-Z])[\\w-]{8,20}\\.(?:js|mjs|css|woff2?|svg|png|jpe?g|webp|avif|gif)$'

/**
 * The entrypoint inserts the environment's PORT. Paths without a file are routes of the program, and get its page;
 * files with a hash in their names are cached for ever, others are revalidated each time.
 */
const SITE = [
  'server {',
  '  listen $PORT;',
  '  root /usr/share/nginx/html;',
  `  location ~ "${HASHED}" { add_header Cache-Control "public, max-age=31536000, immutable"; try_files $uri =404; }`,
  '  location / { add_header Cache-Control "no-cache"; try_files $uri $uri/ /index.html; }',
  '}',
]

const writeSite = `printf '%s\\n' ${SITE.map((line) => `'${line}'`).join(' ')} > /site.conf.template`

interface StaticSite {
  /** Folders that may hold the build's output, the likeliest first; shell patterns. */
  outputs: readonly string[]
}

/** Builds with Node.js, and serves the output without it. */
function staticSite(request: DockerfileRequest, { outputs }: StaticSite): string {
  requireScript(request, 'build')
  const candidates = outputs.join(' ')
  const found = `for folder in ${candidates}; do if [ -f "$folder/index.html" ]; then mv "$folder" /site; break; fi; done`
  const checked = `{ [ -d /site ] || { echo "The build left no index.html in ${outputs.join(', ')}" >&2; exit 1; }; }`
  return dockerfileOf(
    [nodeBuildBase(request.version), STATIC_BASE],
    [...buildStage(request), `RUN ${found}; ${checked}`, `RUN ${writeSite}`],
    SERVED,
  )
}

const SERVED = [
  FROM_STATIC,
  // Only PORT is filled in: nginx has variables of its own, whose names an environment's may share.
  'ENV PORT=8080 NGINX_ENVSUBST_FILTER=^PORT$',
  'COPY --from=build /site.conf.template /etc/nginx/templates/default.conf.template',
  'COPY --from=build /site /usr/share/nginx/html',
  // The image's own user, by number: a name would have to exist in any image that replaces it.
  'USER 101',
]

/** The folders of a source that may hold its page, the likeliest first; `.` for its root. */
export const PAGE_FOLDERS = ['.', 'public', 'site', 'docs', 'www'] as const

/** Files that are served as they are. */
export const staticFiles: BuildPreset = {
  versions: ['1'],
  defaultVersion: '1',
  dockerfile({ facts }) {
    const folder = pageFolder(facts)
    if (folder === null) {
      const looked = PAGE_FOLDERS.map((name) => (name === '.' ? 'index.html' : `${name}/index.html`)).join(', ')
      throw new BuildFailure('PRESET_NOT_APPLICABLE', `There is none of ${looked}, which the preset serves`)
    }
    return dockerfileOf(
      [STATIC_BASE],
      [`${FROM_STATIC} AS build`, 'USER 0', `COPY ${folder} /site`, `RUN ${writeSite}`],
      SERVED,
    )
  },
}

export const pageFolder = ({ files, foldersBelow }: SourceFacts): string | null =>
  PAGE_FOLDERS.find((folder) =>
    folder === '.' ? files.has('index.html') : foldersBelow.get(folder)?.includes('index.html'),
  ) ?? null

/** An Angular site. Since version 17 its files are in `dist/<project>/browser`, before that in `dist/<project>`. */
export const angular: BuildPreset = {
  versions: NODE_VERSIONS,
  defaultVersion: DEFAULT_NODE_VERSION,
  dockerfile: (request) => staticSite(request, { outputs: ['dist/*/browser', 'dist/*', 'dist/browser', 'dist'] }),
}

/** A site that Vite builds. */
export const vite: BuildPreset = {
  versions: NODE_VERSIONS,
  defaultVersion: DEFAULT_NODE_VERSION,
  dockerfile: (request) => staticSite(request, { outputs: ['dist', 'build'] }),
}

/** A Vue site: built, then served as files. */
export const vueJs: BuildPreset = {
  versions: NODE_VERSIONS,
  defaultVersion: DEFAULT_NODE_VERSION,
  dockerfile: (request) => staticSite(request, { outputs: ['dist'] }),
}

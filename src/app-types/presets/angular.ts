import { DEFAULT_NODE_VERSION, NODE_VERSIONS } from './node-image.ts'
import type { BuildPreset } from './preset.ts'
import { staticSite } from './static-site.ts'

/** An Angular site. Since version 17 its files are in `dist/<project>/browser`, before that in `dist/<project>`. */
export const angular: BuildPreset = {
  versions: NODE_VERSIONS,
  defaultVersion: DEFAULT_NODE_VERSION,
  dockerfile: (request) => staticSite(request, { outputs: ['dist/*/browser', 'dist/*', 'dist/browser', 'dist'] }),
}

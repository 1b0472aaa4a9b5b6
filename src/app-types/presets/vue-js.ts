import { DEFAULT_NODE_VERSION, NODE_VERSIONS } from './node-image.ts'
import type { BuildPreset } from './preset.ts'
import { staticSite } from './static-site.ts'

/** A Vue site: built, then served as files. */
export const vueJs: BuildPreset = {
  versions: NODE_VERSIONS,
  defaultVersion: DEFAULT_NODE_VERSION,
  dockerfile: (request) => staticSite(request, { outputs: ['dist'] }),
}

import { builtNodeProgram, DEFAULT_NODE_VERSION, NODE_VERSIONS } from './node-image.ts'
import { requireScript } from './node-package.ts'
import type { BuildPreset } from './preset.ts'

/** Remix and React Router in framework mode: built, then served by the script "start". */
export const remix: BuildPreset = {
  versions: NODE_VERSIONS,
  defaultVersion: DEFAULT_NODE_VERSION,
  dockerfile(request) {
    requireScript(request, 'build')
    requireScript(request, 'start')
    return builtNodeProgram(request)
  },
}

import { builtNodeProgram, DEFAULT_NODE_VERSION, NODE_VERSIONS } from './node-image.ts'
import { requireScript } from './node-package.ts'
import type { BuildPreset } from './preset.ts'

/** Install, build, start: programs that are compiled or bundled first. */
export const nodeJsInstallBuildStart: BuildPreset = {
  versions: NODE_VERSIONS,
  defaultVersion: DEFAULT_NODE_VERSION,
  dockerfile(request) {
    requireScript(request, 'build')
    return builtNodeProgram(request)
  },
}

import { builtNodeProgram, DEFAULT_NODE_VERSION, NODE_VERSIONS } from './node-image.ts'
import { requirePackage, requireScript } from './node-package.ts'
import type { BuildPreset } from './preset.ts'

/**
 * `next start` is called without the package manager, which would swallow signals. What the build kept for its own next
 * run is dropped: the image is smaller by as much.
 */
export const nextJs: BuildPreset = {
  versions: NODE_VERSIONS,
  defaultVersion: DEFAULT_NODE_VERSION,
  dockerfile(request) {
    requireScript(request, 'build')
    const { scripts } = requirePackage(request)
    const isPlain = scripts.start === undefined || scripts.start === 'next start'
    const text = builtNodeProgram(request, isPlain ? ['node', 'node_modules/next/dist/bin/next', 'start'] : undefined)
    return text.replace('&& rm -rf node_modules', '&& rm -rf node_modules .next/cache')
  },
}

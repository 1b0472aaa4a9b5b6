import { builtNodeProgram, DEFAULT_NODE_VERSION, NODE_VERSIONS } from './node-image.ts'
import { requirePackage, requireScript } from './node-package.ts'
import type { BuildPreset } from './preset.ts'

/**
 * `next start` is called without the package manager, which would swallow signals. Pages and pictures that Next.js makes
 * while it runs are kept in `.next`; what the build kept there for its own next run is dropped.
 */
export const nextJs: BuildPreset = {
  versions: NODE_VERSIONS,
  defaultVersion: DEFAULT_NODE_VERSION,
  dockerfile(request) {
    requireScript(request, 'build')
    const { start } = requirePackage(request).scripts
    const isPlain = start === undefined || start === 'next start'
    const own = isPlain ? { start: ['node', 'node_modules/next/dist/bin/next', 'start'] } : {}
    return builtNodeProgram(request, { ...own, writes: '.next' })
  },
}

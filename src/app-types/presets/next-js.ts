import { builtNodeProgram, DEFAULT_NODE_VERSION, NODE_VERSIONS } from './node-image.ts'
import { requirePackage, requireScript } from './node-package.ts'
import type { BuildPreset } from './preset.ts'

/**
 * Runs `next start` without the package manager, which would swallow signals. Next.js writes pages and images into
 * `.next` at run time; the build cache in it is dropped.
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

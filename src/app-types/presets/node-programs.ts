import { builtNodeProgram, DEFAULT_NODE_VERSION, NODE_VERSIONS, nodeProgram } from './node-image.ts'
import { requirePackage, requireScript } from './node-package.ts'
import type { BuildPreset } from './preset.ts'

/** A server that runs without a build. */
export const express: BuildPreset = {
  versions: NODE_VERSIONS,
  defaultVersion: DEFAULT_NODE_VERSION,
  dockerfile: nodeProgram,
}

/** Install, then start: any Node.js program that needs no build. */
export const nodeJsInstallStart: BuildPreset = {
  versions: NODE_VERSIONS,
  defaultVersion: DEFAULT_NODE_VERSION,
  dockerfile: nodeProgram,
}

/** Install, build, start: programs that are compiled or bundled first. */
export const nodeJsInstallBuildStart: BuildPreset = {
  versions: NODE_VERSIONS,
  defaultVersion: DEFAULT_NODE_VERSION,
  dockerfile(request) {
    requireScript(request, 'build')
    return builtNodeProgram(request)
  },
}

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

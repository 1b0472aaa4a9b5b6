import { DEFAULT_NODE_VERSION, NODE_VERSIONS, nodeProgram } from './node-image.ts'
import type { BuildPreset } from './preset.ts'

/** Install, then start: any Node.js program that needs no build. */
export const nodeJsInstallStart: BuildPreset = {
  versions: NODE_VERSIONS,
  defaultVersion: DEFAULT_NODE_VERSION,
  dockerfile: nodeProgram,
}

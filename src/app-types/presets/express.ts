import { DEFAULT_NODE_VERSION, NODE_VERSIONS, nodeProgram } from './node-image.ts'
import type { BuildPreset } from './preset.ts'

/** A server that runs without a build. */
export const express: BuildPreset = {
  versions: NODE_VERSIONS,
  defaultVersion: DEFAULT_NODE_VERSION,
  dockerfile: nodeProgram,
}

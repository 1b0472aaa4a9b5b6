import { angular } from './angular.ts'
import { express } from './express.ts'
import { meteorJs } from './meteor-js.ts'
import { nextJs } from './next-js.ts'
import { nodeJsInstallBuildStart } from './node-js-install-build-start.ts'
import { nodeJsInstallStart } from './node-js-install-start.ts'
import type { BuildPreset } from './preset.ts'
import { python } from './python.ts'
import { remix } from './remix.ts'
import { vite } from './vite.ts'
import { vueJs } from './vue-js.ts'

/** The presets that write a Dockerfile (§2.1); the others build from one that is there. */
const BUILD_PRESETS: Readonly<Record<string, BuildPreset>> = {
  NEXT_JS: nextJs,
  REMIX: remix,
  VITE: vite,
  VUE_JS: vueJs,
  EXPRESS: express,
  NODE_JS_INSTALL_START: nodeJsInstallStart,
  NODE_JS_INSTALL_BUILD_START: nodeJsInstallBuildStart,
  ANGULAR: angular,
  METEOR_JS: meteorJs,
  // Names that answers have shown (§2.2, §2.3), and that clients therefore send.
  NODE: nodeJsInstallStart,
  METEOR: meteorJs,
  PYTHON: python,
}

export const findBuildPreset = (name: string): BuildPreset | null => BUILD_PRESETS[name] ?? null

/**
 * The version without the preset's name: `EXPRESS_NODE_JS_20` and `EXPRESS_20` are `NODE_JS_20`. The default where none is
 * named; null for one that the preset does not have.
 */
export function presetVersion(preset: BuildPreset, name: string, version: string | null): string | null {
  if (version === null) return preset.defaultVersion
  const given = version.startsWith(`${name}_`) ? version.slice(name.length + 1) : version
  return preset.versions.find((known) => known === given || known === `NODE_JS_${given}`) ?? null
}

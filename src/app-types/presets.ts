import type { Preset } from './app-type.ts'
import { appTypes } from './app-types.ts'
import type { Engine } from './engines/engine.ts'
import { engineVersionProblem } from './engines/engines.ts'
import type { BuildPreset } from './presets/preset.ts'

const findPreset = (name: string): Preset | null =>
  appTypes()
    .flatMap((type): readonly Preset[] => type.presets)
    .find((preset) => preset.name === name) ?? null

/** The preset that writes a Dockerfile; null for one whose sources bring their own. */
export function findBuildPreset(name: string): BuildPreset | null {
  const preset = findPreset(name)
  return preset?.kind === 'BUILD' ? preset.build : null
}

/** The managed service that apps of the preset run; null for every other preset. */
export function engineOfPreset(name: string): Engine | null {
  const preset = findPreset(name)
  return preset?.kind === 'ENGINE' ? preset.engine : null
}

/**
 * The default path of the Dockerfile, as answers show it; null where the preset writes it, or where it is not shown.
 */
export function defaultDockerfilePath(name: string): string | null {
  const preset = findPreset(name)
  return preset?.kind === 'OWN_DOCKERFILE' ? preset.dockerfilePath : null
}

/** What is wrong with a `<PRESET>_<VERSION>` such as EXPRESS_NODE_JS_20 (§2.1); null when the preset supports it. */
export function versionProblem(name: string, version: string): string | null {
  const preset = findPreset(name)
  if (preset?.kind === 'BUILD')
    return presetVersion(preset.build, name, version) === null ? oneOf(name, preset.build.versions) : null
  if (preset?.kind === 'ENGINE') return engineVersionProblem(preset.engine, version)
  const own = version.startsWith(`${name}_`) ? version.slice(name.length + 1) : null
  if (preset?.kind === 'VERSIONED')
    return own !== null && preset.versions.includes(own) ? null : oneOf(name, preset.versions)
  return own !== null && /^[A-Z0-9_]+$/.test(own) ? null : `must be ${name}_<VERSION>, such as ${name}_22`
}

const oneOf = (name: string, versions: readonly string[]) =>
  `must be one of ${versions.map((version) => `${name}_${version}`).join(', ')}`

/**
 * The version without the preset's name: `EXPRESS_NODE_JS_20` and `EXPRESS_20` are `NODE_JS_20`. The default if none is
 * named; null for an unknown version.
 */
export function presetVersion(preset: BuildPreset, name: string, version: string | null): string | null {
  if (version === null) return preset.defaultVersion
  const given = version.startsWith(`${name}_`) ? version.slice(name.length + 1) : version
  return preset.versions.find((known) => known === given || known === `NODE_JS_${given}`) ?? null
}

/** The presets that write a Dockerfile, by name. */
export const buildPresets = (): ReadonlyMap<string, BuildPreset> =>
  new Map(
    appTypes()
      .flatMap((type): readonly Preset[] => type.presets)
      .flatMap((preset) => (preset.kind === 'BUILD' ? [[preset.name, preset.build] as const] : [])),
  )

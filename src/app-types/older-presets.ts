import type { BuildPreset } from './presets/preset.ts'
import { buildPresets } from './presets.ts'

/** A preset and its version, as §2.1 names them today. */
export interface NamedPreset {
  preset: string
  version: string
}

const NODE = 'NODE_JS_'
/** Any text comes here, before it is validated. */
const MAX_NAME_LENGTH = 100

/**
 * What an older name means that said preset and version in one, such as NODE_JS_18_EXPRESS and METEOR_JS_3_0_3, in
 * either order. Null for any other name. A version that is not supported any more stays as it is, to be refused by those
 * that are.
 */
export function olderPreset(name: string): NamedPreset | null {
  if (name.length > MAX_NAME_LENGTH || buildPresets().has(name)) return null
  return versionFirst(name) ?? versionLast(name)
}

/** `NODE_JS_18_EXPRESS`; and `NODE_JS_18_INSTALL_START`, whose own name begins with NODE_JS too. */
function versionFirst(name: string): NamedPreset | null {
  const [, version, rest = ''] = /^(NODE_JS_\d+)_(.+)$/.exec(name) ?? []
  const preset = [rest, NODE + rest].find((one) => buildPresets().has(one))
  return preset && version ? { preset, version: `${preset}_${version}` } : null
}

/** `METEOR_JS_3_0_3`, `EXPRESS_NODE_JS_18` and `EXPRESS_18`. */
function versionLast(name: string): NamedPreset | null {
  const [, preset = '', version = ''] = /^(.+?)_((?:NODE_JS_)?\d+(?:_\d+)*)$/.exec(name) ?? []
  const build = buildPresets().get(preset)
  return build ? { preset, version: `${preset}_${releaseOf(version, build) ?? version}` } : null
}

/** The version that builds a release: that of its minor release or, where the preset can, of the next newer one. */
function releaseOf(version: string, { versions, buildsEarlierReleases }: BuildPreset): string | null {
  const [major, minor = 0] = version.split('_').map(Number)
  const newer = versions.filter((known) => {
    const [knownMajor, knownMinor = 0] = known.split('_').map(Number)
    return knownMajor === major && (knownMinor === minor || (buildsEarlierReleases && knownMinor > minor))
  })
  return newer[0] ?? null
}

/** The same for the two fields of an app, whichever of them has such a name. */
export function withTodaysPreset(sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { dockerPreset, dockerPresetVersion } = sent
  const named = typeof dockerPreset === 'string' ? olderPreset(dockerPreset) : null
  const preset = named?.preset ?? dockerPreset
  const versioned = typeof dockerPresetVersion === 'string' ? olderPreset(dockerPresetVersion) : null
  const version = versioned?.preset === preset ? versioned?.version : (dockerPresetVersion ?? named?.version)
  return {
    ...sent,
    ...(preset === undefined ? {} : { dockerPreset: preset }),
    ...(version === undefined ? {} : { dockerPresetVersion: version }),
  }
}

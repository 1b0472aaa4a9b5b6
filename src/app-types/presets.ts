import type { AppTypeName } from './app-type.ts'

interface Preset {
  name: string
  type: AppTypeName
}

const of = (type: AppTypeName, names: string[]): Preset[] => names.map((name) => ({ name, type }))

/** §2.1's presets, and the legacy names that answers have shown (§2.2, §2.3) and clients therefore send. */
const PRESETS: Preset[] = [
  ...of('APP', ['CUSTOM', 'NEXT_JS', 'REMIX', 'VITE', 'VUE_JS', 'EXPRESS', 'NODE_JS_INSTALL_START']),
  ...of('APP', ['NODE_JS_INSTALL_BUILD_START', 'ANGULAR', 'METEOR_JS', 'NODE', 'METEOR', 'PYTHON']),
  ...of('FUNCTION', ['FUNCTION']),
  ...of('JOB', ['JOB']),
  ...of('SERVICE', ['MONGODB', 'POSTGRESQL', 'MYSQL', 'REDIS', 'COUCHDB', 'RABBITMQ', 'CLICKHOUSE']),
]

export const PRESET_NAMES = PRESETS.map((preset) => preset.name) as [string, ...string[]]

const byName = new Map(PRESETS.map((preset) => [preset.name, preset]))

export const presetType = (name: string): AppTypeName | undefined => byName.get(name)?.type

/** `<PRESET>_<VERSION>`, such as EXPRESS_NODE_JS_20 (§2.1). */
export const isVersionOf = (preset: string, version: string): boolean =>
  version.startsWith(`${preset}_`) && /^[A-Z0-9_]+$/.test(version.slice(preset.length + 1))

import type { Engine, EngineCredentials, EngineFacts, EngineSetting, EngineVersion } from './engine.ts'
import { ENGINES } from './list.ts'

export const findEngine = (preset: string): Engine | null => ENGINES.find(({ name }) => name === preset) ?? null

/** `<PRESET>_<VERSION>`, as clients name it. */
export const versionName = (engine: Engine, { version }: EngineVersion): string => `${engine.name}_${version}`

/** The version with this full name; the default one if none is named; null for one that the engine does not have. */
export function engineVersion(engine: Engine, name: string | null): EngineVersion | null {
  const wanted = name ?? `${engine.name}_${engine.defaultVersion}`
  return engine.versions.find((version) => versionName(engine, version) === wanted) ?? null
}

/** The engine whose name the full name of a version begins with, also if it has no such version any more. */
export const engineOfVersion = (name: string | null): Engine | null =>
  ENGINES.find((engine) => name?.startsWith(`${engine.name}_`)) ?? null

/** Why the engine does not have this version; null if it has. */
export const engineVersionProblem = (engine: Engine, name: string): string | null =>
  engineVersion(engine, name)
    ? null
    : `must be one of ${engine.versions.map((version) => versionName(engine, version)).join(', ')}`

/** All ports of an engine on the account's network; that of its connection URLs first. */
export const portsOf = ({ port, protocol, otherPorts }: Engine): { port: number; about: string }[] => [
  { port, about: `Connections by ${protocol}.` },
  ...otherPorts,
]

export type SettingValue = number | boolean | string

export const settingDefaults = ({ settings }: Engine): Record<string, SettingValue> =>
  Object.fromEntries(settings.map((setting) => [setting.name, setting.default]))

const written = (setting: EngineSetting, value: SettingValue): string =>
  `${value}${'unit' in setting ? (setting.unit ?? '') : ''}`

/** What the engine's container is made from: every setting has a value, the default where none is configured. */
export function engineFacts(
  engine: Engine,
  version: EngineVersion,
  credentials: EngineCredentials,
  configured: Readonly<Record<string, SettingValue>>,
): EngineFacts {
  const settings = engine.settings.map((setting) => {
    return [setting.name, written(setting, configured[setting.name] ?? setting.default)] as const
  })
  return { version, credentials, dataPath: version.dataPath ?? engine.dataPath, settings: Object.fromEntries(settings) }
}

/** The settings in the configuration that a version was recorded with. */
export const recordedSettings = (
  typeConfig: Readonly<Record<string, Readonly<Record<string, unknown>>>> | null,
): Readonly<Record<string, SettingValue>> => (typeConfig?.databaseSettings ?? {}) as Record<string, SettingValue>

import { invalidField } from '../domain/errors.ts'
import type { AppType } from './app-type.ts'
import { appTypes } from './app-types.ts'
import { namesOf, presetNamesOf } from './type-names.ts'

/**
 * The names that clients know: `app`, `db`, `isDatabase`, `function`, `job`, GraphQL's names, and every preset. Each
 * type declares its own names; only this file maps names to types, and types to what an API shows.
 */
let types: Map<string, AppType> | undefined

/** The type for one of its names or presets. Throws for an unknown name. */
export function typeNamed(name: string): AppType {
  types ??= new Map(appTypes().flatMap((type) => namesOf(type).map((one) => [one, type] as const)))
  const type = types.get(name)
  if (!type) throw new Error(`No app type has the name ${name}`)
  return type
}

/**
 * The type as `appType` calls it today: older clients send an older name in `appType`, or a flag of that name
 * (`isDatabase`, `Database`, `DB`: true). A flag that is false names no type. Throws for a flag that contradicts.
 */
export function withTodaysType(sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const rest = { ...sent }
  let appType = todaysName(sent.appType)
  for (const { wireName, flags = [] } of appTypes())
    for (const flag of flags) {
      const value = sent[flag]
      if (value === undefined) continue
      delete rest[flag]
      if (typeof value !== 'boolean') throw invalidField(flag, 'must be true or false')
      if (!value) continue
      if (appType !== undefined && appType !== wireName)
        throw invalidField(flag, `means appType ${wireName}, and appType is ${String(appType)}: send one of the two`)
      appType = wireName
    }
  return appType === undefined ? rest : { ...rest, appType }
}

const todaysName = (sent: unknown): unknown =>
  appTypes().find(({ name, aliases }) => typeof sent === 'string' && [name, ...aliases].includes(sent))?.wireName ??
  sent

type Names = [string, ...string[]]

/** REST's values of `appType`. */
export const wireNames = (): Names => appTypes().map((type) => type.wireName) as Names

export const wireNameOf = (app: { type: string }): string => typeNamed(app.type).wireName

/** The values of `type` in log searches that belong to a type. */
export const logTypes = (): string[] => appTypes().map((type) => type.logType)

/** The type of finite commands. */
export function finiteType(): AppType {
  const type = appTypes().find(({ workload }) => workload.kind === 'ON_DEMAND')
  if (!type) throw new Error('No app type is a finite command')
  return type
}

/** The type of the lines that finite runs write, in whatever environment. */
export const runLogType = (): string => finiteType().logType

/** Presets of types that are available first. */
export const presetNames = (): Names => appTypes().flatMap(presetNamesOf) as Names

interface GraphQLNames {
  /** A value → its description. */
  AppType: Record<string, string>
  LogType: Record<string, string>
  /** `appType` of inputs, as REST calls the types. */
  HistoricalAppType: Record<string, string>
  DockerPreset: Record<string, string>
}

/** The values of GraphQL's enums that come from the list of types. */
export function graphqlNames(): GraphQLNames {
  const all = appTypes()
  const described = (nameOf: (type: AppType) => string) =>
    Object.fromEntries(all.map((type) => [nameOf(type), type.about]))
  return {
    AppType: described((type) => type.name),
    LogType: described((type) => type.logType),
    HistoricalAppType: described((type) => type.wireName),
    DockerPreset: Object.fromEntries(
      presetNames().map((name) => [name, `The preset ${name}, of the type ${typeNamed(name).name}.`]),
    ),
  }
}

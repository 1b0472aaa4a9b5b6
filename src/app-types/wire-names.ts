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

/** `appType` and `isDatabase` of older clients, as `appType` is called today. */
export function withTodaysType(sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { isDatabase, ...others } = sent
  const named = others.appType ?? (isDatabase === true ? 'isDatabase' : undefined)
  const known = appTypes().find((type) => typeof named === 'string' && [type.name, ...type.aliases].includes(named))
  return {
    ...others,
    // Anything but true or false stays, to be refused.
    ...(isDatabase === undefined || typeof isDatabase === 'boolean' ? {} : { isDatabase }),
    ...(named === undefined ? {} : { appType: known?.wireName ?? named }),
  }
}

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

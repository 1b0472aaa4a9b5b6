import type { AnyAppType } from './app-type.ts'
import { appTypes, availableAppTypes } from './app-types.ts'
import { namesOf, presetNamesOf } from './type-names.ts'

/**
 * The names that clients know: `app`, `db`, `isDatabase`, `function`, `job`, GraphQL's names, and every preset. Each
 * type declares its own names; only this file maps names to types, and types to what an API shows.
 */
let types: Map<string, AnyAppType> | undefined

/** The type for one of its names or presets. Throws for an unknown name. */
export function typeNamed(name: string): AnyAppType {
  types ??= new Map(appTypes().flatMap((type) => namesOf(type).map((one) => [one, type] as const)))
  const type = types.get(name)
  if (!type) throw new Error(`No app type has the name ${name}`)
  return type
}

type Names = [string, ...string[]]

/** REST's values of `appType`. */
export const wireNames = (): Names => appTypes().map((type) => type.wireName) as Names

export const wireNameOf = (app: { type: string }): string => typeNamed(app.type).wireName

/** The values of `type` in log searches that belong to a type. */
export const logTypes = (): string[] => appTypes().map((type) => type.logType)

/** Presets of types that are available first. */
export const presetNames = (): Names =>
  [...availableAppTypes(), ...appTypes().filter((type) => !type.isAvailable)].flatMap(presetNamesOf) as Names

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
  const described = (nameOf: (type: AnyAppType) => string) =>
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

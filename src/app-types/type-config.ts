import type { z } from 'zod'
import type { TypeConfig as Recorded } from '../domain/configuration.ts'
import { invalidInput } from '../domain/errors.ts'
import type { AppType, TypeConfig } from './app-type.ts'
import { appTypes, getAppType } from './app-types.ts'
import { engineOf } from './behaviours.ts'

/** The object field of its type configures an app, whatever the type: stored under the field's name, in one column. */
export type StoredTypeConfig = Exclude<Recorded, null>

interface Configured {
  name: string
  title: string
  config: TypeConfig
}

/** Newest type last; answers have always shown the fields in this order. */
const configured = (): Configured[] =>
  appTypes()
    .flatMap(({ name, title, config }) => (config ? [{ name, title, config }] : []))
    .reverse()

/** The fields for an input. The compiler does not know their names: `typeConfigIn` finds the one that was sent. */
export const typeConfigInputs = ({ isChangeOfApp = false } = {}): object =>
  shapeOf(
    configured().filter(({ config }) => config.isChangedWithApp || !isChangeOfApp),
    ({ schema }) => schema.optional(),
  )

const shapeOf = (all: readonly Configured[], schemaOf: (config: TypeConfig) => z.ZodType): z.ZodRawShape =>
  Object.fromEntries(all.map(({ config }) => [config.field, schemaOf(config)]))

/** An app of a type, as far as its configuration depends on it. */
interface ConfiguredApp {
  type: string
  dockerPreset: string
}

/**
 * What applies of a stored configuration: what was set, and the defaults of the rest. Null for a type that has none, and
 * for a managed service of which this Berth does not know the preset and nothing was set.
 */
export function effectiveConfig(
  app: ConfiguredApp,
  stored: unknown,
  presetVersion: string | null = null,
): StoredTypeConfig | null {
  const { config } = getAppType(app.type)
  if (!config) return null
  const set = (stored as StoredTypeConfig | null)?.[config.field] ?? {}
  const effective = config.effective(set, engineOf(app, presetVersion))
  return Object.keys(effective).length > 0 ? { [config.field]: effective } : null
}

export const typeConfigFields = (): TypeConfig[] => configured().map(({ config }) => config)

/** The configuration of an input, as it is stored; undefined when the input has none. */
export function typeConfigIn(input: object): StoredTypeConfig | undefined {
  const sent = Object.entries(input).filter(([field, value]) => isConfig(field) && value !== undefined)
  return sent.length > 0 ? Object.fromEntries(sent) : undefined
}

export const withoutTypeConfig = <Input extends object>(input: Input): Input =>
  Object.fromEntries(Object.entries(input).filter(([field]) => !isConfig(field))) as Input

/** Throws for configuration that is not changed with the app, and names the call that changes it. */
export function requireConfigOfApps(sent: Readonly<Record<string, unknown>>): void {
  const elsewhere = configured().filter(({ config }) => !config.isChangedWithApp && sent[config.field] !== undefined)
  if (elsewhere.length === 0) return
  throw invalidInput(
    elsewhere.map(({ config: { field } }) => ({
      field,
      message: 'is not changed with the app, but in each environment: PUT /app-env, or updateAppEnv',
    })),
  )
}

const isConfig = (name: string) => typeConfigFields().some(({ field }) => field === name)

/** The field of an input that configures another type of app. It is refused: it would be stored and never read. */
export function foreignTypeConfigs(type: Pick<AppType, 'name'>, input: object): { field: string; title: string }[] {
  const sent = typeConfigIn(input) ?? {}
  return configured()
    .filter(({ name, config }) => name !== type.name && config.field in sent)
    .map(({ title, config }) => ({ field: config.field, title }))
}

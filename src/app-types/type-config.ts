import type { z } from 'zod'
import type { TypeConfig as Recorded } from '../domain/configuration.ts'
import type { AppType, TypeConfig } from './app-type.ts'
import { appTypes } from './app-types.ts'

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

/** What is shown of a stored configuration: each field is null unless it is set. */
export const shownField = (stored: unknown, field: string): unknown =>
  (stored as StoredTypeConfig | null)?.[field] ?? null

export const typeConfigFields = (): TypeConfig[] => configured().map(({ config }) => config)

/** The configuration of an input, as it is stored; undefined when the input has none. */
export function typeConfigIn(input: object): StoredTypeConfig | undefined {
  const sent = Object.entries(input).filter(([field, value]) => isConfig(field) && value !== undefined)
  return sent.length > 0 ? Object.fromEntries(sent) : undefined
}

export const withoutTypeConfig = <Input extends object>(input: Input): Input =>
  Object.fromEntries(Object.entries(input).filter(([field]) => !isConfig(field))) as Input

const isConfig = (name: string) => typeConfigFields().some(({ field }) => field === name)

/** The field of an input that configures another type of app. It is refused: it would be stored and never read. */
export function foreignTypeConfigs(type: Pick<AppType, 'name'>, input: object): { field: string; title: string }[] {
  const sent = typeConfigIn(input) ?? {}
  return configured()
    .filter(({ name, config }) => name !== type.name && config.field in sent)
    .map(({ title, config }) => ({ field: config.field, title }))
}

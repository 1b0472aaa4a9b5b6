import { z } from 'zod'
import { usesTcp } from '../../app-types/behaviours.ts'
import { typeConfigFields as configured, effectiveConfig, type StoredTypeConfig } from '../../app-types/type-config.ts'
import { graphqlNames, wireNameOf, wireNames } from '../../app-types/wire-names.ts'
import { enumeration } from '../../calls/enumeration.ts'
import { fieldsOf, flag } from '../../calls/field.ts'
import type { App, AppEnv } from '../../storage/database/generated/prisma/client.ts'

/** Everything that depends on which app types there are, and on what they are called. */

const names = graphqlNames()

export const logType = enumeration('LogType', 'Kind of program or build that wrote a line.', {
  ...names.LogType,
  BUILD: 'A build of an app.',
})

export const appTypes = enumeration('AppType', 'Kind of program that an app is.', names.AppType)

/** Enums of GraphQL that come from the list of types. */
export const appTypeEnumerations = [
  appTypes,
  enumeration('HistoricalAppType', 'Historical way to choose the type of an app.', names.HistoricalAppType),
  enumeration('DockerPreset', 'Preset that says how an app is built and run.', names.DockerPreset),
  ...configured().flatMap(({ enums = [] }) => enums.map(({ name, about, values }) => enumeration(name, about, values))),
]

const app = fieldsOf<App>()
type Typed = Pick<App, 'type'>

export const appType = app.from(
  { type: true },
  z.enum(wireNames()),
  'Kind of program that the app is.',
  (row: Typed) => wireNameOf(row),
  { inGraphQL: { name: 'type', type: 'AppType', column: 'type' } },
)

export const useTCP = app.from({ type: true }, flag, 'Whether clients reach the app by plain TCP.', (row: Typed) =>
  usesTcp(row),
)

type ConfiguredApp = Pick<App, 'type' | 'dockerPreset' | 'typeConfig'>
type ConfiguredAppEnv = Pick<AppEnv, 'typeConfig' | 'presetVersion'> & { app: ConfiguredApp }

const ofApp = { type: true, dockerPreset: true, typeConfig: true }

/** The object fields that configure an app by its type, with their defaults; null for those of other types. */
export const typeConfigFields: object = Object.fromEntries(
  configured().map(({ field, schema }) => [
    field,
    app.from(
      ofApp,
      schema.nullable(),
      schema.description ?? '',
      (row: ConfiguredApp) => (effectiveConfig(row, row.typeConfig)?.[field] ?? null) as never,
    ),
  ]),
)

const appEnv = fieldsOf<AppEnv>()

/** The same of an environment: its own, or else the app's. */
export const appEnvTypeConfigFields: object = Object.fromEntries(
  configured().map(({ field, schema }) => [
    field,
    appEnv.from(
      { typeConfig: true, presetVersion: true, app: { select: ofApp } },
      schema.nullable(),
      schema.description ?? '',
      ({ typeConfig, presetVersion, app }: ConfiguredAppEnv) =>
        (effectiveConfig(app, typeConfig ?? app.typeConfig, presetVersion)?.[field] ?? null) as never,
    ),
  ]),
)

const version = fieldsOf<{ typeConfig: StoredTypeConfig | null }>()

/** The same as a version recorded them, with their defaults. */
export const versionTypeConfigFields: object = Object.fromEntries(
  configured().map(({ field, schema }) => [
    field,
    version.from(
      {},
      schema.nullable(),
      schema.description ?? '',
      ({ typeConfig }: { typeConfig: StoredTypeConfig | null }) => (typeConfig?.[field] ?? null) as never,
    ),
  ]),
)

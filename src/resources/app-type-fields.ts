import { z } from 'zod'
import type { AppTypeName } from '../app-types/app-type.ts'
import { functionConfig } from '../app-types/function.ts'
import { jobConfig } from '../app-types/job.ts'
import { PRESET_NAMES, presetType } from '../app-types/presets.ts'
import type { App, AppEnv } from '../database/generated/prisma/client.ts'
import { enumeration } from './enumeration.ts'
import { fieldsOf } from './field.ts'

/** Everything that depends on which app types there are, and on what they are called. */

export const appTypeName = enumeration<AppTypeName>('AppType', 'Kind of program that an app is.', {
  APP: 'A long-running program behind hosts.',
  SERVICE: 'A database, cache or broker.',
  FUNCTION: 'A request-driven endpoint that can scale to zero.',
  JOB: 'A finite command.',
})

/** What REST calls the types; GraphQL uses their own names. */
const WIRE_NAMES = { APP: 'app', SERVICE: 'db', FUNCTION: 'function', JOB: 'job' } as const satisfies Record<
  AppTypeName,
  string
>

const wireNames = Object.values(WIRE_NAMES)

export const historicalAppType = enumeration(
  'HistoricalAppType',
  'Historical way to choose the type of an app.',
  Object.fromEntries(Object.entries(WIRE_NAMES).map(([type, wire]) => [wire, appTypeName.values[type as AppTypeName]])),
)

export const logType = enumeration('LogType', 'Kind of program or build that wrote a line.', {
  WEB_APP: appTypeName.values.APP,
  DATABASE: appTypeName.values.SERVICE,
  FUNCTION: appTypeName.values.FUNCTION,
  JOB: appTypeName.values.JOB,
  BUILD: 'A build of an app.',
})

export const dockerPreset = enumeration(
  'DockerPreset',
  'Preset that says how an app is built and run.',
  Object.fromEntries(PRESET_NAMES.map((name) => [name, `The preset ${name}, of the type ${presetType(name)}.`])),
)

export const concurrencyPolicy = enumeration('ConcurrencyPolicy', 'What happens to a job run beyond the limit.', {
  QUEUE: 'The run waits for another to end.',
  REJECT: 'The run is refused.',
  REPLACE: 'The run replaces a running one.',
})

const app = fieldsOf<App>()

export const appType = app.from(
  { type: true },
  z.enum(wireNames),
  'Kind of program that the app is.',
  ({ type }: Pick<App, 'type'>) => WIRE_NAMES[type],
  { inGraphQL: { name: 'type', type: 'AppType', column: 'type' } },
)

const config = fieldsOf<Pick<App | AppEnv, 'jobConfig' | 'functionConfig'>>()
const asJson = { inGraphQL: { type: 'JSON' } }

/** The object fields that configure an app by its type; an environment can have its own. */
export const typeConfigFields = {
  jobConfig: config.json('jobConfig', jobConfig.nullable(), 'Defaults of a Job app’s runs.', asJson),
  functionConfig: config.json(
    'functionConfig',
    functionConfig.nullable(),
    'Scaling and timeout of a Function app.',
    asJson,
  ),
}

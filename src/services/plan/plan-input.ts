import { z } from 'zod'
import { flag, name } from '../../calls/input.ts'
import { buildResources } from './build-resources.ts'

/** What plans and regions may hold, in calls and in the file alike. */

const code = (noun: string) =>
  z
    .string()
    .max(40)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters, digits and single hyphens')
    .describe(`Code of the ${noun}.`)

const count = (about: string, most: number) => z.int().min(1).max(most).describe(about)

/** A month has 44,640 minutes: as much as 22 builds at all times. */
const MAX_BUILD_MINUTES = 1_000_000

/** Whole numbers, so that sums are exact. */
const price = (of: string) =>
  z.int().min(0).max(1_000_000_000).describe(`Price of ${of}, in millionths of the currency.`)

export const planPrices = {
  zCloudHourPrice: price('one zCloud for an hour, of containers that serve'),
  jobZCloudHourPrice: price('one zCloud for an hour, of job runs'),
  buildMinutePrice: price('one minute of a build'),
  frozenGbMonthPrice: price('1024 MB of memory of frozen containers for 30 days'),
  volumeGbMonthPrice: price('1024 MB of disk of volumes for 30 days'),
  backupGbMonthPrice: price('1024 MB of backups for 30 days'),
}

export const planCode = code('plan')
export const regionCode = code('region')

export const planFields = {
  name: name('plan'),
  functionsIncluded: flag('Whether the plan includes functions.'),
  autoscalingIncluded: flag('Whether the plan includes autoscaling.'),
  maxApps: count('Maximum number of apps in an account.', 1_000_000),
  maxAppEnvs: count('Maximum number of environments of an app.', 100_000),
  maxContainers: count('Maximum number of containers of an environment.', 10_000),
  maxZClouds: count('Maximum number of zClouds for a container.', 1000),
  maxBuildMinutes: count(
    'Maximum number of minutes of builds of an account in a calendar month (UTC).',
    MAX_BUILD_MINUTES,
  ),
  buildResources: buildResources
    .nullable()
    .describe('Limits of a build where its app sets none. Null: the installation’s setting.'),
  maxBuildResources: buildResources
    .nullable()
    .describe('Maximum that an app may request for its builds. Null: the default of builds.'),
  logDays: count('Days for which the output of containers is kept.', 3650),
  metricDays: count('Days for which measurements are kept.', 3650),
  ...planPrices,
}

/** Free, with the installation's limits of a build, and with as many builds as there may be, unless set otherwise. */
export const planDefaults = {
  maxBuildMinutes: planFields.maxBuildMinutes.default(MAX_BUILD_MINUTES),
  buildResources: planFields.buildResources.default(null),
  maxBuildResources: planFields.maxBuildResources.default(null),
  zCloudHourPrice: planPrices.zCloudHourPrice.default(0),
  jobZCloudHourPrice: planPrices.jobZCloudHourPrice.default(0),
  buildMinutePrice: planPrices.buildMinutePrice.default(0),
  frozenGbMonthPrice: planPrices.frozenGbMonthPrice.default(0),
  volumeGbMonthPrice: planPrices.volumeGbMonthPrice.default(0),
  backupGbMonthPrice: planPrices.backupGbMonthPrice.default(0),
}

export const regionFields = {
  name: name('region'),
  functionsSupported: flag('Whether functions run in the region.'),
  sandboxAddonReady: flag('Whether the sandbox add-on of the region is ready.'),
  publicGatewayReady: flag('Whether the public gateway of the region is ready.'),
}

const domainName = /^(?=.{1,200}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/

export const regionDomain = z
  .string()
  .max(200)
  .regex(domainName, 'must be a domain name in lower case')
  .describe('Domain under which environments of the region get their automatic host.')

type Fields = Readonly<Record<string, z.ZodType>>

/** The same fields, each of which may be left out. */
export const optionally = <F extends Fields>(fields: F) =>
  Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, field.optional()])) as {
    [Name in keyof F]: z.ZodOptional<F[Name]>
  }

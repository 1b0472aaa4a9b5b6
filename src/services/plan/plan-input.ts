import { z } from 'zod'
import { flag, name } from '../kernel/input.ts'

/** What plans and regions may hold, in calls and in the file alike. */

const code = (noun: string) =>
  z
    .string()
    .max(40)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters, digits and single hyphens')
    .describe(`Code of the ${noun}.`)

const count = (about: string, most: number) => z.int().min(1).max(most).describe(about)

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
  logDays: count('Days for which the output of containers is kept.', 3650),
  metricDays: count('Days for which measurements are kept.', 3650),
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

import { fieldsOf, flag, text, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import type { Plan } from '../../storage/database/generated/prisma/client.ts'
import { buildResourcesOfPlan } from './build-resources-fields.ts'

const field = fieldsOf<Plan>()

const price = (of: string) => `Price of ${of}, in millionths of the currency.`

export const plan = resource({
  name: 'Plan',
  id: 'Plan',
  description: 'Limits of accounts. Calls beyond a limit are refused with an error that names it.',
  examples: {
    name: 'Standard',
    maxBuildResources: { cpu: 8, memoryMb: 4096, diskMb: null, timeoutSeconds: null },
  },
  fields: {
    plan: field.column('code', text, 'Code of the plan.', { inGraphQL: { name: 'code' } }),
    name: field.column('name', text, 'Name of the plan.'),
    isDefault: field.from(
      { code: true },
      flag,
      'Whether new accounts are put on the plan.',
      ({ code }: Pick<Plan, 'code'>, { config }) => code === config.BERTH_DEFAULT_PLAN,
    ),
    functionsIncluded: field.column('functionsIncluded', flag, 'Whether the plan includes functions.'),
    autoscalingIncluded: field.column('autoscalingIncluded', flag, 'Whether the plan includes autoscaling.'),
    maxApps: field.column('maxApps', whole, 'Maximum number of apps in an account.'),
    maxAppEnvs: field.column('maxAppEnvs', whole, 'Maximum number of environments of an app.'),
    maxContainers: field.column('maxContainers', whole, 'Maximum number of containers of an environment.'),
    maxZClouds: field.column('maxZClouds', whole, 'Maximum number of zClouds for a container.'),
    maxBuildMinutes: field.column(
      'maxBuildMinutes',
      whole,
      'Maximum number of minutes of builds of an account in a calendar month (UTC).',
    ),
    ...buildResourcesOfPlan,
    logDays: field.column('logDays', whole, 'Days for which the output of containers is kept.'),
    metricDays: field.column('metricDays', whole, 'Days for which measurements are kept.'),
    zCloudHourPrice: field.column('zCloudHourPrice', whole, price('one zCloud for an hour, of containers that serve')),
    jobZCloudHourPrice: field.column('jobZCloudHourPrice', whole, price('one zCloud for an hour, of job runs')),
    buildMinutePrice: field.column('buildMinutePrice', whole, price('one minute of a build')),
    frozenGbMonthPrice: field.column(
      'frozenGbMonthPrice',
      whole,
      price('1024 MB of memory of frozen containers for 30 days'),
    ),
    volumeGbMonthPrice: field.column('volumeGbMonthPrice', whole, price('1024 MB of disk of volumes for 30 days')),
    backupGbMonthPrice: field.column('backupGbMonthPrice', whole, price('1024 MB of backups for 30 days')),
  },
})

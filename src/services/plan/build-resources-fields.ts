import { z } from 'zod'
import { type Field, fieldsOf, whole } from '../../calls/field.ts'
import { resource } from '../../calls/resource.ts'
import {
  type BuildLimits,
  type BuildResources,
  buildLimitsFor,
  buildResourcesOf,
} from '../../domain/build-resources.ts'
import type { App, Plan } from '../../storage/database/generated/prisma/client.ts'

const WORDS = {
  cpu: 'CPU of one build, in zCPU.',
  memoryMb: 'Memory of one build, in MB.',
  diskMb: 'Disk space that one build may write, in MB.',
  timeoutSeconds: 'Time in which one build must end, in seconds.',
}

const set = fieldsOf<BuildResources>()

const buildResources = resource({
  name: 'BuildResources',
  description: 'Configured limit of one build. Null: the default.',
  fields: {
    cpu: set.column('cpu', z.number().nullable(), WORDS.cpu),
    memoryMb: set.column('memoryMb', whole.nullable(), WORDS.memoryMb),
    diskMb: set.column('diskMb', whole.nullable(), WORDS.diskMb),
    timeoutSeconds: set.column('timeoutSeconds', whole.nullable(), WORDS.timeoutSeconds),
  },
})

const limits = fieldsOf<BuildLimits>()

const buildLimits = resource({
  name: 'BuildLimits',
  description: 'Limits of one build.',
  fields: {
    cpu: limits.column('cpu', z.number(), WORDS.cpu),
    memoryMb: limits.column('memoryMb', whole, WORDS.memoryMb),
    diskMb: limits.column('diskMb', whole, WORDS.diskMb),
    timeoutSeconds: limits.column('timeoutSeconds', whole, WORDS.timeoutSeconds),
  },
})

/** A column of an app or a plan that holds what was set. */
const asSet = <Column extends 'buildResources' | 'maxBuildResources'>(
  column: Column,
  description: string,
): Field<Record<Column, unknown>, typeof buildResources.answer.type> =>
  fieldsOf<Record<Column, unknown>>().from(
    { [column]: true },
    buildResources.answer.type,
    description,
    (row: Record<Column, unknown>) => buildResources.answer.record(buildResourcesOf(row[column])),
  )

export const buildResourcesOfApp = {
  buildResources: asSet(
    'buildResources',
    'Configured limits of builds of the app. Null: the default of the account’s plan, else the installation’s setting.',
  ),
  buildLimits: fieldsOf<App>().from(
    {
      buildResources: true,
      account: { select: { plan: { select: { buildResources: true, maxBuildResources: true } } } },
    },
    buildLimits.answer.type,
    'Limits of the next build of the app, from the app, the plan of its account or the installation.',
    (app: Pick<App, 'buildResources'> & { account: { plan: Plan } }, { config }) =>
      buildLimits.answer.record(buildLimitsFor(app, app.account.plan, config)),
  ),
}

export const buildResourcesOfPlan = {
  buildResources: asSet(
    'buildResources',
    'Limits of a build where its app sets none. Null: the installation’s setting.',
  ),
  maxBuildResources: asSet(
    'maxBuildResources',
    'Maximum that an app may request for its builds. Null: the default of builds.',
  ),
}

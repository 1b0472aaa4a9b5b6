import { shownField, typeConfigFields } from '../../app-types/type-config.ts'
import type { Volume } from '../../database/generated/prisma/client.ts'
import type { PendingChange as Change } from '../../domain/pending-changes.ts'
import { variableRecords } from '../../services/app-env/app-env-record.ts'
import { pendingChangesOf } from '../../services/configuration/configured.ts'
import type { LoadedAppEnv } from '../../services/targets/load-app-env.ts'
import { builder } from '../builder.ts'
import { AppEnv } from './app-env.ts'
import { ChangeKindEnum } from './enums.ts'
import { Variable } from './variable.ts'

const PendingChange = builder.objectRef<Change>('PendingChange').implement({
  description: 'A difference between what is configured and what runs.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ChangeKindEnum, description: 'What applying it takes.' }),
    field: t.exposeString('field', { description: 'What differs, such as `port` or `envVars.NAME`.' }),
    from: t.expose('from', { type: 'JSON', nullable: true, description: 'What runs.' }),
    to: t.expose('to', { type: 'JSON', nullable: true, description: 'What is configured.' }),
  }),
})

const MountedVolume = builder.objectRef<Volume>('MountedVolume').implement({
  description: 'Data that outlives the containers of an environment.',
  fields: (t) => ({
    volumeId: t.exposeID('id', { description: 'Id of the volume.' }),
    path: t.exposeString('path', { description: 'Folder it is seen at.' }),
    disk: t.exposeInt('diskMb', { description: 'Its size in MB.' }),
  }),
})

const PendingChanges = builder.objectRef<Change[]>('PendingChanges').implement({
  description: 'What is configured and does not run yet; `applyChanges` applies it.',
  fields: (t) => ({
    hasBuildChanges: t.boolean({
      description: 'Whether some need a build.',
      resolve: (changes) => changes.some(({ kind }) => kind === 'BUILD'),
    }),
    hasDeployChanges: t.boolean({
      description: 'Whether some need new containers.',
      resolve: (changes) => changes.some(({ kind }) => kind === 'DEPLOY'),
    }),
    hasScaleChanges: t.boolean({
      description: 'Whether some only scale.',
      resolve: (changes) => changes.some(({ kind }) => kind === 'SCALE'),
    }),
    changes: t.field({ type: [PendingChange], description: 'Each of them.', resolve: (changes) => changes }),
  }),
})

/** All that the comparison reads, so that any number of environments is compared after one load. */
const comparedColumns = {
  pendingImage: true,
  containers: true,
  replicasDesired: true,
  zClouds: true,
  cpu: true,
  memoryMb: true,
  volume: true,
  healthCheck: true,
  gitBranch: true,
  startupConfig: true,
  typeConfig: true,
  app: true,
  account: true,
  currentContent: true,
  variables: { orderBy: { name: 'asc' } },
} as const

builder.prismaObjectFields(AppEnv, (t) => ({
  startupConfig: t.expose('startupConfig', {
    type: 'JSON',
    nullable: true,
    description: 'Startup command override.',
  }),
  ...Object.fromEntries(
    typeConfigFields().map(({ field, schema }) => [
      field,
      t.field({
        type: 'JSON',
        nullable: true,
        description: schema.description ?? '',
        select: { typeConfig: true },
        resolve: ({ typeConfig }) => shownField(typeConfig, field),
      }),
    ]),
  ),
  healthCheck: t.expose('healthCheck', {
    type: 'JSON',
    nullable: true,
    description: 'What of the health check is its own, and its probes.',
  }),
  autoScaling: t.expose('autoScaling', {
    type: 'JSON',
    nullable: true,
    description: 'How its containers follow the load.',
  }),
  volume: t.field({
    type: MountedVolume,
    nullable: true,
    description: 'Its volume.',
    select: { volume: true },
    resolve: ({ volume }) => volume,
  }),
  pendingChanges: t.field({
    type: PendingChanges,
    description: 'What is configured and does not run yet.',
    select: comparedColumns,
    resolve: (appEnv, _args, { vault }) => pendingChangesOf(appEnv as unknown as LoadedAppEnv, vault),
  }),
  variables: t.field({
    type: [Variable],
    description: 'Its environment variables.',
    args: {
      reveal: t.arg.boolean({ description: 'Show the values of secrets; for admins, and audited. Default: false.' }),
    },
    select: { account: true, variables: { orderBy: { name: 'asc' } } },
    async resolve({ id, account, variables }, { reveal }, { services, caller, vault, requestId }) {
      if (!reveal) return variableRecords(variables, vault, account, false)
      const { record } = await services.appEnvs.record(caller, { appEnvId: id }, { decrypt: true, requestId })
      return record.envVars
    },
  }),
}))

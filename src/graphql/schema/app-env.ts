import type { AppEnv as AppEnvRow } from '../../database/generated/prisma/client.ts'
import { appEnvResources } from '../../services/app-env/app-env-record.ts'
import { replicaCounts } from '../../services/app-env/replica-counts.ts'
import { builder } from '../builder.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { AppEnvStatusEnum, HealthEnum } from './enums.ts'
import { findableAsNode, Node } from './node.ts'

const Resources = builder.objectRef<ReturnType<typeof appEnvResources>>('Resources').implement({
  description: 'What an environment was given.',
  fields: (t) => ({
    containers: t.exposeInt('containers', { description: 'Number of containers.' }),
    zClouds: t.exposeFloat('zClouds', { description: 'Size of each, in zClouds.' }),
    cpu: t.exposeFloat('cpu', { description: 'CPU of each, in zCPU; 1 is one core.' }),
    memory: t.exposeInt('memory', { description: 'Memory of each, in MB.' }),
  }),
})

const Replicas = builder.objectRef<{ desired: number; running: number; ready: number }>('Replicas').implement({
  description: 'Containers, as they should be and as they are.',
  fields: (t) => ({
    desired: t.exposeInt('desired', { description: 'How many there should be.' }),
    running: t.exposeInt('running', { description: 'How many run.' }),
    ready: t.exposeInt('ready', { description: 'How many are ready for traffic.' }),
  }),
})

type RestartColumns = Pick<AppEnvRow, 'restartCount' | 'lastRestartAt' | 'lastRestartReason'>

const Restarts = builder.objectRef<RestartColumns>('Restarts').implement({
  description: 'Containers that were started anew.',
  fields: (t) => ({
    count: t.exposeInt('restartCount', { description: 'How many, since the environment was made.' }),
    lastAt: t.expose('lastRestartAt', { type: 'DateTime', nullable: true, description: 'When the last was.' }),
    lastReason: t.exposeString('lastRestartReason', { nullable: true, description: 'Why.' }),
  }),
})

export const AppEnv = builder.prismaObject('AppEnv', {
  description: 'A deployed instance of an app, such as production.',
  interfaces: [Node],
  select: { id: true, accountId: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id.' }),
    name: t.exposeString('name', { description: 'Its name.' }),
    slug: t.exposeString('slug', { description: 'Its part of host and CLI names.' }),
    cliEnvName: t.exposeString('cliEnvName', { description: 'What `envName` takes.' }),
    deploymentName: t.exposeString('deploymentName', { description: 'Its name on the platform.' }),
    gitBranch: t.exposeString('gitBranch', { nullable: true, description: 'Git branch that it is built from.' }),
    status: t.expose('status', { type: AppEnvStatusEnum, description: 'Where it stands.' }),
    health: t.expose('health', { type: HealthEnum, description: 'How what runs compares with what should run.' }),
    replicas: t.field({
      type: Replicas,
      description: 'Its containers, as they should be and as they were last seen.',
      select: {
        ...{ status: true, rolloutId: true, containers: true, app: { select: { type: true } } },
        ...{ replicasDesired: true, replicasRunning: true, replicasReady: true },
      },
      resolve: replicaCounts,
    }),
    restarts: t.field({
      type: Restarts,
      description: 'Containers that a probe found dead and that were started anew.',
      select: { restartCount: true, lastRestartAt: true, lastRestartReason: true },
      resolve: (appEnv) => appEnv,
    }),
    sleeping: t.boolean({
      description: 'Whether it is scaled to zero, until the next request wakes it.',
      resolve: () => false,
    }),
    observedAt: t.expose('observedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its containers were last looked at.',
    }),
    observedReason: t.exposeString('observedReason', {
      nullable: true,
      description: 'Why it is not healthy, if it is not.',
    }),
    resources: t.field({
      type: Resources,
      description: 'What it was given.',
      select: { containers: true, zClouds: true, cpu: true, memoryMb: true },
      resolve: (appEnv) => appEnvResources(appEnv),
    }),
    preventDestroy: t.exposeBoolean('preventDestroy', { description: 'Whether deleting it is refused.' }),
    allowUserCliToken: t.exposeBoolean('allowUserCliToken', {
      description: 'Whether user tokens act as its token in the CLI.',
    }),
    version: t.exposeInt('version', {
      description: 'Grows with every change; what `expectedVersion` is compared with.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
    region: t.relation('region', { description: 'Where it runs.' }),
    hosts: t.relation('hosts', { query: { orderBy: { id: 'asc' } }, description: 'Host names that lead to it.' }),
    app: t.relation('app', { description: 'The app that it is an instance of.' }),
    account: t.relation('account', { description: 'The account that owns it.' }),
  }),
})

findableAsNode('env', 'AppEnv', ({ services, caller }, id, queryOf) =>
  services.appEnvs.get(caller, { appEnvId: id }, queryOf()),
)

builder.queryFields((t) => ({
  appEnv: t.prismaField({
    type: AppEnv,
    nullable: true,
    description: 'One environment. One of the two arguments is required; `id` wins.',
    args: {
      id: t.arg.id({ description: 'Id of the environment.' }),
      envName: t.arg.string({ description: 'CLI name of the environment, `<account>-<app>-<env>`.' }),
    },
    resolve: (query, _root, { id, envName }, { services, caller }) =>
      services.appEnvs.get(caller, { appEnvId: id ?? undefined, envName: envName ?? undefined }, query),
  }),
  appEnvs: t.prismaConnection({
    type: AppEnv,
    cursor: 'id',
    defaultSize: ROOT_PAGE,
    extensions: { pageSize: ROOT_PAGE },
    description: 'The environments of an account or of one app, oldest first.',
    args: {
      accountId: t.arg.id({ description: 'Id of the account; your current one when omitted.' }),
      appId: t.arg.id({ description: 'Id of an app: only its environments.' }),
    },
    resolve: async (query, _root, filter, { services, caller }) => {
      const where = await services.appEnvs.scope(caller, filter)
      return services.database.appEnv.findMany({ ...query, where, orderBy: { id: 'asc' } })
    },
  }),
}))

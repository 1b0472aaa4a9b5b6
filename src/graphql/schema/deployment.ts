import { refuseRollback } from '../../domain/rollback.ts'
import { deploymentsScope, getDeployment } from '../../services/deployment/deployment-queries.ts'
import { builder } from '../builder.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { AppEnv } from './app-env.ts'
import { DeploymentStatusEnum, DeploymentTypeEnum } from './enums.ts'
import { findableAsNode, Node } from './node.ts'

const rollbackColumns = {
  deployedAt: true,
  imageDigest: true,
  appEnv: { select: { currentContentId: true } },
} as const

export const Deployment = builder.prismaObject('Content', {
  name: 'Deployment',
  description:
    'One numbered version of an environment, with the configuration it runs with. REST calls its id contentId.',
  interfaces: [Node],
  select: { id: true, accountId: true, appEnvId: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id.' }),
    version: t.exposeInt('version', { description: 'Its number: 1, 2, 3… in its environment.' }),
    type: t.expose('type', { type: DeploymentTypeEnum, description: 'Where its image comes from.' }),
    status: t.expose('status', { type: DeploymentStatusEnum, description: 'How far it has come.' }),
    isSuccess: t.boolean({
      description: 'Whether it was deployed.',
      select: { status: true },
      resolve: ({ status }) => status === 'DEPLOYED' || status === 'JOB_READY',
    }),
    isFailed: t.boolean({
      description: 'Whether it could not be deployed.',
      select: { status: true },
      resolve: ({ status }) => status === 'FAILED',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it was not deployed, as a code.' }),
    message: t.exposeString('message', { nullable: true, description: 'The same in words.' }),
    image: t.exposeString('image', { description: 'Its image, as it was asked for.' }),
    imageDigest: t.exposeString('imageDigest', {
      nullable: true,
      description: 'The very image, pinned when it was first pulled.',
    }),
    imageFromCache: t.exposeBoolean('imageFromCache', {
      description: 'Whether no registry answered and the engine’s own copy was taken.',
    }),
    gitBranch: t.exposeString('gitBranch', { nullable: true, description: 'Git branch it was built from.' }),
    gitCommitId: t.exposeString('gitCommitId', { nullable: true, description: 'Git commit it was built from.' }),
    fromContentId: t.exposeID('fromContentId', { nullable: true, description: 'The version that it repeats, if any.' }),
    requestedBy: t.exposeString('requestedBy', {
      nullable: true,
      description: 'Who asked for it: a user’s or a token’s id.',
    }),
    canRollback: t.boolean({
      description: 'Whether a rollback to it would be accepted.',
      select: rollbackColumns,
      resolve: (content) => refuseRollback(content, content.appEnv.currentContentId) === null,
    }),
    cannotRollbackReason: t.string({
      nullable: true,
      description: 'Why not, if it would not.',
      select: rollbackColumns,
      resolve: (content) => refuseRollback(content, content.appEnv.currentContentId)?.message,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was asked for.' }),
    deployedAt: t.expose('deployedAt', { type: 'DateTime', nullable: true, description: 'When it was deployed.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was deployed or given up.',
    }),
    appEnv: t.relation('appEnv', { description: 'The environment that it is a version of.' }),
  }),
})

builder.prismaObjectFields(AppEnv, (t) => ({
  currentVersion: t.int({
    nullable: true,
    description: 'Number of the version that serves.',
    select: { currentContent: { select: { version: true } } },
    resolve: ({ currentContent }) => currentContent?.version,
  }),
  currentDeployment: t.relation('currentContent', { nullable: true, description: 'The version that serves.' }),
  latestDeployment: t.field({
    type: Deployment,
    nullable: true,
    description: 'The newest version, whatever became of it.',
    select: (_args, _context, nested) => ({ contents: nested({ orderBy: { version: 'desc' }, take: 1 }) }),
    resolve: ({ contents }) => contents[0] ?? null,
  }),
  deployments: t.relatedConnection('contents', {
    cursor: 'id',
    query: { orderBy: { version: 'desc' } },
    description: 'Its versions, newest first.',
  }),
}))

findableAsNode('con', 'Deployment', ({ services, caller }, id, queryOf) =>
  getDeployment(services.database, caller, id, queryOf()),
)

builder.queryFields((t) => ({
  deployment: t.prismaField({
    type: Deployment,
    nullable: true,
    description: 'One version of an environment.',
    args: { id: t.arg.id({ required: true, description: 'Id of the version.' }) },
    resolve: (query, _root, { id }, { services, caller }) => getDeployment(services.database, caller, id, query),
  }),
  deployments: t.prismaConnection({
    type: Deployment,
    cursor: 'id',
    defaultSize: ROOT_PAGE,
    extensions: { pageSize: ROOT_PAGE },
    description: 'The versions of an environment, newest first. One of the first two arguments is required.',
    args: {
      appEnvId: t.arg.id({ description: 'Id of the environment.' }),
      envName: t.arg.string({ description: 'CLI name of the environment.' }),
      fromDate: t.arg({ type: 'DateTime', description: 'Asked for no earlier than this.' }),
      toDate: t.arg({ type: 'DateTime', description: 'Asked for no later than this.' }),
    },
    resolve: async (query, _root, { appEnvId, envName, ...range }, { services, caller }) => {
      const address = { appEnvId: appEnvId ?? undefined, envName: envName ?? undefined }
      const where = await deploymentsScope(services.database, caller, address, range)
      return services.database.content.findMany({ ...query, where, orderBy: { version: 'desc' } })
    },
  }),
}))

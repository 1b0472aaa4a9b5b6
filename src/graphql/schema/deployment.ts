import { appEnv } from '../../resources/app-env-status.ts'
import { deployment } from '../../resources/deployment.ts'
import { ORDER } from '../../resources/order.ts'
import { builder } from '../builder.ts'
import { relationOf, rowFields, wordsOf } from '../derive/resource-fields.ts'
import { relatedRows } from '../execution/text-page.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { addressArgs, addressOf } from './address.ts'
import { AppEnv } from './app-env.ts'
import { findableAsNode, Node } from './node.ts'

export const Deployment = builder.prismaObject('Content', {
  name: 'Deployment',
  description: `${deployment.description} REST calls its id contentId.`,
  interfaces: [Node],
  select: { id: true, accountId: true, appEnvId: true },
  fields: (t) => ({
    ...rowFields(t, deployment),
    appEnv: t.relation('appEnv', relationOf(deployment, 'appEnv')),
  }),
})

builder.prismaObjectFields(AppEnv, (t) => ({
  currentDeployment: t.relation('currentContent', { nullable: true, ...wordsOf(appEnv, 'currentDeployment') }),
  latestDeployment: t.field({
    type: Deployment,
    nullable: true,
    ...wordsOf(appEnv, 'latestDeployment'),
    select: (_args, _context, nested) => ({ contents: nested({ orderBy: ORDER.deployment, take: 1 }) }),
    resolve: ({ contents }) => contents[0] ?? null,
  }),
  deployments: t.relatedConnection(
    'contents',
    relatedRows('contents', relationOf(appEnv, 'deployments'), () => ({ orderBy: ORDER.deployment })),
  ),
}))

findableAsNode('con', 'Deployment', ({ services, caller }, id, queryOf) =>
  services.deployments.get(caller, id, queryOf()),
)

builder.queryFields((t) => ({
  deployment: t.prismaField({
    type: Deployment,
    nullable: true,
    description: 'A version of an environment, by its id.',
    args: { id: t.arg.id({ required: true, description: 'Id of the version.' }) },
    resolve: (query, _root, { id }, { services, caller }) => services.deployments.get(caller, id, query),
  }),
  deployments: t.prismaConnection({
    type: Deployment,
    cursor: 'id',
    defaultSize: ROOT_PAGE,
    extensions: { pageSize: ROOT_PAGE },
    description: 'The versions of an environment, newest first. One of the first two arguments is required.',
    args: {
      ...addressArgs(t.arg),
      fromDate: t.arg({ type: 'DateTime', description: 'Earliest time at which the items were requested.' }),
      toDate: t.arg({ type: 'DateTime', description: 'Latest time at which the items were requested.' }),
    },
    resolve: (query, _root, { appEnvId, envName, ...range }, { services, caller }) =>
      services.deployments.slice(caller, { ...addressOf({ appEnvId, envName }), ...range }, query),
  }),
}))

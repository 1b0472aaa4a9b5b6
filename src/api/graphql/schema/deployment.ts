import { ORDER } from '../../../calls/order.ts'
import { appEnv } from '../../../services/app-env/app-env-status-fields.ts'
import { deployment } from '../../../services/deployment/deployment-fields.ts'
import { versionConfiguration } from '../../../services/version/version-configuration-fields.ts'
import { getDeploymentConfiguration } from '../../../services/version/version-configuration-queries.ts'
import { builder } from '../builder.ts'
import { connectionTypeOf } from '../derive/connection-types.ts'
import { nullWhenHidden } from '../derive/edges.ts'
import { recordType, relationOf, rowFields, rowType, wordsOf } from '../derive/resource-fields.ts'
import { relatedRows } from '../execution/text-page.ts'
import { AppEnv } from './app-env.ts'
import { Node } from './node.ts'

export const Deployment = rowType(
  deployment,
  builder.prismaObject('Content', {
    name: 'Deployment',
    description: `${deployment.description} REST calls its id contentId.`,
    interfaces: [Node],
    select: { id: true, accountId: true, appEnvId: true },
    fields: (t) => ({
      ...rowFields(t, deployment),
      appEnv: t.relation('appEnv', relationOf(deployment, 'appEnv')),
      configuration: t.field({
        type: recordType(versionConfiguration) as never,
        nullable: true,
        ...relationOf(deployment, 'configuration'),
        resolve: ({ id }, _args, context) =>
          context.services.find(getDeploymentConfiguration, context, { contentId: id }).catch(nullWhenHidden) as never,
      }),
    }),
  }),
)

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
    connectionTypeOf(deployment, Deployment),
  ),
}))

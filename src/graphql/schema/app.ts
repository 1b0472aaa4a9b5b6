import { shownField, typeConfigFields } from '../../app-types/type-config.ts'
import { visibleBelow } from '../../services/app-env/visible-below.ts'
import { builder } from '../builder.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { AppTypeEnum, BuilderEnum, DockerPresetEnum } from './enums.ts'
import { findableAsNode, Node } from './node.ts'

export const App = builder.prismaObject('App', {
  description: 'A program that an account owns. Its environments are what runs.',
  interfaces: [Node],
  select: { id: true, accountId: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its id.' }),
    name: t.exposeString('name', { description: 'Its name.' }),
    slug: t.exposeString('slug', { description: 'Its part of host and CLI names.' }),
    type: t.expose('type', { type: AppTypeEnum, description: 'What kind of program it is.' }),
    dockerPreset: t.expose('dockerPreset', { type: DockerPresetEnum, description: 'How it is built and run.' }),
    dockerPresetVersion: t.exposeString('dockerPresetVersion', {
      nullable: true,
      description: 'Version of the preset.',
    }),
    builder: t.expose('builder', { type: BuilderEnum, description: 'What builds its source.' }),
    port: t.exposeInt('port', { nullable: true, description: 'Port that it listens on; null when nothing listens.' }),
    useImage: t.exposeBoolean('useImage', { description: 'Whether it runs a prebuilt image.' }),
    image: t.exposeString('image', { nullable: true, description: 'That image, as set on the app.' }),
    gitProvider: t.exposeString('gitProvider', { nullable: true, description: 'Git provider, such as GITHUB.' }),
    gitNamespace: t.exposeString('gitNamespace', { nullable: true, description: 'Git namespace.' }),
    gitRepo: t.exposeString('gitRepo', { nullable: true, description: 'Repository name.' }),
    gitInstallationId: t.exposeID('gitInstallationId', { nullable: true, description: 'Git installation id.' }),
    isCliDeployment: t.exposeBoolean('isCliDeployment', { description: 'Whether the CLI uploads its source.' }),
    contextDir: t.exposeString('contextDir', { description: 'Build context directory.' }),
    dockerfilePath: t.exposeString('dockerfilePath', { nullable: true, description: 'Path of its Dockerfile.' }),
    customDockerfileContentInUse: t.boolean({
      description: 'Whether an inline Dockerfile is used.',
      select: { customDockerfileContent: true },
      resolve: ({ customDockerfileContent }) => customDockerfileContent !== null,
    }),
    customDockerfileContent: t.exposeString('customDockerfileContent', {
      nullable: true,
      description: 'That Dockerfile.',
    }),
    buildArgs: t.exposeString('buildArgs', { nullable: true, description: 'Docker build arguments.' }),
    healthCheckPath: t.exposeString('healthCheckPath', {
      nullable: true,
      description: 'Path of the health check; null: a TCP connect.',
    }),
    healthCheckPort: t.exposeInt('healthCheckPort', {
      nullable: true,
      description: 'Port of the health check; null: the app’s port.',
    }),
    healthCheckHeaders: t.expose('healthCheckHeaders', {
      type: 'JSON',
      nullable: true,
      description: 'Headers of the health check request.',
    }),
    imagePullAccountSecretId: t.exposeID('imagePullAccountSecretId', {
      nullable: true,
      description: 'The credential that its image is pulled with.',
    }),
    buildPullAccountSecretId: t.exposeID('buildPullAccountSecretId', {
      nullable: true,
      description: 'The credential that base images are pulled with in builds.',
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
    version: t.exposeInt('version', {
      description: 'Grows with every change; what `expectedVersion` is compared with.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
    account: t.relation('account', { description: 'The account that owns it.' }),
    appEnvs: t.relatedConnection('appEnvs', {
      cursor: 'id',
      query: (_args, { caller }) => ({ where: visibleBelow(caller), orderBy: { id: 'asc' } }),
      description: 'Its environments, oldest first.',
    }),
  }),
})

findableAsNode('app', 'App', ({ services, caller }, id, queryOf) => services.apps.get(caller, id, queryOf()))

builder.queryFields((t) => ({
  app: t.prismaField({
    type: App,
    nullable: true,
    description: 'One app.',
    args: { id: t.arg.id({ required: true, description: 'Id of the app.' }) },
    resolve: (query, _root, { id }, { services, caller }) => services.apps.get(caller, id, query),
  }),
  apps: t.prismaConnection({
    type: App,
    cursor: 'id',
    defaultSize: ROOT_PAGE,
    extensions: { pageSize: ROOT_PAGE },
    description: 'The apps of an account, oldest first.',
    args: { accountId: t.arg.id({ description: 'Id of the account; your current one when omitted.' }) },
    resolve: async (query, _root, { accountId }, { services, caller }) => {
      const where = await services.apps.scope(caller, accountId)
      return services.database.app.findMany({ ...query, where, orderBy: { id: 'asc' } })
    },
  }),
}))

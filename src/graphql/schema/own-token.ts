import type { Services } from '../../services/services.ts'
import { builder } from '../builder.ts'
import { ScopeEnum, TokenKindEnum } from './enums.ts'

type Answer<Name extends 'ofUser' | 'ofAppEnv'> = Awaited<ReturnType<Services['tokens'][Name]>>

const UserToken = builder.objectRef<Answer<'ofUser'>>('UserToken').implement({
  description: 'The user behind a token, and what that token may do. Never its secret.',
  fields: (t) => ({
    tokenId: t.exposeID('tokenId', { description: 'Id of the token.' }),
    kind: t.expose('kind', { type: TokenKindEnum, description: 'What kind of token it is.' }),
    scopes: t.field({ type: [ScopeEnum], description: 'Its scopes.', resolve: ({ scopes }) => scopes as 'SVC_READ'[] }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When it stops working.' }),
    userId: t.exposeID('userId', { description: 'Id of the user.' }),
    username: t.exposeString('username', { description: 'Name to be called by.' }),
    email: t.exposeString('email', { description: 'E-mail address.' }),
    isInstallationAdmin: t.exposeBoolean('isInstallationAdmin', {
      description: 'Whether they administer the whole installation.',
    }),
    currentAccountId: t.exposeID('currentAccountId', {
      nullable: true,
      description: 'The account that lists are about when they name none.',
    }),
  }),
})

const AppEnvToken = builder.objectRef<Answer<'ofAppEnv'>>('AppEnvToken').implement({
  description: 'An environment as a client that is about to operate it wants to know it. Never a secret.',
  fields: (t) => ({
    tokenId: t.exposeID('tokenId', {
      nullable: true,
      description: 'Its newest token that still works; null when it has none.',
    }),
    appEnvId: t.exposeID('appEnvId', { description: 'Id of the environment.' }),
    cliEnvName: t.exposeString('cliEnvName', { description: 'What `envName` takes.' }),
    name: t.exposeString('name', { description: 'Name of the environment.' }),
    allowUserCliToken: t.exposeBoolean('allowUserCliToken', {
      description: 'Whether user tokens act as its token in the CLI.',
    }),
  }),
})

builder.queryFields((t) => ({
  userToken: t.field({
    type: UserToken,
    description: 'Who you are, as far as the token that you sent says.',
    resolve: (_root, _args, { services, caller }) => services.tokens.ofUser(caller),
  }),
  appEnvToken: t.field({
    type: AppEnvToken,
    nullable: true,
    description: 'An environment that you may operate, and its newest token. One of the two arguments is required.',
    args: {
      appEnvId: t.arg.id({ description: 'Id of the environment. Wins when envName is sent too.' }),
      envName: t.arg.string({ description: 'CLI name of the environment.' }),
    },
    resolve: (_root, { appEnvId, envName }, { services, caller }) =>
      services.tokens.ofAppEnv(caller, { appEnvId: appEnvId ?? undefined, envName: envName ?? undefined }),
  }),
}))

import { z } from 'zod'
import { appEnvTarget, id } from '../../services/kernel/input.ts'
import { listAnswer, listOf } from '../protocol/lists.ts'
import { paging } from '../protocol/query.ts'
import { read } from '../protocol/route.ts'

const time = (about: string) => z.iso.datetime().nullable().describe(about)
const text = (about: string) => z.string().nullable().describe(about)
const kind = z.enum(['USER', 'ENVIRONMENT', 'SCOPED']).describe('What kind of token it is.')
const scopes = z.array(z.string()).describe('Scopes of a SCOPED token.')

const record = {
  tokenId: z.string().describe('Token id.'),
  kind,
  name: z.string().describe('Its name.'),
  userId: text('User whose rights it carries.'),
  appEnvId: text('Environment that it operates.'),
  scopes,
  expiresAt: time('When it stops working.'),
  lastUsedAt: time('When it was last used, to the minute.'),
  revokedAt: time('When it was revoked.'),
  createdAt: z.iso.datetime().describe('When it was made.'),
}

const token = z.object(record).meta({ id: 'Token', description: 'A token, without its secret.' })

export const createdToken = z.object({
  ...record,
  token: z.string().describe('The secret. It is shown here and nowhere else.'),
})

export const getToken = read({
  name: 'getToken',
  about: 'A token, without its secret.',
  query: z.strictObject({ tokenId: id('token') }),
  answer: token,
  isSingle: true,
  run: ({ services, caller }, { tokenId }) => services.tokens.get(caller, tokenId),
})

export const listTokens = read({
  name: 'listTokens',
  about: 'Your tokens, those of another user (installation admin), or those of an environment (account admin).',
  query: z.strictObject({ userId: id('user').optional(), appEnvId: id('environment').optional(), ...paging }),
  answer: listAnswer('tokens', token),
  async run({ services, caller }, { userId, appEnvId, ...slice }) {
    return listOf('tokens', await services.tokens.list(caller, { userId, appEnvId }, slice), (row) => row)
  },
})

const hidden = z.null().describe('Always null: a secret is shown only when it is made.')

export const getUserToken = read({
  name: 'getUserToken',
  about: 'Who you are, as far as the token that you sent says.',
  query: z.strictObject({}),
  answer: z
    .object({
      token: hidden,
      tokenId: record.tokenId,
      kind,
      scopes,
      expiresAt: record.expiresAt,
      userId: z.string().describe('User id.'),
      username: z.string().describe('User name.'),
      email: z.string().describe('E-mail address.'),
      isInstallationAdmin: z.boolean().describe('Whether the whole installation is yours to manage.'),
      currentAccountId: text('Your currently selected account.'),
    })
    .meta({ id: 'UserToken', description: 'The user behind a token.' }),
  run: ({ services, caller }) => services.tokens.ofUser(caller),
})

export const getAppEnvToken = read({
  name: 'getAppEnvToken',
  about: 'The environment that a client is about to operate, and its newest token.',
  query: z.strictObject(appEnvTarget),
  answer: z
    .object({
      token: hidden,
      tokenId: text('The newest environment token that still works.'),
      appEnvId: z.string().describe('Environment id.'),
      cliEnvName: z.string().describe('CLI environment name.'),
      name: z.string().describe('Environment name.'),
      allowUserCliToken: z.boolean().describe('Whether user tokens act as its token in the CLI.'),
    })
    .meta({ id: 'AppEnvToken', description: 'An environment, as the CLI wants to know it.' }),
  run: ({ services, caller }, address) => services.tokens.ofAppEnv(caller, address),
})

import { z } from 'zod'
import { userOf } from '../../calls/caller.ts'
import { type CommandContext, command } from '../../calls/command.ts'
import { authorityOf, lockGiver, requireWithin } from '../../calls/giver.ts'
import { id } from '../../calls/input.ts'
import { userTokenAuthority } from '../../domain/delegation.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { SCOPES } from '../../domain/permissions.ts'
import { databaseTime } from '../../storage/database/time.ts'

const DAY_MS = 86_400_000

/** The rights are the user's own whenever they are used, narrowed by the scopes. */
const OF_ITS_USER = { roles: [], appEnvIds: new Set<string>() }

const asked = {
  clientId: id('client'),
  scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length).describe('Scopes that the client asked for.'),
}

/** What only the page of consent calls, for a person who has seen what the client asks for. */
export const approveAuthorization = command({
  name: 'approveAuthorization',
  about: 'Let an OAuth client act for you, within scopes.',
  input: z.strictObject({ ...asked, resource: z.string().max(2000).describe('What the client asked to reach.') }),
  permission: 'token:own',
  target: async () => ({ type: 'authorization' as const, id: null, accountId: null }),
  async execute(context, { clientId, scopes, resource }) {
    const { tx, config, auditDetails } = context
    const giver = await lockGiver(tx, context.caller)
    const userId = userOf(giver)
    const end = new Date((await databaseTime(tx)).getTime() + config.BERTH_OAUTH_AUTHORIZATION_DAYS * DAY_MS)
    const expiresAt = giver.expiresAt && giver.expiresAt < end ? giver.expiresAt : end
    requireWithin(authorityOf(giver, null), userTokenAuthority(OF_ITS_USER, new Set(scopes), expiresAt), 'token')
    const client = await tx.oauthClient.findUnique({ where: { id: clientId } })
    if (!client) throw notFound('OAuth client', clientId)
    await requireRoom(context, userId)
    const authorizationId = newId('oau')
    const data = { id: authorizationId, userId, clientId, parentId: giver.tokenId, scopes, resource, expiresAt }
    await tx.authorization.create({ data })
    auditDetails({ clientId, name: client.name, scopes, resource, expiresAt })
    return { authorizationId }
  },
})

export const refuseAuthorization = command({
  name: 'refuseAuthorization',
  about: 'Refuse an OAuth client what it asked for.',
  input: z.strictObject(asked),
  permission: 'token:own',
  target: async (_context, { clientId }) => ({ type: 'oauthClient' as const, id: clientId, accountId: null }),
  async execute({ auditDetails }, { scopes }) {
    auditDetails({ scopes })
    return {}
  },
})

async function requireRoom({ tx, config }: CommandContext, userId: string): Promise<void> {
  const open = { userId, revokedAt: null, expiresAt: { gt: await databaseTime(tx) } }
  const most = config.BERTH_OAUTH_AUTHORIZATIONS
  if ((await tx.authorization.count({ where: open })) < most) return
  const message = `You have authorised ${most} applications (BERTH_OAUTH_AUTHORIZATIONS): revoke some first`
  throw conflict('TOO_MANY_AUTHORIZATIONS', message)
}

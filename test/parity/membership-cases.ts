import { acceptInvitation } from '../../src/services/account/accept-invitation.ts'
import { createInvitation, revokeInvitation } from '../../src/services/account/invitation-commands.ts'
import { addMember, updateMember } from '../../src/services/account/member-commands.ts'
import { leaveAccount, transferAccount } from '../../src/services/account/own-membership-commands.ts'
import type { World } from '../support/world.ts'
import { parityCase } from './parity-case.ts'

const UNKNOWN_ACCOUNT = 'acc_01h455vb4pex5vsknk084sn02q'
const UNKNOWN_INVITATION = 'inv_01h455vb4pex5vsknk084sn02q'
const UNKNOWN_USER = 'usr_01h455vb4pex5vsknk084sn02q'
const email = 'ada@example.com'

const adminUserId = async (world: World) =>
  (await world.database.user.findFirstOrThrow({ where: { isInstallationAdmin: true } })).id

const invite = (world: World, fields: object = {}, options: { as?: string } = {}) =>
  world.perform(createInvitation, { accountId: world.accountId, email, roles: ['AUDIT'], ...fields }, options)

/** Somebody who is a member elsewhere only. */
const outsider = async (world: World) => world.user({ accountId: await world.account('Second') })

const invitationCases = [
  parityCase('createInvitation', 'accepted', async ({ accountId }) => ({
    command: createInvitation,
    input: { accountId, email, roles: ['TECHNICAL'] },
  })),
  parityCase('createInvitation for some environments', 'accepted', async (world) => ({
    command: createInvitation,
    input: {
      accountId: world.accountId,
      email,
      roles: ['TECHNICAL'],
      appEnvIds: [(await world.appEnv({ app: { name: 'Shop' } })).appEnvId],
    },
  })),
  parityCase('createInvitation for an unknown environment', 'INVALID_INPUT', async ({ accountId }) => ({
    command: createInvitation,
    input: { accountId, email, roles: ['TECHNICAL'], appEnvIds: ['env_01h455vb4pex5vsknk084sn02q'] },
  })),
  parityCase('createInvitation that lasts too long', 'INVALID_INPUT', async ({ accountId }) => ({
    command: createInvitation,
    input: { accountId, email, roles: ['TECHNICAL'], expiresAt: '2099-01-01T00:00:00Z' },
  })),
  parityCase('createInvitation with a role that one lacks', 'FORBIDDEN ROLE_BEYOND_OWN', async (world) => ({
    command: createInvitation,
    input: { accountId: world.accountId, email, roles: ['ADMIN'] },
    token: (await world.user({ roles: ['MANAGE_MEMBERS'] })).token,
  })),
  parityCase('createInvitation with a token that ends', 'FORBIDDEN LIFETIME_BEYOND_OWN', async (world) => ({
    command: createInvitation,
    input: { accountId: world.accountId, email, roles: ['AUDIT'] },
    token: (await world.token({ expiresAt: '2099-01-01T00:00:00.000Z' })).token,
  })),
  parityCase('createInvitation by TECHNICAL', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: createInvitation,
    input: { accountId: world.accountId, email, roles: ['TECHNICAL'] },
    token: (await world.user()).token,
  })),
  parityCase('createInvitation to an unknown account', 'NOT_FOUND', async () => ({
    command: createInvitation,
    input: { accountId: UNKNOWN_ACCOUNT, email, roles: ['TECHNICAL'] },
  })),
  parityCase('revokeInvitation', 'accepted', async (world) => ({
    command: revokeInvitation,
    input: { invitationId: (await invite(world)).invitationId },
  })),
  parityCase('revokeInvitation of an unknown one', 'NOT_FOUND', async () => ({
    command: revokeInvitation,
    input: { invitationId: UNKNOWN_INVITATION },
  })),
  parityCase('revokeInvitation of an ADMIN, by MANAGE_MEMBERS', 'FORBIDDEN ROLE_BEYOND_OWN', async (world) => ({
    command: revokeInvitation,
    input: { invitationId: (await invite(world, { roles: ['ADMIN'] })).invitationId },
    token: (await world.user({ roles: ['MANAGE_MEMBERS'] })).token,
  })),
  parityCase('revokeInvitation that was accepted', 'CONFLICT INVITATION_USED', async (world) => {
    const { invitationId, secret } = await invite(world)
    await world.perform(acceptInvitation, {}, { as: secret })
    return { command: revokeInvitation, input: { invitationId } }
  }),
]

const acceptCases = [
  parityCase('acceptInvitation by somebody new', 'accepted', async (world) => ({
    command: acceptInvitation,
    input: {},
    token: (await invite(world)).secret,
  })),
  parityCase('acceptInvitation by a user', 'accepted', async (world) => ({
    command: acceptInvitation,
    input: { secret: (await invite(world)).secret },
    token: (await outsider(world)).token,
  })),
  parityCase('acceptInvitation by a member', 'CONFLICT ALREADY_MEMBER', async (world) => ({
    command: acceptInvitation,
    input: { secret: (await invite(world)).secret },
    token: (await world.user()).token,
  })),
  parityCase('acceptInvitation twice', 'CONFLICT INVITATION_USED', async (world) => {
    const { secret } = await invite(world)
    await world.perform(acceptInvitation, {}, { as: secret })
    return { command: acceptInvitation, input: {}, token: secret }
  }),
  parityCase('acceptInvitation that was revoked', 'CONFLICT INVITATION_REVOKED', async (world) => {
    const { invitationId, secret } = await invite(world)
    await world.perform(revokeInvitation, { invitationId })
    return { command: acceptInvitation, input: {}, token: secret }
  }),
  parityCase('acceptInvitation that has expired', 'CONFLICT INVITATION_EXPIRED', async (world) => {
    const { secret } = await invite(world)
    await world.database.$executeRaw`UPDATE invitation SET expires_at = '2020-01-01'`
    return { command: acceptInvitation, input: {}, token: secret }
  }),
  parityCase('acceptInvitation whose maker may less now', 'CONFLICT INVITATION_REVOKED', async (world) => {
    const inviter = await world.user({ roles: ['AUDIT', 'MANAGE_MEMBERS'] })
    const { secret } = await invite(world, {}, { as: inviter.token })
    await world.perform(updateMember, {
      accountId: world.accountId,
      userId: inviter.userId,
      roles: ['MANAGE_MEMBERS'],
    })
    return { command: acceptInvitation, input: {}, token: secret }
  }),
  parityCase('acceptInvitation as somebody new with a known address', 'CONFLICT USER_EXISTS', async (world) => {
    const { secret } = await invite(world, { email: (await outsider(world)).email })
    return { command: acceptInvitation, input: {}, token: secret }
  }),
  parityCase('acceptInvitation by a user, without the secret', 'INVALID_INPUT', async (world) => ({
    command: acceptInvitation,
    input: {},
    token: (await outsider(world)).token,
  })),
  parityCase('acceptInvitation by a user, with a wrong secret', 'NOT_FOUND', async (world) => ({
    command: acceptInvitation,
    input: { secret: 'berth_i_nothing' },
    token: (await outsider(world)).token,
  })),
  parityCase('leaveAccount with the secret of an invitation', 'FORBIDDEN USER_TOKEN_REQUIRED', async (world) => ({
    command: leaveAccount,
    input: { accountId: world.accountId },
    token: (await invite(world)).secret,
  })),
  parityCase('addMember who came by an invitation elsewhere', 'CONFLICT INVITE_INSTEAD', async (world) => {
    const { secret } = await invite(world)
    await world.perform(acceptInvitation, {}, { as: secret })
    return { command: addMember, input: { accountId: await world.account('Second'), email, roles: ['AUDIT'] } }
  }),
]

const ownCases = [
  parityCase('leaveAccount', 'accepted', async (world) => ({
    command: leaveAccount,
    input: { accountId: world.accountId },
    token: (await world.user()).token,
  })),
  parityCase('leaveAccount as a restricted member', 'accepted', async (world) => ({
    command: leaveAccount,
    input: { accountId: world.accountId },
    token: (await world.user({ appEnvIds: [] })).token,
  })),
  parityCase('leaveAccount as the last ADMIN', 'CONFLICT LAST_ADMIN', async (world) => ({
    command: leaveAccount,
    input: { accountId: world.accountId },
  })),
  parityCase('leaveAccount of others', 'FORBIDDEN NOT_A_MEMBER', async (world) => ({
    command: leaveAccount,
    input: { accountId: world.accountId },
    token: (await outsider(world)).token,
  })),
  parityCase('leaveAccount that is unknown', 'NOT_FOUND', async () => ({
    command: leaveAccount,
    input: { accountId: UNKNOWN_ACCOUNT },
  })),
  parityCase('transferAccount', 'accepted', async (world) => ({
    command: transferAccount,
    input: { accountId: world.accountId, userId: (await world.user({ appEnvIds: [] })).userId },
  })),
  parityCase('transferAccount and keep a role', 'accepted', async (world) => ({
    command: transferAccount,
    input: { accountId: world.accountId, userId: (await world.user()).userId, roles: ['BILLING'] },
  })),
  parityCase('transferAccount to oneself', 'INVALID_INPUT', async (world) => ({
    command: transferAccount,
    input: { accountId: world.accountId, userId: await adminUserId(world) },
  })),
  parityCase('transferAccount and stay ADMIN', 'INVALID_INPUT', async (world) => ({
    command: transferAccount,
    input: { accountId: world.accountId, userId: (await world.user()).userId, roles: ['ADMIN'] },
  })),
  parityCase('transferAccount to somebody who is no member', 'NOT_FOUND', async (world) => ({
    command: transferAccount,
    input: { accountId: world.accountId, userId: UNKNOWN_USER },
  })),
  parityCase('transferAccount by TECHNICAL', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: transferAccount,
    input: { accountId: world.accountId, userId: await adminUserId(world) },
    token: (await world.user()).token,
  })),
  parityCase(
    'transferAccount by the installation’s admin, who is no ADMIN of it',
    'CONFLICT NOT_AN_ADMIN',
    async (world) => {
      const { userId } = await world.user({ roles: ['ADMIN'] })
      await world.perform(updateMember, {
        accountId: world.accountId,
        userId: await adminUserId(world),
        roles: ['AUDIT'],
      })
      return { command: transferAccount, input: { accountId: world.accountId, userId } }
    },
  ),
]

/** Invitations, leaving and transfer. */
export const membershipCases = [...invitationCases, ...acceptCases, ...ownCases]

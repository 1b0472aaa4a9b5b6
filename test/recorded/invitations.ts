import { type Fixture, UNKNOWN } from './fixture.ts'
import { mutation } from './fragments.ts'

const as = (authorization: string) => ({ as: 'none', headers: { authorization } })

/** Invitations, leaving, and transfer. */
export async function restInvitations({ rest, accountId, elsewhere }: Fixture): Promise<void> {
  const guest = { accountId, email: 'Guest@Example.com', roles: ['TECHNICAL'] }
  const { body } = await rest('invite somebody', 'POST /account/invitation', guest)
  await rest('invite somebody, dry', 'POST /account/invitation', guest, { query: { dryRun: 'true' } })
  await rest('invite somebody for ever', 'POST /account/invitation', { ...guest, expiresAt: '2099-01-01T00:00:00Z' })
  await rest('invite somebody without a role', 'POST /account/invitation', { ...guest, roles: [] })
  await rest('invite somebody as TECHNICAL', 'POST /account/invitation', guest, { as: 'technical' })
  const { invitationId } = body
  await rest('read the invitation', 'GET /account/invitation', { invitationId })
  await rest('read an unknown invitation', 'GET /account/invitation', { invitationId: `inv_${UNKNOWN}` })
  await rest('list the invitations', 'GET /account/invitations', { accountId })
  await rest('list the invitations as a stranger', 'GET /account/invitations', { accountId }, { as: 'stranger' })
  await rest('list apps with the secret', 'GET /apps', {}, as(body.secret))
  await rest(
    'accept it as somebody new, dry',
    'POST /account/invitation/accept',
    {},
    {
      ...as(body.secret),
      query: { dryRun: 'true' },
    },
  )
  const accepted = await rest('accept it as somebody new', 'POST /account/invitation/accept', {}, as(body.secret))
  await rest('accept it again', 'POST /account/invitation/accept', {}, as(body.secret))
  await rest('revoke it then', 'DELETE /account/invitation', { invitationId })
  const friend = (await rest('invite a user', 'POST /account/invitation', { ...guest, email: 'friend@example.com' }))
    .body
  await rest('accept without the secret', 'POST /account/invitation/accept', {}, { as: 'stranger' })
  const secret = { secret: friend.secret }
  await rest('accept with a token of one’s own', 'POST /account/invitation/accept', secret, { as: 'stranger' })
  const last = (await rest('invite another', 'POST /account/invitation', { ...guest, email: 'last@example.com' })).body
  await rest('revoke the invitation', 'DELETE /account/invitation', { invitationId: last.invitationId })
  await rest('accept what was revoked', 'POST /account/invitation/accept', {}, as(last.secret))
  await rest('leave the account as its last admin', 'POST /account/leave', { accountId })
  await rest('leave an account of others', 'POST /account/leave', { accountId: elsewhere }, { as: 'technical' })
  const { userId } = accepted.body
  await rest('transfer the account as TECHNICAL', 'POST /account/transfer', { accountId, userId }, { as: 'technical' })
  await rest('transfer the account', 'POST /account/transfer', { accountId, userId })
  await rest('transfer it once more', 'POST /account/transfer', { accountId, userId })
  await rest('leave the account', 'POST /account/leave', { accountId })
}

export async function graphqlInvitations({ graphql, accountId }: Fixture): Promise<void> {
  const invite = mutation('createInvitation', 'invitation { id email roles appEnvIds status } invitationUrl secret')
  const guest = { accountId, email: 'Guest@Example.com', roles: ['TECHNICAL'], appEnvIds: [] }
  const { body } = await graphql('invite somebody', invite, { input: guest })
  const { secret, invitation } = body.data.createInvitation
  await graphql('invite somebody, dry', invite, { input: { ...guest, dryRun: true } })
  await graphql('invite somebody as TECHNICAL', invite, { input: guest }, { as: 'technical' })
  const one = 'query ($id: ID!) { invitation(id: $id) { id status userId expiresAt } node(id: $id) { __typename id } }'
  await graphql('read the invitation', one, { id: invitation.id })
  await graphql('read an unknown invitation', one, { id: `inv_${UNKNOWN}` })
  const page = `query ($id: ID!) { invitations(accountId: $id) { nodes { email status } pageInfo { ...Page } } }`
  await graphql('list the invitations', page, { id: accountId })
  await graphql('list the invitations as a stranger', page, { id: accountId }, { as: 'stranger' })
  const accept = mutation('acceptInvitation', 'accountId userId email roles appEnvIds secret')
  await graphql('accept it, dry', accept, { input: { dryRun: true } }, as(secret))
  const accepted = await graphql('accept it as somebody new', accept, { input: {} }, as(secret))
  await graphql('accept it with a token of one’s own', accept, { input: { secret } }, { as: 'stranger' })
  const revoke = mutation('revokeInvitation', 'message')
  await graphql('revoke it then', revoke, { input: { invitationId: invitation.id } })
  const last = (await graphql('invite another', invite, { input: { ...guest, email: 'last@example.com' } })).body.data
  await graphql('revoke the invitation', revoke, { input: { invitationId: last.createInvitation.invitation.id } })
  const { userId } = accepted.body.data.acceptInvitation
  const transfer = mutation('transferAccount', 'message userId roles kept')
  await graphql('transfer the account', transfer, { input: { accountId, userId, roles: ['BILLING'] } })
  const leave = mutation('leaveAccount', 'message')
  await graphql('leave the account', leave, { input: { accountId } })
  await graphql('leave it again', leave, { input: { accountId } }, { as: 'nobody' })
}

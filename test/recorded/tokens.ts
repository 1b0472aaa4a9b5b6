import { type Fixture, UNKNOWN } from './fixture.ts'
import { mutation } from './fragments.ts'

const as = (authorization: string) => ({ as: 'none', headers: { authorization } })

/** Rotated tokens, and applications that users have authorised. */
export async function restTokens({ rest, authorise }: Fixture): Promise<void> {
  const laptop = (await rest('create a token', 'POST /token', { kind: 'USER', name: 'Laptop' })).body
  const { tokenId } = laptop
  await rest('rotate the token, dry', 'POST /token/rotate', { tokenId }, { query: { dryRun: 'true' } })
  await rest('rotate the token', 'POST /token/rotate', { tokenId, graceSeconds: 600 })
  await rest('rotate it by its former secret', 'POST /token/rotate', {}, as(laptop.token))
  await rest('rotate a token of others', 'POST /token/rotate', { tokenId }, { as: 'stranger' })
  await rest('rotate an unknown token', 'POST /token/rotate', { tokenId: `tok_${UNKNOWN}` })
  await rest('rotate for too long', 'POST /token/rotate', { tokenId, graceSeconds: 1_000_000 })
  await rest('rotate the admin’s own token', 'POST /token/rotate', {})
  const authorizationId = await authorise()
  await rest('read an authorization', 'GET /user/authorization', { authorizationId })
  await rest('read one of others', 'GET /user/authorization', { authorizationId }, { as: 'stranger' })
  await rest('read an unknown one', 'GET /user/authorization', { authorizationId: `oau_${UNKNOWN}` })
  await rest('list the authorizations', 'GET /user/authorizations')
  await rest('list those of another user', 'GET /user/authorizations', { userId: `usr_${UNKNOWN}` }, { as: 'reader' })
  await rest('revoke one of others', 'DELETE /user/authorization', { authorizationId }, { as: 'stranger' })
  await rest('revoke an authorization', 'DELETE /user/authorization', { authorizationId })
  await rest('read what was revoked', 'GET /user/authorization', { authorizationId })
}

export async function graphqlTokens({ graphql, authorise }: Fixture): Promise<void> {
  const create = mutation('createToken', 'secret token { ...Token }')
  const made = await graphql('create a token', create, { input: { kind: 'USER', name: 'Laptop' } })
  const { id: tokenId } = made.body.data.createToken.token
  const rotate = mutation('rotateToken', 'secret previousUntil token { ...Token }')
  await graphql('rotate the token, dry', rotate, { input: { tokenId, dryRun: true } })
  await graphql('rotate the token', rotate, { input: { tokenId, graceSeconds: 600 } })
  await graphql('rotate a token of others', rotate, { input: { tokenId } }, { as: 'stranger' })
  await graphql('rotate an unknown token', rotate, { input: { tokenId: `tok_${UNKNOWN}` } })
  const id = await authorise()
  const one = 'query ($id: ID!) { authorization(id: $id) { ...Authorization } }'
  await graphql('read an authorization', one, { id })
  await graphql('read one of others', one, { id }, { as: 'stranger' })
  await graphql('read an unknown one', one, { id: `oau_${UNKNOWN}` })
  await graphql('read it as a node', 'query ($id: ID!) { node(id: $id) { id ... on Authorization { status } } }', {
    id,
  })
  const page = `query ($first: Int, $userId: ID) {
    authorizations(first: $first, userId: $userId) { nodes { ...Authorization } edges { cursor } pageInfo { ...Page } } }`
  await graphql('list the authorizations', page, { first: 1 })
  await graphql('list those of another user', page, { userId: `usr_${UNKNOWN}` }, { as: 'reader' })
  const revoke = mutation('revokeAuthorization', 'message')
  await graphql('revoke one of others', revoke, { input: { authorizationId: id } }, { as: 'stranger' })
  await graphql('revoke an authorization', revoke, { input: { authorizationId: id } })
  await graphql('revoke an unknown one', revoke, { input: { authorizationId: `oau_${UNKNOWN}` } })
}

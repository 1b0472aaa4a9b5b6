import type { Fixture } from './fixture.ts'
import { UNKNOWN } from './fixture.ts'
import { entriesOf, mutation } from './fragments.ts'

/** Accounts and their members. */
export async function graphqlAccounts(fixture: Fixture): Promise<void> {
  await useAccounts(fixture)
  await useMembers(fixture)
}

/** Credentials and tokens, and their audit log. */
export async function graphqlSecrets(fixture: Fixture): Promise<void> {
  await useCredentials(fixture)
  await useTokens(fixture)
  await readAudit(fixture)
}

async function useAccounts({ graphql, accountId, elsewhere, app }: Fixture): Promise<void> {
  const create = mutation('createAccount', 'account { ...Account }')
  const second = (await graphql('create an account', create, { input: { name: 'Second' } })).body.data.createAccount
    .account.id
  await graphql('create an account as TECHNICAL', create, { input: { name: 'Third' } }, { as: 'technical' })
  await graphql('create an account of a bad name', create, { input: { name: '…' } })
  await app()
  const small = { plan: 'small', name: 'Small', functionsIncluded: true, autoscalingIncluded: false }
  const limits = { maxApps: 5, maxAppEnvs: 3, maxContainers: 2, maxZClouds: 2 }
  const createPlan = mutation('createPlan', 'code name maxContainers logDays')
  await graphql('create a plan', createPlan, { input: { ...small, ...limits } })
  await graphql('create a plan that there is', createPlan, { input: { ...small, ...limits } })
  const updatePlan = mutation('updatePlan', 'code maxContainers')
  await graphql('change a plan', updatePlan, { input: { plan: 'small', maxContainers: 4 } })
  await graphql('change an unknown plan', updatePlan, { input: { plan: 'nothing', maxContainers: 4 } })
  const engines = '{ regionEngines { region engine reachAddress engineReachable engineReason } }'
  await graphql('list engines of regions', engines)
  await graphql('list engines of regions as a reader', engines, {}, { as: 'reader' })
  await graphql('list plans', '{ plans { code name maxApps } }', {}, { as: 'reader' })
  await graphql('list plans without a token', '{ plans { code } }', {}, { as: 'none' })
  const north = { region: 'north', name: 'North', functionsSupported: true, domain: 'north.example.com' }
  const createRegion = mutation('createRegion', 'code name sandboxAddonReady')
  await graphql('create a region', createRegion, { input: north })
  await graphql('create a region that there is', createRegion, { input: north })
  const updateRegion = mutation('updateRegion', 'code sandboxAddonReady')
  await graphql('change a region', updateRegion, { input: { region: 'north', sandboxAddonReady: true } })
  await graphql('change an unknown region', updateRegion, { input: { region: 'nothing', name: 'Nothing' } })
  const change = mutation('updateAccount', 'account { ...Account allowFunctions }')
  await graphql('forbid an account functions', change, { input: { accountId: second, allowFunctions: false } })
  const rename = mutation('renameAccount', 'account { ...Account }')
  await graphql('rename an account', rename, { input: { accountId: second, name: 'Renamed' } })
  await graphql('rename an account to nothing', rename, { input: { accountId: second, name: '…' } })
  await graphql('forbid an account a word', change, { input: { accountId: second, allowFunctions: false, word: 1 } })
  const one = `query ($id: ID) { account(id: $id) {
    ...Account apps(first: 1) { nodes { slug } } appEnvs(first: 1) { nodes { slug } pageInfo { ...Page } }
    members(first: 2) { edges { cursor node { ...Member } } pageInfo { ...Page } } } }`
  await graphql('read the current account', one)
  await graphql('read an unknown account', one, { id: `acc_${UNKNOWN}` })
  await graphql('read an account of others', one, { id: elsewhere }, { as: 'reader' })
  const page = `query ($first: Int, $after: String) {
    accounts(first: $first, after: $after) { nodes { name isCurrent } edges { cursor } pageInfo { ...Page } } }`
  const { body } = await graphql('list accounts, first page', page, { first: 2 })
  await graphql('list accounts, second page', page, { first: 2, after: body.data.accounts.pageInfo.endCursor })
  await graphql('list accounts without a token', page, {}, { as: 'none' })
  await graphql('list regions', 'query ($accountId: ID) { regions(accountId: $accountId) { ...Region } }', {
    accountId,
  })
  await graphql('list regions of an unknown account', 'query ($id: ID) { regions(accountId: $id) { code } }', {
    id: `acc_${UNKNOWN}`,
  })
  const presets =
    '{ databasePresets { dockerPreset defaultVersion versions { image } settings { name type default } } }'
  await graphql('list database presets', presets)
  await graphql('list database presets without a token', presets, {}, { as: 'none' })
  const choose = mutation('setCurrentAccount', 'message account { id isCurrent }')
  await graphql('choose an account', choose, { input: { accountId: second } })
  await graphql('choose an account of others', choose, { input: { accountId: elsewhere } }, { as: 'reader' })
  await graphql('choose the first account again', choose, { input: { accountId } })
  const remove = mutation('deleteAccount', 'message')
  await graphql('delete an account with apps', remove, { input: { accountId } })
  await graphql('delete an account', remove, { input: { accountId: second } })
}

async function useMembers({ graphql, accountId }: Fixture): Promise<void> {
  const fields = 'userId email roles appEnvIds'
  const [add, update] = [mutation('addMember', fields), mutation('updateMember', fields)]
  const ada = { accountId, email: 'Ada@Example.com', roles: ['TECHNICAL', 'BILLING'] }
  const { userId } = (await graphql('add a member', add, { input: ada })).body.data.addMember
  await graphql('add a member who is one', add, { input: ada })
  await graphql('add a member as TECHNICAL', add, { input: ada }, { as: 'technical' })
  const one = 'query ($accountId: ID!, $userId: ID!) { member(accountId: $accountId, userId: $userId) { ...Member } }'
  await graphql('read a member', one, { accountId, userId })
  await graphql('read an unknown member', one, { accountId, userId: `usr_${UNKNOWN}` })
  const page = `query ($accountId: ID!, $first: Int, $after: String) {
    members(accountId: $accountId, first: $first, after: $after) { nodes { email } edges { cursor } pageInfo { ...Page } } }`
  const { body } = await graphql('list members, first page', page, { accountId, first: 2 })
  await graphql('list members, second page', page, { accountId, first: 2, after: body.data.members.pageInfo.endCursor })
  await graphql('list members as a stranger', page, { accountId }, { as: 'stranger' })
  await graphql('change a member', update, { input: { accountId, userId, roles: ['AUDIT'], appEnvIds: [] } })
  await graphql('change an unknown member', update, {
    input: { accountId, userId: `usr_${UNKNOWN}`, roles: ['AUDIT'] },
  })
  const me = (await graphql('read who calls', '{ me { ...User } }')).body.data.me.id
  await graphql('read who calls without a token', '{ me { id } }', {}, { as: 'none' })
  await graphql('change the last admin', update, { input: { accountId, userId: me, roles: ['AUDIT'] } })
  const remove = mutation('removeMember', 'message')
  await graphql('remove a member', remove, { input: { accountId, userId } })
  await graphql('remove a member who is gone', remove, { input: { accountId, userId } })
}

async function useCredentials({ graphql, accountId, ask }: Fixture): Promise<void> {
  const data = entriesOf({ registry: 'registry.example.com', username: 'ada', password: 'correct horse' })
  const login = { accountId, type: 'CONTAINER_REGISTRY', name: 'Registry', data }
  const fields = 'credential { ...Credential } warning'
  const create = mutation('createCredential', fields)
  const credentialId = (await graphql('create a credential', create, { input: login })).body.data.createCredential
    .credential.id
  await graphql('create a credential without a password', create, {
    input: { ...login, data: entriesOf({ username: 'ada' }) },
  })
  await graphql('create a credential as TECHNICAL', create, { input: login }, { as: 'technical' })
  const inRest = { registry: 'registry.example.com', username: 'ada', password: 'correct horse' }
  await ask('POST', '/credential', { ...login, name: 'Second', data: inRest })
  const one = 'query ($id: ID!) { credential(id: $id) { ...Credential } }'
  await graphql('read a credential', one, { id: credentialId })
  await graphql('read an unknown credential', one, { id: `cred_${UNKNOWN}` })
  const page = `query ($first: Int, $after: String, $accountId: ID) { credentials(first: $first, after: $after, accountId: $accountId) {
    nodes { name data { key value } } edges { cursor } pageInfo { ...Page } } }`
  const { body } = await graphql('list credentials, first page', page, { first: 1 })
  await graphql('list credentials, second page', page, { first: 1, after: body.data.credentials.pageInfo.endCursor })
  await graphql('list credentials as a stranger', page, { accountId }, { as: 'stranger' })
  const update = mutation('updateCredential', fields)
  await graphql('change a credential', update, { input: { credentialId, name: 'Other', expectedVersion: 1 } })
  await graphql('change a credential at an old version', update, {
    input: { credentialId, name: 'Old', expectedVersion: 1 },
  })
  const testing = mutation('testCredential', 'credential { ...Credential } accepted message')
  await graphql('test a credential', testing, { input: { credentialId } })
  await graphql('test an unknown credential', testing, { input: { credentialId: `cred_${UNKNOWN}` } })
  const usages = 'query ($id: ID!) { credentialUsages(credentialId: $id) { kind appId appEnvId name count } }'
  await graphql('list what uses a credential', usages, { id: credentialId })
  await graphql('list what uses an unknown credential', usages, { id: `cred_${UNKNOWN}` })
  const remove = mutation('deleteCredential', 'message')
  await graphql('delete a credential', remove, { input: { credentialId } })
  await graphql('delete a credential that is gone', remove, { input: { credentialId } })
}

async function useTokens({ graphql, app, appEnv, accountId }: Fixture): Promise<void> {
  const appEnvId = await appEnv(await app({ name: 'Tokens' }))
  const create = mutation('createToken', 'secret token { ...Token }')
  const scoped = {
    kind: 'SCOPED',
    name: 'CI',
    scopes: ['SVC_READ', 'SVC_WRITE_DEPLOY'],
    expiresAt: '2099-01-01T00:00:00Z',
  }
  const { secret, token } = (await graphql('create a token with scopes', create, { input: scoped })).body.data
    .createToken
  await graphql('create a token of an environment', create, {
    input: { kind: 'ENVIRONMENT', name: 'Deploy', appEnvId },
  })
  await graphql('create a token, dry', create, { input: { kind: 'USER', name: 'Laptop', dryRun: true } })
  await graphql('create a token of no environment', create, { input: { kind: 'ENVIRONMENT', name: 'None' } })
  const headers = { authorization: secret }
  await graphql(
    'create a token beyond its own scopes',
    create,
    { input: { ...scoped, scopes: ['SVC_ADMIN'] } },
    {
      as: 'none',
      headers,
    },
  )
  await graphql('read who calls with scopes', '{ userToken { ...UserToken } }', {}, { as: 'none', headers })
  await graphql('read the token of nobody', '{ userToken { tokenId } }', {}, { as: 'nobody' })
  const one = 'query ($id: ID!) { token(id: $id) { ...Token } }'
  await graphql('read a token', one, { id: token.id })
  await graphql('read an unknown token', one, { id: `tok_${UNKNOWN}` })
  const page = `query ($first: Int, $after: String, $appEnvId: ID, $userId: ID) {
    tokens(first: $first, after: $after, appEnvId: $appEnvId, userId: $userId) { nodes { ...Token } edges { cursor } pageInfo { ...Page } } }`
  const { body } = await graphql('list tokens, first page', page, { first: 1 })
  await graphql('list tokens, second page', page, { first: 1, after: body.data.tokens.pageInfo.endCursor })
  await graphql('list tokens of an environment', page, { appEnvId })
  await graphql('list tokens of another user', page, { userId: `usr_${UNKNOWN}` }, { as: 'reader' })
  const revoke = mutation('revokeToken', 'message')
  await graphql('revoke a token of others', revoke, { input: { tokenId: token.id } }, { as: 'technical' })
  await graphql('revoke a token', revoke, { input: { tokenId: token.id } })
  await graphql('revoke an unknown token', revoke, { input: { tokenId: `tok_${UNKNOWN}` } })
  const connect = mutation('connectGitInstallation', 'message')
  const proof = { accountId, gitInstallationId: '77', proof: { userToken: 'token-of-ada' } }
  await graphql('connect a git installation', connect, { input: proof })
  await graphql('connect a git installation of others', connect, {
    input: { ...proof, proof: { userToken: 'token-of-bob' } },
  })
}

async function readAudit({ graphql, accountId }: Fixture): Promise<void> {
  const page = `query ($accountId: ID, $first: Int, $after: String, $to: DateTime) {
    auditLog(accountId: $accountId, first: $first, after: $after, to: $to) { nodes { ...AuditEntry } edges { cursor } pageInfo { ...Page } } }`
  const { body } = await graphql('read the audit log, first page', page, { accountId, first: 4 })
  const entry = 'query ($id: ID!) { auditEntry(id: $id) { ...AuditEntry } }'
  await graphql('read an audit entry', entry, { id: body.data.auditLog.nodes[0].id })
  await graphql('read an unknown audit entry', entry, { id: `aud_${UNKNOWN}` })
  await graphql('read the audit log, second page', page, { first: 4, after: body.data.auditLog.pageInfo.endCursor })
  await graphql('read the audit log of long ago', page, { to: '2021-01-01T00:00:00Z' })
  await graphql('read the audit log by a bad cursor', page, { after: 'nonsense' })
  await graphql('read the audit log as a stranger', page, { accountId }, { as: 'stranger' })
  const events = `query ($accountId: ID, $after: String) {
    events(accountId: $accountId, first: 3, after: $after) { nodes { type appEnvId payload } pageInfo { ...Page } } }`
  await graphql('read past events', events, { accountId })
  await graphql('read past events by a bad cursor', events, { after: 'nonsense' })
  await graphql('read past events as a stranger', events, { accountId }, { as: 'stranger' })
}

import type { Fixture } from './fixture.ts'
import { UNKNOWN } from './fixture.ts'

/** Accounts and their members. */
export async function restAccounts(fixture: Fixture): Promise<void> {
  await useAccounts(fixture)
  await useMembers(fixture)
}

/** Credentials and tokens, and their audit log. */
export async function restSecrets(fixture: Fixture): Promise<void> {
  await useCredentials(fixture)
  await useTokens(fixture)
  await readAudit(fixture)
}

async function useAccounts({ rest, accountId, elsewhere, app }: Fixture): Promise<void> {
  const { body } = await rest('create an account', 'POST /account', { name: 'Second' })
  await rest('create an account of a bad name', 'POST /account', { name: '…' })
  await rest('create an account as TECHNICAL', 'POST /account', { name: 'Third' }, { as: 'technical' })
  await rest('create an account, dry', 'POST /account', { name: 'Third' }, { query: { dryRun: 'true' } })
  const { headers } = await rest('read the current account', 'GET /account')
  const known = { headers: { 'if-none-match': headers.get('etag') ?? '' } }
  await rest('read an account that has not changed', 'GET /account', { accountId }, known)
  await rest('read an unknown account', 'GET /account', { accountId: `acc_${UNKNOWN}` })
  await rest('read an account of others', 'GET /account', { accountId: elsewhere }, { as: 'reader' })
  const first = await rest('list accounts, first page', 'GET /accounts', { limit: '2' })
  await rest('list accounts, second page', 'GET /accounts', { cursor: first.body.nextCursor })
  await rest('list the accounts of a member', 'GET /accounts', {}, { as: 'reader' })
  await rest('list regions', 'GET /regions', { accountId })
  await rest('list regions of an unknown account', 'GET /regions', { accountId: `acc_${UNKNOWN}` })
  await rest('list database presets', 'GET /database-presets')
  await rest('list database presets without a token', 'GET /database-presets', {}, { as: 'none' })
  const small = { plan: 'small', name: 'Small', functionsIncluded: true, autoscalingIncluded: false }
  const limits = { maxApps: 5, maxAppEnvs: 3, maxContainers: 2, maxZClouds: 2 }
  await rest('create a plan', 'POST /plan', { ...small, ...limits })
  await rest('create a plan that there is', 'POST /plan', { ...small, ...limits })
  await rest('create a plan as TECHNICAL', 'POST /plan', { ...small, ...limits }, { as: 'technical' })
  await rest('change a plan', 'PUT /plan', { plan: 'small', maxContainers: 4 })
  await rest('change an unknown plan', 'PUT /plan', { plan: 'nothing', maxContainers: 4 })
  await rest('list engines of regions', 'GET /region-engines')
  await rest('list engines of regions as a reader', 'GET /region-engines', {}, { as: 'reader' })
  await rest('list plans', 'GET /plans', {}, { as: 'reader' })
  await rest('list plans without a token', 'GET /plans', {}, { as: 'none' })
  const north = { region: 'north', name: 'North', functionsSupported: true, domain: 'north.example.com' }
  await rest('create a region', 'POST /region', north)
  await rest('create a region that there is', 'POST /region', north)
  await rest('change a region', 'PUT /region', { region: 'north', sandboxAddonReady: true })
  await rest('change an unknown region', 'PUT /region', { region: 'nothing', name: 'Nothing' })
  await rest('put an account on a plan', 'PUT /account', {
    accountId: elsewhere,
    plan: 'small',
    entitlements: ['SANDBOX'],
  })
  await rest('put an account on an unknown plan', 'PUT /account', { accountId: elsewhere, plan: 'nothing' })
  await rest('rename an account', 'PATCH /account/name', { accountId: elsewhere, name: 'Renamed' })
  await rest('rename an account to nothing', 'PATCH /account/name', { accountId: elsewhere, name: '…' })
  const forbid = { accountId: elsewhere, allowFunctions: false }
  await rest('forbid an account functions', 'PUT /account', forbid)
  await rest('forbid an account functions as TECHNICAL', 'PUT /account', { ...forbid, accountId }, { as: 'technical' })
  await rest('allow an account them again', 'PUT /account', { ...forbid, allowFunctions: true })
  await rest('choose an account', 'PUT /account/current', { accountId: body.accountId })
  await rest('choose an account of others', 'PUT /account/current', { accountId: elsewhere }, { as: 'reader' })
  await rest('choose an unknown account', 'PUT /account/current', { accountId: `acc_${UNKNOWN}` })
  await rest('choose the first account again', 'PUT /account/current', { accountId })
  await app({ name: 'In the way', accountId: elsewhere })
  await rest('delete an account with apps', 'DELETE /account', { accountId: elsewhere })
  await rest('delete an account as TECHNICAL', 'DELETE /account', { accountId }, { as: 'technical' })
  await rest('delete an account', 'DELETE /account', { accountId: body.accountId })
  await rest('delete an account that is gone', 'DELETE /account', { accountId: body.accountId })
}

async function useMembers({ rest, accountId, app, appEnv }: Fixture): Promise<void> {
  const appEnvId = await appEnv(await app())
  const ada = { accountId, email: 'Ada@Example.com', roles: ['TECHNICAL', 'BILLING'] }
  const { body } = await rest('add a member', 'POST /account/member', { ...ada, appEnvIds: [appEnvId] })
  const { userId } = body
  await rest('add a member who is one', 'POST /account/member', ada)
  await rest('add a member without roles', 'POST /account/member', { ...ada, email: 'nobody', roles: [] })
  await rest('add a member to an unknown environment', 'POST /account/member', {
    ...ada,
    email: 'eve@example.com',
    appEnvIds: [`env_${UNKNOWN}`],
  })
  await rest('add a member as TECHNICAL', 'POST /account/member', ada, { as: 'technical' })
  await rest('read a member', 'GET /account/member', { accountId, userId })
  await rest('read an unknown member', 'GET /account/member', { accountId, userId: `usr_${UNKNOWN}` })
  await rest('list members', 'GET /account/members', { accountId })
  await rest('list members as a stranger', 'GET /account/members', { accountId }, { as: 'stranger' })
  await rest('change a member', 'PATCH /account/member', { accountId, userId, roles: ['AUDIT'], appEnvIds: null })
  await rest(
    'change a member, dry',
    'PATCH /account/member',
    { accountId, userId, roles: ['ADMIN'] },
    {
      query: { dryRun: 'true' },
    },
  )
  await rest('change an unknown member', 'PATCH /account/member', {
    accountId,
    userId: `usr_${UNKNOWN}`,
    roles: ['AUDIT'],
  })
  const own = (await rest('read who calls', 'GET /user/token')).body.userId
  await rest('change the last admin', 'PATCH /account/member', { accountId, userId: own, roles: ['AUDIT'] })
  await rest('remove the last admin', 'DELETE /account/member', { accountId, userId: own })
  await rest('remove a member', 'DELETE /account/member', { accountId, userId })
  await rest('remove a member who is gone', 'DELETE /account/member', { accountId, userId })
}

async function useCredentials({ rest, accountId, app }: Fixture): Promise<void> {
  const data = { registry: 'registry.example.com', username: 'ada', password: 'correct horse' }
  const registry = { accountId, type: 'CONTAINER_REGISTRY', name: 'Registry', data }
  const { credentialId } = (await rest('create a credential', 'POST /credential', registry)).body
  await rest('create a credential for a storage', 'POST /credential', {
    accountId,
    type: 'OBJECT_STORAGE',
    name: 'Storage',
    data: { bucket: 'backups', accessKeyId: 'AKIA', secretAccessKey: 'hush' },
  })
  await rest('create a credential without a password', 'POST /credential', { ...registry, data: { username: 'ada' } })
  await rest('create a credential as TECHNICAL', 'POST /credential', registry, { as: 'technical' })
  await rest('read a credential', 'GET /credential', { credentialId })
  await rest('read an unknown credential', 'GET /credential', { credentialId: `cred_${UNKNOWN}` })
  const { body } = await rest('list credentials, first page', 'GET /credentials', { limit: '1' })
  await rest('list credentials, second page', 'GET /credentials', { limit: '1', cursor: body.nextCursor })
  await rest('list credentials as a stranger', 'GET /credentials', { accountId }, { as: 'stranger' })
  const change = { credentialId, name: 'Other', data: { ...data, username: 'eve' } }
  await rest('change a credential', 'PUT /credential', change, { headers: { 'if-match': '"v1"' } })
  await rest('change a credential at an old version', 'PUT /credential', change, { headers: { 'if-match': '"v1"' } })
  await rest('change a credential to another type of data', 'PUT /credential', { credentialId, data: { bucket: 'x' } })
  await app({ name: 'Private', imagePullAccountSecretId: credentialId })
  await rest('make a credential the default', 'PUT /credential', { credentialId, isDefault: true })
  await rest('test a credential', 'POST /credential/test', { credentialId })
  await rest('test an unknown credential', 'POST /credential/test', { credentialId: `cred_${UNKNOWN}` })
  await rest('list what uses a credential', 'GET /credential/usages', { credentialId })
  await rest('list what uses an unknown credential', 'GET /credential/usages', { credentialId: `cred_${UNKNOWN}` })
  const inside = { ...registry, data: { ...data, registry: '10.0.0.1' } }
  await rest('create a credential for a private registry', 'POST /credential', inside)
  await rest('delete a credential in use', 'DELETE /credential', { credentialId })
  await rest('delete an unknown credential', 'DELETE /credential', { credentialId: `cred_${UNKNOWN}` })
  const second = (await rest('list credentials', 'GET /credentials')).body.credentials.find(
    (one: { credentialId: string }) => one.credentialId !== credentialId,
  ).credentialId
  await rest('delete a credential, dry', 'DELETE /credential', { credentialId: second, dryRun: 'true' })
  await rest('delete a credential', 'DELETE /credential', { credentialId: second })
}

async function useTokens({ rest, app, appEnv, accountId }: Fixture): Promise<void> {
  const appEnvId = await appEnv(await app({ name: 'Tokens' }))
  const user = await rest('create a token', 'POST /token', {
    kind: 'USER',
    name: 'Laptop',
    expiresAt: '2099-01-01T00:00:00Z',
  })
  const scopes = ['svc:read', 'svc:write:deploy']
  const scoped = await rest('create a token with scopes', 'POST /token', { kind: 'SCOPED', name: 'CI', scopes })
  const headers = { authorization: scoped.body.token }
  const environment = { kind: 'ENVIRONMENT', name: 'Deploy', appEnvId }
  const once = { headers: { 'idempotency-key': 'token' } }
  const deploy = await rest('create a token of an environment', 'POST /token', environment, once)
  await rest('create a token with the same key', 'POST /token', environment, once)
  await rest('create a token of an environment as TECHNICAL', 'POST /token', environment, { as: 'technical' })
  await rest('create a token that has expired', 'POST /token', {
    kind: 'USER',
    name: 'Late',
    expiresAt: '2020-01-01T00:00:00Z',
  })
  await rest('create a token of no environment', 'POST /token', { kind: 'ENVIRONMENT', name: 'None' })
  await rest(
    'create a token beyond its own scopes',
    'POST /token',
    { kind: 'SCOPED', name: 'More', scopes: ['svc:admin'] },
    {
      as: 'none',
      headers,
    },
  )
  await rest('create an account with scopes that lack it', 'POST /account', { name: 'Scoped' }, { as: 'none', headers })
  const asEnvironment = { as: 'none', headers: { authorization: deploy.body.token } }
  await rest(
    'create a token with the token of an environment',
    'POST /token',
    { kind: 'USER', name: 'More' },
    asEnvironment,
  )
  await rest('read who calls with the token of an environment', 'GET /user/token', {}, asEnvironment)
  await rest(
    'read an environment with its token',
    'GET /app-env/token',
    { envName: 'default-tokens-production' },
    asEnvironment,
  )
  await rest('read who calls with scopes', 'GET /user/token', {}, { as: 'none', headers })
  const { tokenId } = user.body
  await rest('read a token', 'GET /token', { tokenId })
  await rest('read an unknown token', 'GET /token', { tokenId: `tok_${UNKNOWN}` })
  const { body } = await rest('list tokens, first page', 'GET /tokens', { limit: '2' })
  await rest('list tokens, second page', 'GET /tokens', { cursor: body.nextCursor })
  await rest('list tokens of an environment', 'GET /tokens', { appEnvId })
  await rest('list tokens of another user', 'GET /tokens', { userId: `usr_${UNKNOWN}` }, { as: 'reader' })
  await rest('revoke a token of others', 'DELETE /token', { tokenId }, { as: 'technical' })
  await rest('revoke a token', 'DELETE /token', { tokenId })
  await rest('read a token that was revoked', 'GET /token', { tokenId })
  await rest(
    'call with a token that was revoked',
    'GET /apps',
    {},
    { as: 'none', headers: { authorization: user.body.token } },
  )
  await rest('revoke an unknown token', 'DELETE /token', { tokenId: `tok_${UNKNOWN}` })
  const proof = { accountId, gitInstallationId: '77', proof: { userToken: 'token-of-ada' } }
  await rest('connect a git installation', 'POST /git-installation', proof)
  await rest('connect a git installation of others', 'POST /git-installation', {
    ...proof,
    proof: { userToken: 'token-of-bob' },
  })
}

async function readAudit({ rest, accountId }: Fixture): Promise<void> {
  const { body } = await rest('read the audit log, first page', 'GET /account/audit', { limit: '3' })
  const { auditId } = body.entries[0]
  await rest('read an audit entry', 'GET /account/audit-entry', { auditId })
  await rest('read an audit entry as a stranger', 'GET /account/audit-entry', { auditId }, { as: 'stranger' })
  await rest('read an unknown audit entry', 'GET /account/audit-entry', { auditId: `aud_${UNKNOWN}` })
  await rest('read the audit log, second page', 'GET /account/audit', { limit: '4', cursor: body.nextCursor })
  await rest('read the audit log from its middle', 'GET /account/audit', { accountId, limit: '8', cursor: '10' })
  await rest('read the audit log of long ago', 'GET /account/audit', { accountId, to: '2021-01-01T00:00:00Z' })
  await rest('read the audit log by a bad cursor', 'GET /account/audit', { cursor: 'nonsense' })
  await rest('read the audit log as a stranger', 'GET /account/audit', { accountId }, { as: 'stranger' })
  await rest('read past events', 'GET /account/events', { accountId, limit: '3' })
  await rest('read past events by a bad cursor', 'GET /account/events', { cursor: 'nonsense' })
  await rest('read past events as a stranger', 'GET /account/events', { accountId }, { as: 'stranger' })
  await rest('search an account', 'GET /account/search', { accountId, text: 'shop' })
  await rest('search as a stranger', 'GET /account/search', { accountId, text: 'shop' }, { as: 'stranger' })
}

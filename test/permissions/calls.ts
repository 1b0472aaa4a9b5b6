import { permissionOf } from '../../src/api/graphql/field-permissions.ts'
import { schema } from '../../src/api/graphql/schema.ts'
import { routes } from '../../src/api/rest/routes.ts'
import type { Permission } from '../../src/domain/permissions.ts'
import { acceptInvitation } from '../../src/services/account/accept-invitation.ts'
import { createInvitation } from '../../src/services/account/invitation-commands.ts'
import { connectGitInstallation } from '../../src/services/git/connect-git-installation.ts'
import { addHost, removeHost, validateHost } from '../../src/services/host/host-commands.ts'
import { buildAppEnv } from '../../src/services/lifecycle/build.ts'
import { notifyCodeUpload } from '../../src/services/upload/notify-code-upload.ts'
import { requestStorageKey } from '../../src/services/upload/request-storage-key.ts'
import { callGraphQL, callRest, type Outcome } from '../parity/apis.ts'
import { PARITY_CASES } from '../parity/cases.ts'
import type { Prepared } from '../parity/parity-case.ts'
import { readGraphQL, readRest } from '../parity/read-apis.ts'
import { CASES, furnish, type Place } from '../parity/read-cases.ts'
import type { Served } from '../support/serve-world.ts'
import type { World } from '../support/world.ts'

/** One call through one API, that changes nothing and can be sent by anybody. */
export interface Call {
  /** Such as `POST /app` or `Query.app`. */
  name: string
  permission: Permission
  /** What its fields ask for besides. */
  besides?: Permission
  /** What names its target. */
  fields: Readonly<Record<string, unknown>>
  send(served: Served, token: string): Promise<Sent>
}

/** Null where nothing was refused. */
export interface Sent {
  code: string | null
  reason: string | null
}

type Named = Prepared['command']

/** Calls that ask for a second permission with the fields that the matrix sends. */
const BESIDES: Readonly<Record<string, Permission>> = {
  installSolution: 'appEnv:operate',
  installCompose: 'appEnv:operate',
  upgradeInstallation: 'appEnv:operate',
  // What is lent must be there.
  setAutoDeploy: 'appEnv:operate',
  setPullRequestEnvs: 'appEnv:operate',
  getToken: 'token:manage',
  token: 'token:manage',
  listTokens: 'token:manage',
  tokens: 'token:manage',
  getAppEnvToken: 'appEnv:read',
  appEnvToken: 'appEnv:read',
  listRegions: 'account:read',
  regions: 'account:read',
  listSolutions: 'account:read',
  solutions: 'account:read',
  // An installation shows all of its environments.
  getInstallation: 'appEnv:read',
  installation: 'appEnv:read',
  installationChanged: 'appEnv:read',
  verifyBackup: 'backup:read',
  restoreBackup: 'backup:read',
  // The token of somebody else.
  revokeToken: 'installation:manage',
  revokeAuthorization: 'installation:manage',
  getAuthorization: 'installation:manage',
  authorization: 'installation:manage',
}

/** Commands of which no case of the parity tests is accepted by everybody alike. */
const PREPARED: Readonly<Record<string, (world: World) => Promise<Prepared>>> = {
  connectGitInstallation: async ({ accountId }) => ({
    command: connectGitInstallation,
    input: { accountId, gitInstallationId: '77', proof: { code: 'abc' } },
  }),
  buildAppEnv: async (world) => ({ command: buildAppEnv, input: { appEnvId: await uploadedEnv(world) } }),
  requestStorageKey: async (world) => ({ command: requestStorageKey, input: { appEnvId: await uploadedEnv(world) } }),
  validateHost: (world) => ofHost(world, validateHost),
  removeHost: (world) => ofHost(world, removeHost),
  // Nothing was uploaded, which is asked after the permission.
  notifyCodeUpload: async (world) => {
    const appEnvId = await uploadedEnv(world)
    const { storageKey } = await world.perform(requestStorageKey, { appEnvId })
    return { command: notifyCodeUpload, input: { appEnvId, storageKey } }
  },
  acceptInvitation: async (world) => {
    const input = { accountId: world.accountId, email: 'new@example.com', roles: ['AUDIT'] }
    return { command: acceptInvitation, input: { secret: (await world.perform(createInvitation, input)).secret } }
  },
}

async function ofHost(world: World, command: Named): Promise<Prepared> {
  const { appEnvId } = await world.appEnv()
  const input = { appEnvId, host: `${command.name.toLowerCase()}.example.com` }
  await world.perform(addHost, input)
  return { command, input }
}

const uploadedEnv = async (world: World) =>
  (await world.appEnv({ app: { useImage: false, image: undefined, isCliDeployment: true } })).appEnvId

const sentOf = (outcome: Outcome): Sent =>
  outcome.accepted ? { code: null, reason: null } : { code: outcome.code, reason: outcome.reason }

async function prepared(world: World, command: Named): Promise<Prepared> {
  const own = PREPARED[command.name]
  if (own) return own(world)
  const found = PARITY_CASES.find(
    ({ title, expected }) => title.split(' ')[0] === command.name && expected === 'accepted',
  )
  if (!found) throw new Error(`${command.name} has no accepted case in test/parity, and so none here`)
  const { token: _token, ...call } = await found.prepare(world)
  return call
}

/** Every write, through REST and through GraphQL, as a dry run. */
export async function writes(world: World): Promise<Call[]> {
  const calls: Call[] = []
  const inputs = new Map<Named, Prepared>()
  for (const route of routes) {
    if ('read' in route) continue
    const { command, method, path } = route
    if (command.permission === undefined) throw new Error(`${method} ${path} has no permission`)
    const call = inputs.get(command) ?? (await prepared(world, command))
    const isFirst = !inputs.has(command)
    inputs.set(command, call)
    const dry = (token: string) => ({ ...call, token, isDry: true })
    const rules = { permission: command.permission, ...besides(command.name), fields: call.input }
    calls.push({
      name: `${method} ${path}`,
      ...rules,
      send: async ({ app }, token) => sentOf(await callRest(app, token, dry(token))),
    })
    if (!isFirst) continue
    calls.push({
      name: `Mutation.${command.name}`,
      ...rules,
      send: async ({ app }, token) => sentOf(await callGraphQL(app, token, dry(token))),
    })
  }
  return calls
}

const besides = (name: string) => (BESIDES[name] ? { besides: BESIDES[name] } : {})

/** Fields of Query that no GET has, and those that lead to every kind of object. */
const OTHER_FIELDS: Readonly<Record<string, (place: Place) => string[]>> = {
  me: () => ['me { id }'],
  deployment: ({ contentId }) => [`deployment(id: "${contentId}") { id }`],
  appEnv: ({ appEnvId }) => [`appEnv(id: "${appEnvId}") { id status }`],
  metricSeriesList: ({ appEnvId }) => [
    `metricSeriesList(appEnvId: "${appEnvId}", metrics: [CPU_PERCENT, REQUESTS]) { metric points { value } }`,
  ],
  host: ({ hostId }) => [`host(id: "${hostId}") { id host }`],
  variable: ({ variableId }) => [`variable(id: "${variableId}") { id name }`],
  usageLines: ({ accountId }) => [`usageLines(accountId: "${accountId}") { nodes { day } }`],
}

/** Whatever `node` finds, and the field of Query that finds the same. */
const NODES: Readonly<Record<string, keyof Place>> = {
  account: 'accountId',
  app: 'appId',
  appEnv: 'appEnvId',
  deployment: 'contentId',
  operation: 'operationId',
  jobRun: 'jobRunId',
  installation: 'installationId',
  credential: 'credentialId',
  token: 'tokenId',
  invitation: 'invitationId',
  webhook: 'webhookId',
  webhookDelivery: 'deliveryId',
  gitHook: 'gitHookId',
  gitDelivery: 'gitDeliveryId',
  authorization: 'authorizationId',
  backup: 'backupKey',
  volume: 'volumeId',
  auditEntry: 'auditId',
  host: 'hostId',
  variable: 'variableId',
}

const ID = /\b(\w*[iI]d): "([a-z]+_[0-9a-z]{26})"/g
const KEY_OF: Readonly<Record<string, string>> = {
  env: 'appEnvId',
  app: 'appId',
  acc: 'accountId',
  con: 'contentId',
  op: 'operationId',
  run: 'jobRunId',
  tok: 'tokenId',
  cred: 'credentialId',
  inst: 'installationId',
  inv: 'invitationId',
  oau: 'authorizationId',
  usr: 'userId',
  vol: 'volumeId',
  hook: 'webhookId',
  dlv: 'deliveryId',
  ghook: 'gitHookId',
  gdlv: 'gitDeliveryId',
  insp: 'inspectionId',
  bak: 'backupKey',
  aud: 'auditId',
  host: 'hostId',
  var: 'variableId',
}

/** What a field of GraphQL names, under the keys of REST. */
const fieldsOf = (field: string) =>
  Object.fromEntries([...field.matchAll(ID)].map(([, , id = '']) => [KEY_OF[id.split('_')[0] ?? ''] ?? 'unknown', id]))

const isPermission = (text: string): text is Permission => text.includes(':')

function queryPermission(name: string): Permission {
  const field = schema.getQueryType()?.getFields()[name]
  const permission = field && permissionOf(field)
  if (!permission || !isPermission(permission)) throw new Error(`Query.${name} has no permission of its own`)
  return permission
}

/** Every read, through REST and through GraphQL. */
export async function reads(world: World): Promise<{ calls: Call[]; place: Place }> {
  const place = await furnish(world)
  const calls: Call[] = []
  const queries = new Map<string, string[]>(Object.entries(OTHER_FIELDS).map(([name, make]) => [name, make(place)]))
  for (const route of routes) {
    if (!('read' in route)) continue
    const { name, permission } = route.read
    const found = CASES[name]
    if (!found) throw new Error(`${name} has no case in test/parity/read-cases.ts, and so none here`)
    const query = found.query?.(place) ?? {}
    const send = async (served: Served, token: string) => sentBy(await readRest(served, token, name, query))
    calls.push({ name: `GET ${route.path}`, permission, ...besides(name), fields: query, send })
    const field = found.field(place)
    const root = /^\w+/.exec(field)?.[0] ?? ''
    if (!queries.has(root)) queries.set(root, [field])
  }
  for (const name of Object.keys(schema.getQueryType()?.getFields() ?? {})) {
    // Of several nodes those are null that the caller may not see; the cost of a request is of no account.
    if (['node', 'nodes', 'requestCost'].includes(name)) continue
    const fields = queries.get(name)
    if (!fields) throw new Error(`Query.${name} is read by no case`)
    for (const field of fields) calls.push(queryCall(`Query.${name}`, name, field))
  }
  for (const [name, key] of Object.entries(NODES))
    calls.push(queryCall(`Query.node of ${name}`, name, `node(id: "${place[key]}") { id }`))
  return { calls, place }
}

const sentBy = ({ code, body }: { code: string | null; body: { reason?: string } | null }): Sent => ({
  code,
  reason: code ? (body?.reason ?? null) : null,
})

function queryCall(name: string, root: string, field: string): Call {
  return {
    name,
    permission: queryPermission(root),
    ...besides(root),
    fields: fieldsOf(field),
    send: async (served, token) => ({ ...sentBy({ ...(await readGraphQL(served, token, field)), body: null }) }),
  }
}

const SUBSCRIPTIONS: Readonly<Record<string, (place: Place) => string>> = {
  accountEvents: ({ accountId }) => `accountEvents(accountId: "${accountId}") { cursor }`,
  appEnvStatusChanged: ({ appEnvId }) => `appEnvStatusChanged(appEnvId: "${appEnvId}") { status }`,
  appEnvLogs: ({ appEnvId }) => `appEnvLogs(appEnvId: "${appEnvId}") { cursor }`,
  buildLogs: ({ appEnvId, contentId }) => `buildLogs(appEnvId: "${appEnvId}", contentId: "${contentId}") { cursor }`,
  metrics: ({ appEnvId }) => `metrics(appEnvId: "${appEnvId}") { measuredAt }`,
  operationProgress: ({ operationId }) => `operationProgress(operationId: "${operationId}") { cursor }`,
  jobRunChanged: ({ jobRunId }) => `jobRunChanged(jobRunId: "${jobRunId}") { cursor }`,
  installationChanged: ({ installationId }) => `installationChanged(installationId: "${installationId}") { cursor }`,
}

/** Every subscription, as far as its first answer. */
export function subscriptions(place: Place): Call[] {
  const fields = Object.values(schema.getSubscriptionType()?.getFields() ?? {})
  return fields.map((field) => {
    const make = SUBSCRIPTIONS[field.name]
    const permission = permissionOf(field)
    if (!make || !permission || !isPermission(permission)) throw new Error(`Subscription.${field.name} is in no case`)
    const asked = make(place)
    const send = (served: Served, token: string) => firstAnswer(served, token, `subscription { ${asked} }`)
    return { name: `Subscription.${field.name}`, permission, ...besides(field.name), fields: fieldsOf(asked), send }
  })
}

/** The first message of a stream that is whole. */
const FIRST = /^data: (.+)\n\n/m

async function firstAnswer({ app }: Served, token: string, query: string): Promise<Sent> {
  const response = await app.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization: token },
    body: JSON.stringify({ query }),
  })
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      text += decoder.decode(part.value, { stream: true })
      if (FIRST.test(text)) break
    }
  } finally {
    await reader?.cancel()
  }
  const data = FIRST.exec(text)?.[1]
  if (!data) throw new Error(`A subscription ended without an answer: ${query}`)
  const { errors } = JSON.parse(data) as { errors?: { extensions: { code: string } }[] }
  return { code: errors?.[0]?.extensions.code ?? null, reason: null }
}

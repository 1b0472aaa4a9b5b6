import { isInputObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { schema } from '../../src/api/graphql/schema.ts'
import { routes } from '../../src/api/rest/routes.ts'
import type { AnyCommand } from '../../src/calls/command.ts'
import { type Served, serveWorld } from '../support/serve-world.ts'
import { createWorld, type World } from '../support/world.ts'
import { inGraphQL } from './apis.ts'
import { type BegunWork, endWork, openWork, WORK, type WorkOutcome } from './begun-work.ts'
import { PARITY_CASES } from './cases.ts'
import { makeFresh } from './fresh-world.ts'
import type { ParityCase, Prepared } from './parity-case.ts'
import { uploadCases } from './upload-cases.ts'

/** Commands without a case that is accepted, and why. */
const NOT_TRIED: Readonly<Record<string, string>> = {
  connectGitInstallation: 'asks GitHub; test/services/git-installation.test.ts has a GitHub to ask',
}

/** Calls that begin no operation, and name one. */
const POINTS_ELSEWHERE: Readonly<Record<string, { because: string }>> = {
  cancelOperation: { because: 'the operation that it has cancelled' },
  installSolution: { because: 'the operation that goes on, of an installation that is sent again' },
}

/** Calls that wait for what has ended by the time that they are answered, in the cases that are here. */
const ENDS_AT_ONCE: Readonly<Record<string, string>> = {
  cancelJobRun: 'a run that waits ends at once, one that runs when a worker has stopped it',
  cancelOperation: 'the operation ends with the call',
  validateHost: 'the name has been looked up by then',
}

const ACCEPTED = [...PARITY_CASES, ...uploadCases].filter(({ expected }) => expected === 'accepted')
/** Titles begin with the command. */
const commandOf = ({ title }: ParityCase) => title.split(/[ ,]/)[0] ?? ''
const FIRST_OF_EACH = ACCEPTED.filter(
  (one, index) => ACCEPTED.findIndex((other) => commandOf(other) === commandOf(one)) === index,
)

let world: World
let served: Served
/** The first case of each command that begins work, and the tables of that. */
const beginners = new Map<string, { parity: ParityCase; tables: string[] }>()
/** Commands of which a call that has begun nothing was granted a wait all the same. */
const waiters = new Set<string>()
/** Promises that were asked of a call. */
let cells = 0

beforeAll(async () => {
  world = await createWorld()
  served = serveWorld(world)
})

afterAll(async () => {
  await served.close()
  await world.close()
  console.info(`promises: ${cells} cells, ${beginners.size} commands begin work`)
})

interface Options {
  key?: string
  requestId?: string
  waitSeconds?: number
  /** The version that is insisted on. */
  version?: number
  isDry?: boolean
}

interface Answered {
  status: number
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape.
  body: any
  /** Those that are promises of a write. */
  header(name: string): string | null
}

async function overRest({ command, input, token }: Prepared, options: Options): Promise<Answered> {
  const route = routes.find((candidate) => 'command' in candidate && candidate.command.name === command.name)
  if (!route) throw new Error(`No route runs ${command.name}`)
  const asQuery = route.method === 'DELETE'
  const query = new URLSearchParams(asQuery ? (input as Record<string, string>) : {})
  if (options.isDry) query.set('dryRun', 'true')
  const response = await served.app.request(`/api/public/v1${route.path}?${query}`, {
    method: route.method,
    headers: {
      authorization: token ?? world.adminToken,
      'content-type': 'application/json',
      prefer: `wait=${options.waitSeconds ?? 0}`,
      ...(options.key ? { 'idempotency-key': options.key } : {}),
      ...(options.requestId ? { 'x-request-id': options.requestId } : {}),
      ...(options.version === undefined ? {} : { 'if-match': `"v${options.version}"` }),
    },
    ...(asQuery ? {} : { body: JSON.stringify(input) }),
  })
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text), header: (name) => response.headers.get(name) }
}

const inputType = ({ name }: AnyCommand) => `${name[0]?.toUpperCase()}${name.slice(1)}Input`

/** Whether the mutation has the option. */
function takes(command: AnyCommand, option: 'waitSeconds' | 'expectedVersion'): boolean {
  const type = schema.getType(inputType(command))
  if (!isInputObjectType(type)) throw new Error(`No mutation runs ${command.name}`)
  return option in type.getFields()
}

async function overGraphQL({ command, input, token }: Prepared, options: Options): Promise<Answered> {
  const control = {
    ...(options.key ? { idempotencyKey: options.key } : {}),
    ...(options.waitSeconds === undefined ? {} : { waitSeconds: options.waitSeconds }),
    ...(options.version === undefined ? {} : { expectedVersion: options.version }),
    ...(options.isDry ? { dryRun: true } : {}),
  }
  const response = await served.app.request('/graphql', {
    method: 'POST',
    headers: { authorization: token ?? world.adminToken, 'content-type': 'application/json' },
    body: JSON.stringify({
      query: `mutation ($input: ${inputType(command)}!) { done: ${command.name}(input: $input) { idempotentReplayed } }`,
      variables: { input: { ...inGraphQL(input, command.input), ...control } },
    }),
  })
  const { data, errors } = await response.json()
  const code = errors?.[0]?.extensions.code
  const body = { code, reason: errors?.[0]?.extensions.reason, message: errors?.[0]?.message }
  const replayed = data?.done?.idempotentReplayed === true ? 'true' : null
  return { status: errors ? 0 : 200, text: '', body, header: () => replayed }
}

const OVER = { REST: overRest, GraphQL: overGraphQL }

async function prepared({ prepare }: ParityCase): Promise<Prepared & { before: Set<string> }> {
  await makeFresh(world)
  const call = await prepare(world)
  return { ...call, before: new Set((await openWork(world)).map(({ id }) => id)) }
}

const begunSince = async ({ before }: { before: Set<string> }): Promise<BegunWork[]> =>
  (await openWork(world)).filter(({ id }) => !before.has(id))

/** How the targets of writes are read alone. */
const VERSIONED: Readonly<Record<string, [path: string, field: string]>> = {
  account: ['/account', 'accountId'],
  app: ['/app', 'appId'],
  appEnv: ['/app-env', 'appEnvId'],
  credential: ['/credential', 'credentialId'],
  gitHook: ['/account/git-hook', 'gitHookId'],
  installation: ['/solutions/installation', 'installationId'],
  jobRun: ['/app-env/job-run', 'jobRunId'],
  operation: ['/operation', 'operationId'],
  webhook: ['/account/webhook', 'webhookId'],
}

const WITHOUT_GET: Readonly<Record<string, string>> = {
  backup: 'is read in lists alone',
  volume: 'is read in lists alone',
  invitation: 'its version is that of its account',
}

const ID = /^([a-z]+)_[0-9a-z]{26}$/

/** Of calls that may send nothing. */
const ANOTHER: Readonly<Record<string, Record<string, unknown>>> = {
  acceptInvitation: { secret: 'another' },
  createToken: { kind: 'SCOPED', name: 'Other', scopes: ['svc:read'] },
  rotateToken: { graceSeconds: 7 },
}

/** The same request about something else. */
function another({ command, input }: Prepared): Record<string, unknown> {
  // The values of enumerations are in upper case: another one would be refused before its key is looked at.
  const isFree = (value: unknown) => typeof value === 'string' && !/^[A-Z_]+$/.test(value)
  const [name, value] = Object.entries(input).find(([, one]) => isFree(one)) ?? []
  const replacement = ANOTHER[command.name]
  if (replacement || name === undefined) return replacement ?? {}
  const prefix = ID.exec(String(value))?.[1]
  return { ...input, [name]: prefix ? `${prefix}_01h455vb4pex5vsknk084sn02q` : `${value}-other` }
}

/** The target of the last call, if it is still there, tells its version by the ETag that If-Match takes. */
async function expectReadable(): Promise<void> {
  const { targetType, targetId } = await world.database.auditEntry.findFirstOrThrow({
    where: { requestId: 'promised-version' },
  })
  const [path, field] = VERSIONED[targetType] ?? []
  if (!path) return void expect(Object.keys(WITHOUT_GET)).toContain(targetType)
  const read = await served.app.request(`/api/public/v1${path}?${field}=${targetId}`, {
    headers: { authorization: world.adminToken },
  })
  if (read.status === 404) return
  expect([targetType, read.headers.get('etag')]).toEqual([targetType, expect.stringMatching(/^"v\d+-/)])
}

const accepted = (answered: Answered) => expect([answered.status, answered.body]).toEqual([200, answered.body])

test('every write of the OpenAPI document is tried', () => {
  const commands = new Set(routes.flatMap((route) => ('command' in route ? [route.command.name] : [])))
  const tried = new Set(FIRST_OF_EACH.map(commandOf))
  expect([...commands].filter((name) => !tried.has(name) && !(name in NOT_TRIED))).toEqual([])
  expect(Object.keys(NOT_TRIED).filter((name) => tried.has(name) || !commands.has(name))).toEqual([])
})

describe.each(ACCEPTED.map((one) => [one.title, one] as const))('%s', (_title, parity) => {
  test('has its request id, operation and grant of a wait, and says the same again under its key', async () => {
    const call = await prepared(parity)
    const [requestId, key] = ['promised-request', 'promised-key']
    const first = await overRest(call, { requestId, key })
    accepted(first)
    expect(first.header('x-request-id')).toBe(requestId)
    expect(await world.database.auditEntry.count({ where: { requestId } })).toBe(1)

    const begun = await begunSince(call)
    if (begun.length > 0 && !beginners.has(call.command.name))
      beginners.set(call.command.name, { parity, tables: begun.map(({ table }) => table) })
    const operations = begun.filter(({ table }) => table === 'operation').map(({ id }) => id)
    expect(await world.database.operation.count({ where: { requestId } })).toBe(operations.length)
    if (operations.length === 1)
      expect(first.header('operation-location')).toBe(`/api/public/v1/operation?operationId=${operations[0]}`)
    const { because = null } = POINTS_ELSEWHERE[call.command.name] ?? {}
    if (operations.length === 0 && !because) expect(first.header('operation-location')).toBeNull()
    // What begins work can be waited for, and what never does cannot.
    const grant = first.header('preference-applied')
    if (begun.length > 0) expect(grant).toBe('wait=0')
    else if (grant !== null) waiters.add(call.command.name)
    expect(first.header('operation-status')).toBeNull()

    const again = await overRest(call, { requestId: 'promised-again', key })
    expect([again.text, again.header('idempotent-replayed')]).toEqual([first.text, 'true'])
    expect(again.header('operation-location')).toBe(first.header('operation-location'))
    expect(again.header('etag')).toBe(first.header('etag'))
    expect(await begunSince(call)).toEqual(begun)
    const other = await overRest({ ...call, input: another(call) }, { key })
    expect(other.body).toMatchObject({ status: 422, code: 'IDEMPOTENCY_MISMATCH' })
    cells += 6
  })
})

describe.each(FIRST_OF_EACH.map((one) => [commandOf(one), one] as const))('%s', (_name, parity) => {
  test('insists on the version that the caller has read, in both APIs', async () => {
    const call = await prepared(parity)
    const stale = await overRest(call, { version: 999_999 })
    expect(stale.body).toMatchObject({ status: 412, code: 'PRECONDITION_FAILED', reason: 'VERSION_MISMATCH' })
    const present = /is at version (\d+|none)/.exec(stale.body.message)?.[1]
    expect(takes(call.command, 'expectedVersion')).toBe(present !== 'none')
    cells += 2
    if (present === 'none') return
    expect((await overGraphQL(call, { version: 999_999 })).body.code).toBe('PRECONDITION_FAILED')
    accepted(await overGraphQL(call, { version: Number(present), isDry: true }))
    accepted(await overRest(call, { version: Number(present), requestId: 'promised-version' }))
    await expectReadable()
    cells += 4
  })

  test('as a dry run begins nothing, and so waits for nothing', async () => {
    const call = await prepared(parity)
    const dry = await overRest(call, { isDry: true, waitSeconds: 60 })
    accepted(dry)
    expect(dry.body.dryRun).toBe(true)
    expect([dry.header('operation-status'), dry.header('preference-applied')]).toEqual([null, null])
    expect(await begunSince(call)).toEqual([])
    cells += 2
  })
})

/** Waits until the call has begun its work: it cannot have been answered before, if it waits. */
const untilBegun = (call: Prepared & { before: Set<string> }) => expect.poll(() => begunSince(call)).not.toEqual([])

test('a call of which nothing can come is granted no wait', () => {
  const unfounded = [...waiters].filter((name) => !beginners.has(name) && !(name in ENDS_AT_ONCE))
  expect(unfounded).toEqual([])
})

describe.each(FIRST_OF_EACH.map((one) => [commandOf(one), one] as const))('a wait of %s', (name, first) => {
  test('is offered by GraphQL if the call begins work', async () => {
    const { command } = await prepared(first)
    if (name in ENDS_AT_ONCE) return
    // Whatever may be applied at once may begin an operation.
    expect(takes(command, 'waitSeconds')).toBe(beginners.has(name) || 'applyImmediately' in command.input.shape)
    cells += 1
  })

  test('lasts until that has ended, in both APIs, and tells how', async () => {
    const { parity = first, tables = [] } = beginners.get(name) ?? {}
    for (const [api, over] of tables.length > 0 ? Object.entries(OVER) : [])
      for (const outcome of outcomesOf(tables)) {
        const call = await prepared(parity)
        const key = `waited-${api}-${outcome}`
        const waiting = over(call, { key, waitSeconds: 60 })
        await untilBegun(call)
        const meanwhile = await over(call, { key })
        expect(meanwhile.body, `${api} waits`).toMatchObject({ code: 'CONFLICT', reason: 'IDEMPOTENCY_IN_PROGRESS' })
        const until = { isOver: false }
        const ending = endUntil(until, outcome)
        const answered = await waiting
        until.isOver = true
        await ending
        const again = await over(call, { key })
        expect([again.status, again.text]).toEqual([answered.status, answered.text])
        expect(again.header('idempotent-replayed')).toBe('true')
        if (api === 'REST') expectOutcome(answered, outcome, again)
        cells += 3
      }
  })

  test('ends when its time is up, and says so', async () => {
    const begins = beginners.get(name)
    if (!begins) return
    const answered = await overRest(await prepared(begins.parity), { waitSeconds: 1 })
    accepted(answered)
    expect([answered.header('preference-applied'), answered.header('operation-status')]).toEqual(['wait=1', 'RUNNING'])
    cells += 1
  })
})

/** Outcomes that every kind of the work may have. */
const outcomesOf = (tables: readonly string[]): WorkOutcome[] =>
  (['SUCCEEDED', 'FAILED', 'CANCELLED'] as const).filter((outcome) =>
    tables.every((table) => WORK[table]?.end[outcome]),
  )

/** What ends may begin more, such as the next component of a solution. */
async function endUntil(until: { isOver: boolean }, outcome: WorkOutcome): Promise<void> {
  for (let rounds = 0; rounds < 600 && !until.isOver; rounds += 1) {
    await endWork(world, outcome)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function expectOutcome(answered: Answered, outcome: WorkOutcome, again: Answered): void {
  expect(answered.header('preference-applied')).toBe('wait=60')
  expect(answered.header('operation-status')).toBe(outcome)
  expect(again.header('operation-status')).toBe(outcome)
  if ('success' in answered.body) expect(answered.body.success).toBe(outcome === 'SUCCEEDED')
}

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeMember } from '../../../src/services/account/member-commands.ts'
import { cancelJobRun } from '../../../src/services/job-run/cancel-job-run.ts'
import { createJobRun } from '../../../src/services/job-run/create-job-run.ts'
import { deployImage } from '../../../src/services/lifecycle/deploy-image.ts'
import { advanceInstallations } from '../../../src/services/solution/advance-installations.ts'
import { installSolution } from '../../../src/services/solution/install-solution.ts'
import { removeInstallation } from '../../../src/services/solution/remove-installation.ts'
import { revokeToken } from '../../../src/services/token/token-commands.ts'
import { expireEvents } from '../../../src/storage/events/feed.ts'
import { endWithoutAttempt } from '../../../src/worker/runs/end-attempt.ts'
import { loadRun, type RunContext } from '../../../src/worker/runs/run-context.ts'
import { claimRun } from '../../../src/worker/runs/run-lease-table.ts'
import { createGraphQLWorld, type GraphQLWorld } from '../../support/graphql-world.ts'
import { type Answer, openSocket, overSse, take } from '../../support/transports.ts'

let world: GraphQLWorld

beforeAll(async () => {
  world = await createGraphQLWorld({ settings: { BERTH_SUBSCRIPTIONS_PER_SOCKET: '3' } })
})
afterAll(() => world.close())

type Subscribe = (query: string, variables?: Record<string, unknown>, token?: string) => AsyncGenerator<Answer>

const TRANSPORTS: Record<string, Subscribe> = {
  async *websocket(query, variables, token = world.adminToken) {
    const socket = openSocket(world.url, token)
    try {
      yield* socket.iterate(query, variables)
    } finally {
      await socket.close()
    }
  },
  async *sse(query, variables, token = world.adminToken) {
    const leaving = new AbortController()
    try {
      yield* overSse({ url: world.url, token, query, variables, signal: leaving.signal })
    } finally {
      leaving.abort()
    }
  },
}

const STATUS = `subscription ($id: ID, $after: String) {
  appEnvStatusChanged(appEnvId: $id, after: $after) { cursor event { type } status appEnv { id name } }
}`
const EVENTS = `subscription ($id: ID!, $after: String) {
  accountEvents(accountId: $id, after: $after) { cursor event { cursor type appEnvId } account { name } }
}`
const RUN = `subscription ($id: ID!, $after: String) {
  jobRunChanged(jobRunId: $id, after: $after) { cursor event { type } jobRun { id status reason } }
}`
const INSTALLATION = `subscription ($id: ID!, $after: String) {
  installationChanged(installationId: $id, after: $after) {
    cursor event { type } installation { status components { key state } }
  }
}`
const PROGRESS = `subscription ($id: ID!, $after: String) {
  operationProgress(operationId: $id, after: $after) { cursor event { type } operation { status } }
}`

describe.each(Object.entries(TRANSPORTS))('over %s', (_name, subscribe) => {
  test('appEnvStatusChanged sends the current state, then each change', async () => {
    const { appEnvId } = await world.appEnv()
    const answers = subscribe(STATUS, { id: appEnvId })
    const { value: first } = await answers.next()
    expect(first?.data.appEnvStatusChanged).toMatchObject({ event: null, status: 'PENDING', appEnv: { id: appEnvId } })
    await world.deploy(appEnvId)
    const rest = await take(answers, 2)
    expect(rest.map(({ data }) => data.appEnvStatusChanged.status)).toEqual(['UPDATING', 'RUNNING'])
    await answers.return(undefined)
  })

  test('jobRunChanged sends the current state, then each change, and ends with the run', async () => {
    const app = { name: 'Import', port: undefined, dockerPreset: 'JOB', jobConfig: { command: 'import' } }
    const { appEnvId } = await world.appEnv({ app })
    await world.deploy(appEnvId)
    const { jobRunId: id } = await world.perform(createJobRun, { appEnvId })
    const { jobRunId: otherId } = await world.perform(createJobRun, { appEnvId })
    const answers = subscribe(RUN, { id })
    const { value: first } = await answers.next()
    expect(first?.data.jobRunChanged).toMatchObject({ event: null, jobRun: { id, status: 'QUEUED', reason: null } })
    const lease = await claimRun(world.database, { owner: 'a worker', leaseSeconds: 60, accountContainers: 100 })
    expect(lease?.runId).toBe(id)
    // What happens to another run is no message of this one.
    await world.perform(cancelJobRun, { jobRunId: otherId })
    const { value: started } = await answers.next()
    expect(started?.data.jobRunChanged).toMatchObject({
      event: { type: 'JOB_RUN_STARTED' },
      jobRun: { status: 'RUNNING' },
    })
    await world.perform(cancelJobRun, { jobRunId: id })
    const ending = { database: world.database, lease } as RunContext
    await endWithoutAttempt(ending, await loadRun(world.database, id), 'CANCELLED_BY_USER')
    const rest: Answer[] = []
    for await (const answer of answers) rest.push(answer)
    const [ended] = rest
    expect(rest).toHaveLength(1)
    expect(ended?.data.jobRunChanged).toMatchObject({
      event: { type: 'JOB_RUN_CANCELLED' },
      jobRun: { id, status: 'CANCELLED', reason: 'CANCELLED_BY_USER' },
    })
    // Who comes back with a cursor gets what followed it, and no more.
    const resumed: Answer[] = []
    const after = started?.data.jobRunChanged.cursor
    for await (const answer of subscribe(RUN, { id, after })) resumed.push(answer)
    expect(resumed.map(({ data }) => data.jobRunChanged.event.type)).toEqual(['JOB_RUN_CANCELLED'])
    const seen: Answer[] = []
    for await (const answer of subscribe(RUN, { id, after: ended?.data.jobRunChanged.cursor })) seen.push(answer)
    expect(seen.map(({ data }) => data.jobRunChanged)).toMatchObject([{ event: null, jobRun: { status: 'CANCELLED' } }])
  })

  test('installationChanged sends the current state, then each step, and ends with the removal', async () => {
    const request = { accountId: world.accountId, appName: 'Registry', region: 'local', solutionSlug: 'verdaccio' }
    const { installationId: id, appEnvIds } = await world.perform(installSolution, request)
    const { installationId: otherId } = await world.perform(installSolution, request)
    const answers = subscribe(INSTALLATION, { id })
    const shown = (answer: Answer | undefined) => answer?.data.installationChanged
    expect(shown((await answers.next()).value)).toMatchObject({
      event: null,
      installation: { status: 'INSTALLING', components: [{ key: 'app', state: 'DEPLOYING' }] },
    })
    // What happens to another installation is no message of this one.
    await world.perform(removeInstallation, { installationId: otherId })
    const [operation] = await world.operationsOf(appEnvIds[0] ?? '')
    await world.endOperation(operation?.id ?? null)
    await advanceInstallations(world)
    const { value: ready } = await answers.next()
    expect(shown(ready)).toMatchObject({
      event: { type: 'INSTALLATION_CHANGED' },
      installation: { status: 'INSTALLED', components: [{ key: 'app', state: 'READY' }] },
    })
    await world.perform(removeInstallation, { installationId: id })
    const rest: Answer[] = []
    for await (const answer of answers) rest.push(answer)
    expect(rest.map(shown)).toMatchObject([{ event: { type: 'INSTALLATION_CHANGED' }, installation: null }])
  })

  test('accountEvents continue from a cursor without a gap or a repeat', async () => {
    const accountId = await world.account()
    const { appEnvId } = await world.appEnv({ accountId })
    await world.deploy(appEnvId)
    const all = await world.feed.read(accountId, 0n)
    for (const start of [0, 1, all.length - 1]) {
      const rest = await take(subscribe(EVENTS, { id: accountId, after: String(start) }), all.length - start)
      expect(rest.map(({ data }) => data.accountEvents.cursor)).toEqual(
        all.slice(start).map(({ sequence }) => String(sequence)),
      )
      expect(rest.map(({ data }) => data.accountEvents.event.cursor)).toEqual(
        rest.map(({ data }) => data.accountEvents.cursor),
      )
    }
  })

  test('operationProgress ends with the operation', async () => {
    const { appEnvId } = await world.appEnv()
    const { operationId } = await world.perform(deployImage, { appEnvId, image: 'nginx:1' })
    const answers = subscribe(PROGRESS, { id: operationId })
    const begin = (await answers.next()).value?.data.operationProgress
    expect(begin).toMatchObject({ event: null, operation: { status: 'QUEUED' } })
    await world.endOperation(operationId)
    const rest = await take(answers, 10)
    expect(rest.at(-1)?.data.operationProgress).toMatchObject({
      event: { type: 'OPERATION_SUCCEEDED' },
      operation: { status: 'SUCCEEDED' },
    })
    const late = await take(subscribe(PROGRESS, { id: operationId }), 10)
    expect(late.map(({ data }) => data.operationProgress.operation.status)).toEqual(['SUCCEEDED'])
    // A client that comes back gets what it has not seen; one that has seen the end is not left waiting.
    const missed = await take(subscribe(PROGRESS, { id: operationId, after: begin.cursor }), 10)
    expect(missed.map(({ data }) => data.operationProgress.cursor)).toEqual(
      rest.map(({ data }) => data.operationProgress.cursor),
    )
    const end = rest.at(-1)?.data.operationProgress.cursor
    const nothing = await take(subscribe(PROGRESS, { id: operationId, after: end }), 10)
    expect(nothing.map(({ data }) => data.operationProgress)).toMatchObject([
      { event: null, operation: { status: 'SUCCEEDED' } },
    ])
  })

  test('an expired cursor, an invalid one, and an unknown id are errors', async () => {
    const accountId = await world.account()
    await world.app({ accountId })
    await world.app({ accountId })
    await world.database.event.updateMany({
      where: { eventSequenceId: accountId, sequence: { lte: 2 } },
      data: { createdAt: new Date(0) },
    })
    await expireEvents(world.database, 24)
    const code = async (variables: Record<string, unknown>) =>
      (await take(subscribe(EVENTS, variables), 1))[0]?.errors?.[0]?.extensions?.code
    expect(await code({ id: accountId, after: '0' })).toBe('CURSOR_EXPIRED')
    expect(await code({ id: accountId, after: '99' })).toBe('INVALID_INPUT')
    expect(await code({ id: accountId, after: 'nonsense' })).toBe('INVALID_INPUT')
    expect(await code({ id: 'acc_01h2xcejqtf2nbrexx3vqjhp41' })).toBe('NOT_FOUND')
  })

  test('a caller from another account is refused', async () => {
    const stranger = await world.user({ accountId: await world.account() })
    const [answers] = await take(subscribe(EVENTS, { id: world.accountId }, stranger.token), 1)
    expect(answers?.errors?.[0]?.extensions?.code).toBe('FORBIDDEN')
  })

  test('a restricted member gets events of their environments only', async () => {
    const accountId = await world.account()
    const [mine, other] = [await world.appEnv({ accountId }), await world.appEnv({ accountId, name: 'other' })]
    const member = await world.user({ accountId, appEnvIds: [mine.appEnvId] })
    const after = String(await world.feed.head(accountId))
    await world.deploy(other.appEnvId)
    await world.deploy(mine.appEnvId)
    const answers = await take(subscribe(EVENTS, { id: accountId, after }, member.token), 3)
    expect(new Set(answers.map(({ data }) => data.accountEvents.event.appEnvId))).toEqual(new Set([mine.appEnvId]))
  })
})

describe('a live subscription', () => {
  test('is closed with 4403 when the token is revoked', async () => {
    const { tokenId, token } = await world.token()
    const socket = openSocket(world.url, token)
    const answers = socket.iterate(EVENTS, { id: world.accountId })
    await answers.next()
    await world.perform(revokeToken, { tokenId })
    void take(answers, 10).catch(() => {})
    expect(await socket.closed).toMatchObject({ code: 4403 })
  })

  test('is closed with 4403 when the membership is lost', async () => {
    const { userId, token } = await world.user()
    const socket = openSocket(world.url, token)
    const answers = socket.iterate(EVENTS, { id: world.accountId })
    await answers.next()
    await world.perform(removeMember, { accountId: world.accountId, userId })
    void take(answers, 10).catch(() => {})
    expect(await socket.closed).toMatchObject({ code: 4403 })
  })

  test('over SSE ends with the refusal', async () => {
    const { tokenId, token } = await world.token()
    const answers = overSse({ url: world.url, token, query: EVENTS, variables: { id: world.accountId } })
    await answers.next()
    await world.perform(revokeToken, { tokenId })
    const rest = await take(answers, 10)
    expect(rest.at(-1)?.errors?.[0]?.extensions?.code).toBe('UNAUTHENTICATED')
  })
})

describe('a WebSocket', () => {
  test.each([null, 'berth_u_nonsense'])('with the token %s is closed with 4401 and words', async (token) => {
    const socket = openSocket(world.url, token)
    void take(socket.iterate('{ __typename }'), 1).catch(() => {})
    expect(await socket.closed).toMatchObject({ code: 4401, reason: expect.stringContaining('send a valid token') })
  })

  test('has a limited number of subscriptions, and keeps the existing ones', async () => {
    const socket = openSocket(world.url, world.adminToken)
    const open = [1, 2, 3].map(() => socket.iterate(EVENTS, { id: world.accountId }))
    for (const answers of open) await answers.next()
    const [refused] = await take(socket.iterate(EVENTS, { id: world.accountId }), 1)
    expect(refused?.errors?.[0]?.extensions).toMatchObject({ code: 'RATE_LIMITED', reason: 'TOO_MANY_SUBSCRIPTIONS' })
    await world.app()
    expect((await open[0]?.next())?.value?.data.accountEvents.event.type).toBe('APP_CREATED')
    await socket.close()
  })

  test('answers queries and mutations too', async () => {
    const socket = openSocket(world.url, world.adminToken)
    const [answers] = await take(socket.iterate('{ me { email } }'), 1)
    expect(answers?.data.me.email).toBe('admin@localhost')
    await socket.close()
  })
})

test('EventSource, which can only GET, follows too', async () => {
  const leaving = new AbortController()
  const address = new URL(world.url)
  address.searchParams.set('query', EVENTS)
  address.searchParams.set('variables', JSON.stringify({ id: world.accountId }))
  const response = await fetch(address, {
    headers: { accept: 'text/event-stream', authorization: world.adminToken },
    signal: leaving.signal,
  })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes('"event":null')) break
  }
  leaving.abort()
})

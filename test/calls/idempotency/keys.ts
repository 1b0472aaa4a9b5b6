import { setTimeout as pause } from 'node:timers/promises'
import { createSubject, ended, type Subject } from '../../crash/harness/subject.ts'
import type { TestCluster } from '../../crash/harness/test-cluster.ts'
import { deployImage, expectEqual, expectThat, inParallel, newKey, overRest, type Reply, type Write } from './calls.ts'

export type Log = (line: string) => void

/** An answer, and the write that a repeat has to get it from. */
interface Kept {
  write: Write
  key: string
  reply: Reply
}

const operationsOf = async ({ pool }: TestCluster, { appEnvId }: Subject): Promise<number> =>
  Number((await pool.query('SELECT count(*) FROM operation WHERE app_env_id = $1', [appEnvId])).rows[0].count)

/** Fifty calls at once under one key, over all api processes: one operation, fifty equal answers. */
export async function fiftyCalls(cluster: TestCluster, subject: Subject, log: Log): Promise<Kept[]> {
  const kept: Kept[] = []
  for (const [api, write] of Object.entries(deployImage(cluster, subject.appEnvId))) {
    const [key, before] = [newKey('fifty'), await operationsOf(cluster, subject)]
    const replies = await inParallel(50, write, { key })
    const reply = expectEqual(replies, `Fifty calls over ${api}`)
    const firsts = replies.filter(({ isReplay }) => !isReplay).length
    const begun = (await operationsOf(cluster, subject)) - before
    expectThat(reply.status === 200 && firsts === 1 && begun === 1, 'One call does it', { reply, firsts, begun })
    kept.push({ write, key, reply })
    log(`50 parallel calls over ${api}: 1 operation, 50 equal answers, 49 of them replays`)
  }
  return kept
}

/** A refusal is one answer too, though the state that it came from changes at the same time. */
export async function fiftyRefusals(
  cluster: TestCluster,
  { rounds, random }: { rounds: number; random: () => number },
  log: Log,
): Promise<void> {
  const seen = { accepted: 0, refused: 0 }
  for (let round = 0; round < rounds; round += 1) {
    const subject = await createSubject(cluster, `Refused ${round}`)
    const stop = overRest(cluster, 'POST', '/app-env/stop', { appEnvId: subject.appEnvId })
    const deploy = deployImage(cluster, subject.appEnvId).REST
    const [replies] = await Promise.all([
      pause(random() * 10).then(() => inParallel(50, stop, { key: newKey('refused') })),
      pause(random() * 20).then(() => deploy(0, {})),
    ])
    const { status } = expectEqual(replies, 'Fifty calls, of which the state refuses some')
    expectThat(status === 200 || status === 409, 'It is accepted or refused', replies[0])
    seen[status === 200 ? 'accepted' : 'refused'] += 1
  }
  log(`${rounds} × 50 calls while the state changes: each time one answer (${JSON.stringify(seen)})`)
}

/** What a key is bound to: the caller, the route and the request. */
export async function boundaries(
  cluster: TestCluster,
  subject: Subject,
  kept: readonly Kept[],
  log: Log,
): Promise<void> {
  for (const { write, key, reply } of kept) {
    const other = await write(1, { key, change: { image: 'another:1' } })
    expectThat(other.status === 422, 'Another request under the key is refused', other)
    const version = await write(1, { key, expected: 1 })
    expectThat(version.status === 422, 'The version that is insisted on is part of the request', version)
    const again = await write(0, { key })
    expectThat(again.isReplay && again.text === reply.text, 'The first request still gets its answer', again)
  }
  const { token } = await cluster.ok('POST', '/token', { kind: 'USER', name: newKey('token') })
  const { write, key, reply } = kept[0] as Kept
  const apart = await write(0, { key, token: String(token) })
  expectThat(!apart.isReplay && apart.operationId !== reply.operationId, 'Keys of other callers are others', apart)
  const other = overRest(cluster, 'POST', '/app-env/rollback', { appEnvId: subject.appEnvId })
  const route = await other(0, { key })
  expectThat(!route.isReplay && route.status !== 422, 'Keys of other routes are others', route)
  log('another request under a key: 422; keys of other callers and routes are apart')
}

/** Every answer once more, byte by byte, from processes that have not given it. */
export async function repeats(kept: readonly Kept[], when: string, log: Log): Promise<void> {
  for (const { write, key, reply } of kept) {
    for (const api of [0, 1]) {
      const again = await write(api, { key })
      const isEqual = again.isReplay && again.text === reply.text && again.status === reply.status
      expectThat(isEqual, `A repeat ${when} is equal to the byte`, { reply, again })
    }
  }
  log(`repeats ${when}, through each api process: equal to the byte`)
}

export async function killApis(cluster: TestCluster): Promise<void> {
  for (const api of cluster.of('api')) api.signal('SIGKILL')
  await pause(100)
  await Promise.all(cluster.of('api').map((api) => api.ready()))
}

/** The first call is held up in the middle of its transaction; the second gets an error that says so, and the key is not lost. */
export async function stillRunning(cluster: TestCluster, subject: Subject, log: Log): Promise<void> {
  const { REST: write } = deployImage(cluster, subject.appEnvId)
  const key = newKey('running')
  cluster.orders.arm({ point: 'request.decided', subject: 'deployImage', pass: 1 }, 'SIGSTOP', key)
  const first = write(0, { key })
  while (!cluster.orders.isFired) await pause(20)
  const since = performance.now()
  const second = await write(1, { key })
  const waited = ((performance.now() - since) / 1000).toFixed(1)
  expectThat(second.status === 409 && second.text.includes('IDEMPOTENCY_IN_PROGRESS'), 'It gets the error', second)
  cluster.of('api')[0]?.signal('SIGCONT')
  const reply = await first
  await repeats([{ write, key, reply }], 'after the first call went on', log)
  log(`a first call that is still running: 409 after ${waited} s`)
}

/** The waiting process is killed; a repeat waits instead, gets the result, and so does every other. */
export async function waitAcrossKill(cluster: TestCluster, subject: Subject, log: Log): Promise<void> {
  const [worker] = cluster.of('worker')
  for (const [api, write] of Object.entries(deployImage(cluster, subject.appEnvId))) {
    const key = newKey('wait')
    // As soon as it has taken the operation up, so that it does not end while nobody is there to see it.
    cluster.orders.arm({ point: 'lease.claimed', subject: subject.appEnvId, pass: 1 }, 'SIGSTOP', key)
    const lost = write(0, { key, waitSeconds: 60 }).catch(() => null)
    while (!cluster.orders.isFired) await pause(20)
    const meanwhile = await write(1, { key, waitSeconds: 60 })
    expectThat(meanwhile.status === 409, 'While the first call waits, a second gets the error', meanwhile)
    await killApis(cluster)
    expectThat((await lost) === null, 'The first answer is lost', await lost)
    worker?.signal('SIGCONT')
    const reply = await answerTo(write, key)
    expectThat(/"status":"RUNNING"/.test(reply.text), 'The repeat gets the result', reply)
    await repeats([{ write, key, reply }], `of a ${api} call whose process died while it waited`, log)
  }
}

/** Repeated until it is no longer taken for being waited for by the process that died. */
async function answerTo(write: Write, key: string): Promise<Reply> {
  for (const until = performance.now() + 30_000; ; await pause(200)) {
    const reply = await write(1, { key, waitSeconds: 60 })
    if (reply.status !== 409) return reply
    expectThat(performance.now() < until, 'A key is not held by the dead', reply)
  }
}

/** Kept for as long as is promised; then the key is free, whether or not its row is gone yet. */
export async function expiry(cluster: TestCluster, subject: Subject, kept: readonly Kept[], log: Log): Promise<void> {
  const { pool } = cluster
  const hours = await pool.query(`
    SELECT count(*) AS rows, min(expires_at - now()) > interval '23 hours 30 minutes' AS "isLong" FROM idempotency_record`)
  expectThat(hours.rows[0].isLong === true, 'Every answer is kept for 24 hours', hours.rows[0])
  const { write, key } = kept[0] as Kept
  await pool.query("UPDATE idempotency_record SET expires_at = now() - interval '1 second'")
  const anew = await write(0, { key, change: { image: 'another:1' } })
  expectThat(anew.status === 200 && !anew.isReplay, 'A key that has had its time is free', anew)
  await ended(cluster, await cluster.begin('POST', '/app-env/stop', { appEnvId: subject.appEnvId }))
  const [worker] = cluster.of('worker')
  worker?.signal('SIGKILL')
  for (const until = performance.now() + 30_000; ; await pause(200)) {
    const { rows } = await pool.query(
      'SELECT count(*)::int AS expired FROM idempotency_record WHERE expires_at < now()',
    )
    if (rows[0].expired === 0) break
    expectThat(performance.now() < until, 'Workers clear away what has expired', rows[0])
  }
  log(`${hours.rows[0].rows} answers kept for 24 hours, then free, then cleared away`)
}

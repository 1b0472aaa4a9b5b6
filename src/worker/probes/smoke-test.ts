import { wordsFor } from '../../engines/runtime/readiness.ts'
import { askAddress } from '../../network/addresses/ask-address.ts'
import type { Database } from '../../storage/database/client.ts'

/** The request to a solution, and the expected answer. */
interface SmokeTest {
  path: string
  status: number
  /** Text that the answer contains. */
  contains?: string | undefined
}

const ANSWER_SECONDS = 10
const ANSWER_BYTES = 1024 * 1024

/**
 * Asks a ready container of the environment as the ingress would: with the environment's first host, once, following no
 * redirect. An environment that sleeps has shown that it starts, and is left asleep. Never throws because of the container.
 */
export async function askSmokeTest(
  database: Database,
  appEnvId: string,
  { path, status, contains }: SmokeTest,
): Promise<{ passed: boolean; reason: string }> {
  const { hosts, replicas, requestScaling } = await database.appEnv.findUniqueOrThrow({
    where: { id: appEnvId },
    select: {
      hosts: { select: { host: true }, orderBy: { id: 'asc' }, take: 1 },
      replicas: {
        where: { state: 'READY', address: { not: null } },
        select: { address: true, port: true },
        orderBy: { index: 'asc' },
        take: 1,
      },
      requestScaling: { select: { depth: true } },
    },
  })
  if (requestScaling?.depth) return { passed: true, reason: 'It sleeps' }
  const [replica] = replicas
  if (!replica?.address || !replica.port) return { passed: false, reason: 'no container is ready' }
  const host = hosts[0]?.host ?? replica.address
  const asked = `GET ${path}`
  try {
    const answer = await askAddress(new URL(path, `http://${host}:${replica.port}`), [replica.address], {
      headers: { host, 'x-forwarded-host': host, 'x-forwarded-proto': 'http', 'user-agent': 'Berth-Probe' },
      signal: AbortSignal.timeout(ANSWER_SECONDS * 1000),
      bodyBytes: ANSWER_BYTES,
    })
    if (answer.status !== status)
      return { passed: false, reason: `${asked} answered ${answer.status} instead of ${status}` }
    const passed = contains === undefined || answer.body.toString('utf8').includes(contains)
    return { passed, reason: passed ? `${asked} answered ${status}` : `${asked} answered without “${contains}”` }
  } catch (error) {
    return { passed: false, reason: wordsFor(error, asked, replica.port) }
  }
}

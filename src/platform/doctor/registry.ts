import { clockState } from '../../storage/database/database-probe.ts'
import { type Finding, ofPart, ok, warn } from './finding.ts'

const ANSWER_MS = 4_000
/** Where images without the name of a registry come from. */
const DEFAULT_REGISTRY = 'https://registry-1.docker.io'

export type RegistryAnswer =
  /** The date of its answer, and this machine's time when it was sent and when it was there. */
  { url: string; date: string | null; askedAt: number; answeredAt: number } | { url: string; failed: string }

/** The mirrors of the engine, and Docker Hub: the first that answers counts. */
export async function askRegistry(mirrors: readonly string[]): Promise<RegistryAnswer> {
  const answers = await Promise.all([...mirrors, DEFAULT_REGISTRY].map(ask))
  return answers.find((answer) => 'date' in answer) ?? (answers.at(-1) as RegistryAnswer)
}

async function ask(registry: string): Promise<RegistryAnswer> {
  const url = new URL('/v2/', registry).href
  const askedAt = Date.now()
  try {
    const { headers } = await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS) })
    return { url, date: headers.get('date'), askedAt, answeredAt: Date.now() }
  } catch (error) {
    const { cause, name } = error as Error & { cause?: NodeJS.ErrnoException }
    return { url, failed: name === 'TimeoutError' ? 'no answer' : (cause?.code ?? (error as Error).message) }
  }
}

export function registryFindings(answer: RegistryAnswer): Finding[] {
  if ('failed' in answer)
    return [
      warn(
        'registry',
        `${answer.url} cannot be reached (${answer.failed})`,
        'Go on if this machine is offline on purpose: images that the engine has still run',
      ),
    ]
  const reached = ok('registry', `${answer.url} answers`)
  const aheadMs = answer.date === null ? Number.NaN : aheadOf(Date.parse(answer.date), answer)
  if (Number.isNaN(aheadMs)) return [reached]
  return [reached, ofPart('registryClock', clockState('the registry', aheadMs), 'as that of this machine')]
}

/** A date of HTTP has whole seconds, and was written at some time between question and answer. */
function aheadOf(date: number, { askedAt, answeredAt }: { askedAt: number; answeredAt: number }): number {
  if (date > answeredAt) return date - answeredAt
  return Math.min(0, date + 1_000 - askedAt)
}

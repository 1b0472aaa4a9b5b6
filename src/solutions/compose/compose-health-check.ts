import { type ComposeProblems, isObject, isTrue, textsOf } from './compose-problems.ts'
import { readSeconds, readWhole } from './compose-units.ts'

export interface ComposeHealthCheck {
  /** What curl or wget, and nothing else, asks of the container itself over HTTP: the app answers it itself, whatever programs its image has. */
  asked: { path: string; port: number } | null
  /** Whether the file says how often, and for how long. */
  isTimed: boolean
  /** What the file runs in the container; null for none. */
  probe: CommandProbe | null
}

interface CommandProbe {
  type: 'COMMAND'
  command: string[]
  periodSeconds: number
  timeoutSeconds: number
  failureThreshold: number
}

const NOTHING: ComposeHealthCheck = { asked: null, isTimed: false, probe: null }

const MAX_CALL = 1_000

/** What compose does where the file says nothing; the bounds are those of probes. */
const INTERVAL = { fallback: 30, max: 3600 }
const TIMEOUT = { fallback: 30, max: 60 }
const RETRIES = { fallback: 3, max: 100 }

/** A check of the image itself is not read: what the file says of it, or nothing, is what counts. */
export function readHealthCheck(given: unknown, place: string, problems: ComposeProblems): ComposeHealthCheck {
  if (!isObject(given) || isTrue(given.disable) || given.test === undefined) return NOTHING
  const command = commandOf(given.test, `${place}.test`, problems)
  if (command === null) return NOTHING
  const seconds = (name: string, { fallback, max }: { fallback: number; max: number }) =>
    given[name] === undefined ? fallback : (readSeconds(given[name], `${place}.${name}`, max, problems) ?? fallback)
  const retries =
    given.retries === undefined
      ? RETRIES.fallback
      : readWhole(given.retries, `${place}.retries`, { min: 1, max: RETRIES.max }, problems)
  return {
    asked: askedBy(command),
    isTimed: ['interval', 'timeout', 'retries'].some((name) => given[name] !== undefined),
    probe: {
      type: 'COMMAND',
      command,
      periodSeconds: seconds('interval', INTERVAL),
      timeoutSeconds: seconds('timeout', TIMEOUT),
      failureThreshold: retries ?? RETRIES.fallback,
    },
  }
}

/** A call of curl or wget with options and one address, and `|| exit 1` after it. */
const CALL =
  /^(?:curl|wget)(?: +-{1,2}[\w-]+(?:[= ](?:\d{1,5}|\/dev\/null|-))?)* +["']?http:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?::(\d{1,5}))?(\/[\w./?=&%+~-]{0,500})?["']?(?: +-{1,2}[\w-]+(?:[= ]\/dev\/null)?)*(?: *\|\| *exit 1)?$/

function askedBy(command: readonly string[]): { path: string; port: number } | null {
  const text = command[0] === '/bin/sh' && command[1] === '-c' ? (command[2] ?? '') : command.join(' ')
  if (text.length > MAX_CALL) return null
  const found = CALL.exec(text.trim())
  return found ? { path: found[2] ?? '/', port: Number(found[1] ?? 80) } : null
}

/** Exactly what compose would run; null where it runs nothing, or where that cannot be known. */
function commandOf(test: unknown, place: string, problems: ComposeProblems): string[] | null {
  if (typeof test === 'string') return ['/bin/sh', '-c', test]
  const [kind, ...words] = textsOf(test)
  if (kind === 'NONE') return null
  if (kind === 'CMD' && words.length > 0) return words
  if (kind === 'CMD-SHELL' && words.length === 1) return ['/bin/sh', '-c', ...words]
  problems.add(place, 'must be a text, or a list that begins with CMD and a program, CMD-SHELL and one text, or NONE')
  return null
}

import { type ComposeProblems, isObject, textsOf } from './compose-problems.ts'

export interface ComposeHealthCheck {
  /** Of a check by curl or wget: the app answers it itself, whatever programs its image has. */
  path: string | null
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

const NOTHING: ComposeHealthCheck = { path: null, probe: null }

/** What compose does where the file says nothing; the bounds are those of probes. */
const TIMING = {
  interval: { field: 'periodSeconds', fallback: 30, max: 3600 },
  timeout: { field: 'timeoutSeconds', fallback: 30, max: 60 },
} as const
const RETRIES = { fallback: 3, max: 100 }

const READ = ['test', 'interval', 'timeout', 'retries', 'start_period', 'start_interval', 'disable']

/** A check of the image itself is not read: what the file says of it, or nothing, is what counts. */
export function readHealthCheck(given: unknown, place: string, problems: ComposeProblems): ComposeHealthCheck {
  if (given === undefined || given === null) return NOTHING
  if (!isObject(given)) {
    problems.add(place, 'must be an object')
    return NOTHING
  }
  for (const field of Object.keys(given))
    if (!READ.includes(field)) problems.add(`${place}.${field}`, 'is not supported')
  if (given.disable === true || given.test === undefined) return NOTHING
  const command = commandOf(given.test, `${place}.test`, problems)
  if (command === null) return NOTHING
  const path =
    /https?:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?::\d+)?(\/[^\s"'|;]*)/.exec(command.join(' '))?.[1] ?? null
  return {
    path,
    probe: {
      type: 'COMMAND',
      command,
      periodSeconds: secondsOf(given.interval, 'interval', place, problems),
      timeoutSeconds: secondsOf(given.timeout, 'timeout', place, problems),
      failureThreshold: retriesOf(given.retries, place, problems),
    },
  }
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

const UNITS = { h: 3600, m: 60, s: 1, ms: 0.001, us: 0.000_001 } as const

function secondsOf(given: unknown, name: keyof typeof TIMING, place: string, problems: ComposeProblems): number {
  const { fallback, max } = TIMING[name]
  if (given === undefined) return fallback
  const text = String(given)
  const parts = [...text.matchAll(/(\d{1,9}(?:\.\d{1,9})?)(h|ms|us|m|s)/g)]
  const isDuration = parts.length > 0 && parts.map(([part]) => part).join('') === text
  const seconds = parts.reduce((sum, [, number, unit]) => sum + Number(number) * UNITS[unit as keyof typeof UNITS], 0)
  const whole = Math.max(1, Math.ceil(seconds))
  if (isDuration && whole <= max) return whole
  problems.add(`${place}.${name}`, `must be a duration of at most ${max}s, such as 10s or 1m`)
  return fallback
}

function retriesOf(given: unknown, place: string, problems: ComposeProblems): number {
  const { fallback, max } = RETRIES
  if (given === undefined) return fallback
  const retries = Number(given)
  if (Number.isInteger(retries) && retries >= 1 && retries <= max) return retries
  problems.add(`${place}.retries`, `must be 1 to ${max}`)
  return fallback
}

import { getAppType } from '../../app-types/app-types.ts'
import { isProbed, refusedHealthCheck } from '../../app-types/behaviours.ts'
import { type FieldProblem, invalidInput } from '../../domain/errors.ts'
import {
  type AppEnvHealthCheck,
  asksNetwork,
  type HealthCheckSettings,
  healthCheckType,
  PROBE_TIMING,
  PROBES,
  questionProblems,
} from '../../domain/health-check.ts'

type Sent = { [Name in keyof AppEnvHealthCheck]: AppEnvHealthCheck[Name] | null }

const QUESTION = ['type', 'path', 'port', 'headers', 'command', ...PROBE_TIMING] as const

/** What is set on an environment, without what is not. */
export const setValues = (check: object): AppEnvHealthCheck =>
  Object.fromEntries(Object.entries(check).filter(([, value]) => value !== null && value !== undefined))

/**
 * The environment's own health check after a change of some of its fields; null goes back to the app's value, or removes
 * a probe. Another type starts from its defaults: the former settings would contradict it.
 */
export function changedHealthCheck(before: AppEnvHealthCheck, sent: Sent): AppEnvHealthCheck {
  const named = sent.type ?? (sent.command ? 'COMMAND' : null)
  const isOther = sent.type === null || (named !== null && named !== ownType(before))
  const kept = isOther ? withoutQuestion(before) : before
  const next = setValues({ ...kept, ...sent, ...(named === null ? {} : { type: named }) })
  // No type was named: TCP or HTTP follow from the path.
  return named === null && next.type && asksNetwork(next) && sent.path !== undefined ? withoutType(next) : next
}

const ownType = (check: HealthCheckSettings) =>
  (check.type ?? check.path ?? check.command) ? healthCheckType(check) : null

const withoutQuestion = (check: AppEnvHealthCheck): AppEnvHealthCheck =>
  Object.fromEntries(Object.entries(check).filter(([field]) => !(QUESTION as readonly string[]).includes(field)))

const withoutType = ({ type: _type, ...check }: AppEnvHealthCheck): AppEnvHealthCheck => check

/** Throws for a health check that contradicts itself, or that apps of the type cannot have. `place` is where it was sent. */
export function requireFitting(app: { type: string }, check: AppEnvHealthCheck, place = ''): void {
  const type = getAppType(app.type)
  const refused = refusedHealthCheck(type, healthCheckType(check))
  const problems: FieldProblem[] = [
    ...(refused && (check.type || place) ? [{ field: 'type', message: refused }] : []),
    ...(isProbed(type) ? [...questionProblems(check), ...unaskable(check)] : []),
  ]
  if (problems.length > 0)
    throw invalidInput(problems.map(({ field, message }) => ({ field: `${place}${field}`, message })))
}

/** Where nothing listens, a probe over the network could only fail. */
function unaskable(check: AppEnvHealthCheck): FieldProblem[] {
  if (healthCheckType(check) !== 'NONE') return []
  return networkProbes(check).map((name) => ({
    field: `${name}.type`,
    message: `must be COMMAND while the type of the health check is NONE: nothing listens; send null for no ${name} probe`,
  }))
}

/** The probes that ask over the network. */
export const networkProbes = (check: AppEnvHealthCheck) =>
  PROBES.filter((name) => {
    const probe = check[name]
    return probe && asksNetwork(probe)
  })

import { createHash } from 'node:crypto'
import type { BuildPlan } from '../domain/build-plan.ts'

/** Equal for builds that would make the same image: same source, same settings, same variables. */
export function buildKeyOf(plan: BuildPlan, identity: string): string {
  const { source: _source, isForced: _isForced, pullCredentialId: _credential, variables, ...settings } = plan
  const read = variables.map(({ name, fingerprint }) => `${name} ${fingerprint}`).sort()
  return createHash('sha256')
    .update(JSON.stringify([identity, settings, read]))
    .digest('hex')
}

import { createHash } from 'node:crypto'
import type { BuildPlan } from '../domain/build-plan.ts'
import type { SealedVariable } from '../domain/configuration.ts'

/** The same for builds that would make the same image: same source, same settings, same variables. */
export function buildKeyOf(plan: BuildPlan, identity: string, variables: readonly SealedVariable[]): string {
  const { source: _source, isForced: _isForced, pullCredentialId: _credential, ...settings } = plan
  const read = variables
    .filter(({ type }) => type !== 'DEPLOY')
    .map(({ name, fingerprint }) => `${name} ${fingerprint}`)
    .sort()
  return createHash('sha256')
    .update(JSON.stringify([identity, settings, read]))
    .digest('hex')
}

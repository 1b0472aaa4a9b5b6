import { HostRules } from '../addresses/host-rules.ts'
import { parseImageReference } from '../domain/image-reference.ts'

export interface RegistrySettings {
  BERTH_PRIVATE_REGISTRIES: readonly string[]
  BERTH_PUSH_REPOSITORY?: string | undefined
}

/** At which addresses registries may be: the operator's own one is listed by being pushed to. */
export const registryRules = (settings: RegistrySettings): HostRules =>
  new HostRules([...settings.BERTH_PRIVATE_REGISTRIES, registryOfPushes(settings) ?? []].flat())

/** The registry of the repository that builds are pushed to; null for none. */
export function registryOfPushes({ BERTH_PUSH_REPOSITORY: repository }: RegistrySettings): string | null {
  const parsed = repository ? parseImageReference(`${repository}/any`) : { problem: 'none' }
  return 'reference' in parsed ? parsed.reference.registry : null
}

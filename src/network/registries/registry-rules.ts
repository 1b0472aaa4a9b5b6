import { parseImageReference } from '../../domain/image-reference.ts'
import { HostRules } from '../addresses/host-rules.ts'

export interface RegistrySettings {
  /** Empty: every public one. */
  BERTH_REGISTRIES: readonly string[]
  BERTH_PRIVATE_REGISTRIES: readonly string[]
  BERTH_PUSH_REPOSITORY?: string | undefined
}

/** At which addresses registries may be: the operator's own one is listed by being pushed to. */
export const registryRules = (settings: RegistrySettings): HostRules =>
  new HostRules([...settings.BERTH_PRIVATE_REGISTRIES, registryOfPushes(settings) ?? []].flat())

/**
 * Whether images of accounts may come from a registry. A list is the only defence against one that sends the engine elsewhere:
 * the engine follows redirects of a registry by itself, to any address.
 */
export const isRegistryListed = (registry: string, { BERTH_REGISTRIES, ...settings }: RegistrySettings): boolean =>
  BERTH_REGISTRIES.length === 0 ||
  BERTH_REGISTRIES.some((listed) => listed.toLowerCase() === registry.toLowerCase()) ||
  registry === registryOfPushes({ BERTH_REGISTRIES, ...settings })

/** The registry of the repository that builds are pushed to; null for none. */
export function registryOfPushes({ BERTH_PUSH_REPOSITORY: repository }: RegistrySettings): string | null {
  const parsed = repository ? parseImageReference(`${repository}/any`) : { problem: 'none' }
  return 'reference' in parsed ? parsed.reference.registry : null
}

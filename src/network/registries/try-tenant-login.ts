import { HostRules } from '../addresses/host-rules.ts'
import { isRegistryListed, type RegistrySettings, registryOfPushes } from './registry-rules.ts'
import { type LoginVerdict, type RegistryLogin, tryLogin } from './try-login.ts'

/**
 * Tries a login that a tenant sent. The operator's registry that builds are pushed to may be pulled from wherever it is,
 * but no tenant may try passwords at its private address, unless it is listed.
 */
export async function tryTenantLogin(
  registry: string,
  login: RegistryLogin,
  settings: RegistrySettings,
): Promise<LoginVerdict> {
  if (!isRegistryListed(registry, settings))
    return { kind: 'unknown', why: 'is not asked: images come from other registries here' }
  const verdict = await tryLogin(registry, login, new HostRules(settings.BERTH_PRIVATE_REGISTRIES))
  if (verdict.kind !== 'refused' || registry !== registryOfPushes(settings)) return verdict
  return { kind: 'unknown', why: 'is not asked: it is the one that Berth pushes to' }
}

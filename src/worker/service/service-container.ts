import { engineOf } from '../../app-types/behaviours.ts'
import type { Engine, EngineContainer, EngineFacts } from '../../app-types/engines/engine.ts'
import { engineFacts, engineVersion, recordedSettings } from '../../app-types/engines/engines.ts'
import type { Configuration } from '../../domain/configuration.ts'
import { openedCredentials } from '../../references/connection-urls.ts'
import type { Sandbox } from '../../runtime/sandbox.ts'
import { VersionFailed } from '../attempt/version-failed.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'

/** What runs in a container of a managed service, with its secrets opened: never logged, never stored. */
export interface ServiceContainer {
  engine: Engine
  facts: EngineFacts
  container: EngineContainer
  /** What copies it; null where nothing does. */
  follower: (EngineContainer & { entrypoint: readonly string[] }) | null
  sandbox: Sandbox
}

/** Null for apps that bring their own program. The credentials are today's, whatever the version was recorded with. */
export function serviceContainer(
  { vault }: Pick<EnvironmentContext, 'vault'>,
  appEnv: Pick<ClaimedAppEnv, 'id' | 'app' | 'account' | 'serviceCredentials'>,
  { presetVersion = null, typeConfig }: Configuration,
): ServiceContainer | null {
  const engine = engineOf(appEnv.app)
  if (!engine) return null
  const version = engineVersion(engine, presetVersion)
  if (!version)
    throw new VersionFailed('PRESET_VERSION_REMOVED', `${engine.title} has no version ${presetVersion} any more`)
  const credentials = openedCredentials(vault, appEnv)
  if (!credentials) throw new Error(`${appEnv.id} has no credentials`)
  const facts = engineFacts(engine, version, credentials, recordedSettings(typeConfig))
  const { hardening } = engine
  const follower = engine.replication?.container(facts) ?? null
  const sandbox = { ...hardening, capabilities: [...hardening.capabilities] }
  return { engine, facts, container: engine.container(facts), follower, sandbox }
}

import { engineOf, isService } from '../../app-types/behaviours.ts'
import type { Engine, EngineContainer, EngineFacts } from '../../app-types/engines/engine.ts'
import { engineFacts, engineVersion, recordedSettings, versionName } from '../../app-types/engines/engines.ts'
import type { Configuration } from '../../domain/configuration.ts'
import type { Sandbox } from '../../engines/runtime/container-runtime.ts'
import { openedCredentials } from '../../storage/references/connection-urls.ts'
import { VersionFailed } from '../attempt/version-failed.ts'
import type { ClaimedAppEnv, EnvironmentContext, KeyHolder } from '../context/environment-context.ts'

/** What runs in a container of a managed service, with its secrets opened: never logged, never stored. */
export interface ServiceContainer {
  engine: Engine
  facts: EngineFacts
  container: EngineContainer
  /** What copies it; null where nothing does. */
  follower: (EngineContainer & { entrypoint: readonly string[] }) | null
  sandbox: Sandbox
}

/** The same for what goes on without it: draining, measuring, probing. Null where Berth does not know the version. */
export function knownService(...given: Parameters<typeof serviceContainer>): ServiceContainer | null {
  try {
    return serviceContainer(...given)
  } catch (error) {
    if (error instanceof VersionFailed) return null
    throw error
  }
}

const removed = (engine: Engine | null, version: string): string =>
  engine
    ? `${engine.title} has no version ${version} any more. Set dockerPresetVersion to ${engine.versions.map((one) => versionName(engine, one)).join(' or ')} (PUT /app-env), then redeploy`
    : `This Berth has no managed service ${version}. Its data is kept: stop or delete the environment, and create one of a preset that GET /database-presets lists`

/** Null for apps that bring their own program. The credentials are today's, whatever the version was recorded with. */
export function serviceContainer(
  { vault }: Pick<EnvironmentContext, 'vault'>,
  appEnv: Pick<ClaimedAppEnv, 'id' | 'serviceCredentials'> & {
    app: Pick<ClaimedAppEnv['app'], 'type' | 'dockerPreset'>
    account: KeyHolder
  },
  { presetVersion = null, typeConfig }: Configuration,
): ServiceContainer | null {
  if (!isService(appEnv.app)) return null
  // What it was recorded with decides: the preset of the app says nothing of the data.
  const engine = engineOf(appEnv.app, presetVersion)
  const version = engine && engineVersion(engine, presetVersion)
  if (!version)
    throw new VersionFailed('PRESET_VERSION_REMOVED', removed(engine, presetVersion ?? appEnv.app.dockerPreset))
  const credentials = openedCredentials(vault, appEnv)
  if (!credentials) throw new Error(`${appEnv.id} has no credentials`)
  const facts = engineFacts(engine, version, credentials, recordedSettings(typeConfig))
  const { hardening } = engine
  const follower = engine.replication?.container(facts) ?? null
  const sandbox = { ...hardening, capabilities: [...hardening.capabilities] }
  return { engine, facts, container: engine.container(facts), follower, sandbox }
}

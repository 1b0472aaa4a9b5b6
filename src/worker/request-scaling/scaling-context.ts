import type { Config } from '../../config/config.ts'
import type { Database } from '../../storage/database/client.ts'
import type { AppEnvLease } from '../claim/app-env-lease.ts'
import type { ClaimedAppEnv, EnvironmentContext } from '../context/environment-context.ts'

/** What a decision about one environment needs. */
export interface ScalingContext {
  database: Database
  config: Config
  lease: AppEnvLease
  /** What only some steps need: loading it takes as long as waking a frozen container. */
  load(): Promise<{ context: EnvironmentContext; appEnv: ClaimedAppEnv }>
  /** False: it ran already. */
  unfreeze(name: string): Promise<boolean>
}

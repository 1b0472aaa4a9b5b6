import { appEnvTarget } from '../../../calls/input.ts'
import type { AppEnvAddress } from '../../../services/targets/load-app-env.ts'
import type { ArgBuilder } from '../derive/arguments.ts'

/** The two ways to name an environment, as arguments; services take one of them. */
export const addressArgs = (arg: ArgBuilder) => ({
  appEnvId: arg.id({ description: appEnvTarget.appEnvId.description }),
  envName: arg.string({ description: appEnvTarget.envName.description }),
})

export interface AddressArgs {
  appEnvId?: string | null | undefined
  envName?: string | null | undefined
}

export const addressOf = ({ appEnvId, envName }: AddressArgs): AppEnvAddress => ({
  appEnvId: appEnvId ?? undefined,
  envName: envName ?? undefined,
})

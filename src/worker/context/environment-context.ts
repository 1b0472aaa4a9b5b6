import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { OPEN_STATUSES } from '../../domain/operation.ts'
import type { ImageBuilder } from '../../engines/images/image-builder.ts'
import type { Database } from '../../storage/database/client.ts'
import type { Prisma } from '../../storage/database/generated/prisma/client.ts'
import { getRow } from '../../storage/database/reads/get-row.ts'
import type { Vault } from '../../storage/secrets/vault.ts'
import type { AppEnvLease } from '../claim/app-env-lease.ts'
import type { BuildSlots } from '../claim/build-slots.ts'
import type { WorkLease } from '../claim/lease.ts'
import type { LeasedEngine } from '../engine/leased-engine.ts'
import type { DiskQuota } from '../probes/disk-quota.ts'
import type { NetworkRepairs } from '../probes/network-repairs.ts'
import type { ProbeHistory } from '../probes/probe-history.ts'
import type { EngineScope } from '../scope/engine-scope.ts'
import type { Mask } from '../text/secret-mask.ts'

/** What the work on one claimed environment needs. */
export interface EnvironmentContext<Held extends WorkLease = AppEnvLease> {
  database: Database
  engine: LeasedEngine
  scope: EngineScope
  /** The same engine, for a part of the work with a shorter deadline. */
  engineUnder(signal: AbortSignal): LeasedEngine
  vault: Vault
  config: Config
  log: Logger
  lease: Held
  probes: ProbeHistory
  repairs: NetworkRepairs
  disk: DiskQuota
  /** Time between SIGTERM and SIGKILL of the environment's containers. */
  graceSeconds: number
  builds: BuildSlots
  /** Masks the environment's secrets. Loaded once, when first needed. */
  mask(): Promise<Mask>
  /** Makes what the environment's programs may have printed safe to store, show and log. */
  quote(text: string): Promise<string>
  /** For cleaning up, which needs no lease. */
  imageBuilder: ImageBuilder
  /** Fires when the work has to stop: the lease's signal, and an operation's deadline. */
  signal: AbortSignal
}

/** What is loaded of a claimed environment. */
export const withState = {
  app: { select: { type: true, dockerPreset: true, buildResources: true } },
  account: {
    select: {
      id: true,
      dataKey: true,
      plan: { select: { name: true, buildResources: true, maxBuildResources: true } },
    },
  },
  currentContent: true,
  requestScaling: true,
  serviceCredentials: { select: { id: true, sealedData: true, sealedNext: true } },
  replicas: { orderBy: { name: 'asc' } },
  operations: { where: { status: { in: [...OPEN_STATUSES] } }, include: { content: true, backup: true } },
} satisfies Prisma.AppEnvInclude

/** An environment as the worker loads it: its desired state, its recorded replicas, its open operation. */
export type ClaimedAppEnv = Prisma.AppEnvGetPayload<{ include: typeof withState }>
/** What opens the secrets of an account. */
export type KeyHolder = Pick<ClaimedAppEnv['account'], 'id' | 'dataKey'>
export type ClaimedOperation = ClaimedAppEnv['operations'][number]

export function loadClaimedAppEnv(database: Database, id: string): Promise<ClaimedAppEnv> {
  const query = { where: { id }, include: withState }
  return getRow(database, 'AppEnv', query, () => database.appEnv.findUniqueOrThrow(query))
}

import { isIP } from 'node:net'
import { pasted } from '../../calls/input.ts'
import { ENGINE_ADDRESSES, parseEngineAddress } from '../../domain/engine-address.ts'
import { conflict, invalidField } from '../../domain/errors.ts'
import { OPEN_STATUSES } from '../../domain/operation.ts'
import type { Transaction } from '../../storage/database/client.ts'
import type { Prisma } from '../../storage/database/generated/prisma/client.ts'

/** Neither is an address that a client could connect to. */
const UNSPECIFIED = ['0.0.0.0', '::']

const engine = pasted()
  .max(500)
  .refine(
    (text) => parseEngineAddress(text) !== null,
    `must be ${ENGINE_ADDRESSES}, without a password; tcp:// is with TLS`,
  )
  .nullable()
  .describe(
    'Address of the region’s own container engine; null: the engine of the installation. Keys are files, see BERTH_ENGINE_KEYS. Cannot change while the region has environments or volumes.',
  )

const reachAddress = pasted()
  .max(45)
  .refine((text) => isIP(text) !== 0 && !UNSPECIFIED.includes(text), 'must be an IP address of the engine’s machine')
  .nullable()
  .describe(
    'IP address of the engine’s machine on which containers are published, and at which the ingress reaches them. Required with an engine at tcp:// or ssh://; null: as BERTH_REACH says.',
  )

/** What a region says of its engine, in calls and in the file alike. */
export const regionEngineFields = { engine: engine.optional(), reachAddress: reachAddress.optional() }

interface RegionEngineState {
  engine: string | null
  reachAddress: string | null
}

type Sent = { [Field in keyof RegionEngineState]?: RegionEngineState[Field] | undefined }

const ENGINE_OF_INSTALLATION: RegionEngineState = { engine: null, reachAddress: null }

/** The engine that a new region has. Throws INVALID_INPUT where the fields do not go together. */
export const engineOfNew = (sent: Sent): RegionEngineState => changed(ENGINE_OF_INSTALLATION, sent)

/**
 * The engine that a region comes to have; what is left out stays. Throws INVALID_INPUT where the fields do not go
 * together, and CONFLICT while the region has environments or volumes, or
 * containers of deleted ones: they would stay behind on the former engine. The
 * caller has locked the region, so none is created meanwhile.
 */
export async function engineAfter(
  tx: Transaction,
  code: string,
  before: RegionEngineState,
  sent: Sent,
): Promise<RegionEngineState> {
  const after = changed(before, sent)
  // Of containers that are published, each says itself where; those that are not have no such address.
  const isReachedAlike = (before.reachAddress === null) === (after.reachAddress === null)
  if (before.engine === after.engine && isReachedAlike) return after
  await requireEmpty(tx, code)
  // What was known of the former engine.
  await tx.engineHost.deleteMany({ where: { regionCode: code } })
  // It may be the same one at another address: whose its images are stays known, and Berth removes none of them.
  await tx.pulledImage.updateMany({ where: { engineKey: code }, data: { isOurs: false } })
  await tx.buildCache.deleteMany({ where: { engineKey: code } })
  return after
}

function changed(before: RegionEngineState, sent: Sent): RegionEngineState {
  const engine = sent.engine === undefined ? before.engine : sent.engine
  const reachAddress = sent.reachAddress === undefined ? before.reachAddress : sent.reachAddress
  const kind = engine === null ? null : parseEngineAddress(engine)?.kind
  if (kind === null && reachAddress !== null)
    throw invalidField('reachAddress', 'is for a region with an engine of its own: BERTH_REACH decides otherwise')
  if (kind !== null && kind !== 'socket' && reachAddress === null)
    throw invalidField('reachAddress', 'is required with an engine on another machine: containers are published there')
  return { engine, reachAddress }
}

/** What a deleted environment may have left on the engine, until a worker has removed it. */
const REMAINS: Prisma.AppEnvWhereInput[] = [
  { operations: { some: { status: { in: [...OPEN_STATUSES] } } } },
  { replicas: { some: {} } },
  { jobRuns: { some: { attempts: { some: { containerRemovedAt: null } } } } },
]

async function requireEmpty(tx: Transaction, code: string): Promise<void> {
  const environments = await tx.appEnv.count({ where: { regionCode: code, deletedAt: null } })
  const volumes = await tx.volume.count({ where: { regionCode: code } })
  if (environments + volumes > 0)
    throw conflict(
      'REGION_IN_USE',
      `The region ${code} has environments (${environments}) and volumes (${volumes}) on its engine: delete them first, or create another region`,
    )
  const remains = await tx.appEnv.count({ where: { regionCode: code, deletedAt: { not: null }, OR: REMAINS } })
  if (remains > 0)
    throw conflict(
      'REGION_IN_USE',
      `Containers of deleted environments (${remains}) are still being removed from the engine of the region ${code}: try again later`,
    )
}

import { buildAppEnv } from '../../src/services/lifecycle/build.ts'
import type { AppEnvLease } from '../../src/worker/claim/app-env-lease.ts'
import { claim } from '../../src/worker/claim/lease-table.ts'
import { BuildLogStream } from '../../src/worker/logs/build-log-stream.ts'
import type { World } from '../support/world.ts'

type Target = Pick<World, 'appEnv' | 'perform' | 'database'>

const SOURCE = { useImage: false, image: undefined, gitRepo: 'https://git.example/shop.git' }

/** An environment of an app that is built from source, in an account if need be. */
export const sourceEnv = (world: Target, accountId?: string) =>
  world.appEnv({ app: SOURCE, branch: 'main', ...(accountId ? { accountId } : {}) })

/** A build that somebody asked for, and nobody has begun. */
export async function askForBuild(world: Target, appEnvId: string) {
  const { operationId } = await world.perform(buildAppEnv, { appEnvId })
  const where = { id: operationId ?? '' }
  const { contentId } = await world.database.operation.findUniqueOrThrow({ where })
  return { appEnvId, operationId: operationId ?? '', contentId: contentId ?? '' }
}

export type AskedBuild = Awaited<ReturnType<typeof askForBuild>>

/** A worker's claim of the environment, whoever had it before. */
export async function takeOver({ database }: Target, { appEnvId, operationId }: AskedBuild, owner = 'worker-1') {
  await database.$executeRaw`UPDATE app_env SET lease_expires_at = NULL, due_at = now() WHERE id = ${appEnvId}`
  await database.$executeRaw`UPDATE operation SET not_before = now() + interval '1 hour' WHERE id <> ${operationId}`
  const lease = await claim(database, 'operations', owner, 60)
  if (lease?.appEnvId !== appEnvId) throw new Error('Another environment was claimed')
  lease.operationId = operationId
  return lease
}

export const openLogStream = ({ database }: Target, lease: AppEnvLease, { contentId }: AskedBuild, leaseSeconds = 60) =>
  BuildLogStream.open({ database, lease, contentId, leaseSeconds })

/** A build that a worker is at. */
export async function startBuild(world: Target, appEnvId: string) {
  const build = await askForBuild(world, appEnvId)
  await changeContent(world, build, { status: 'BUILDING' })
  const lease = await takeOver(world, build)
  return { ...build, lease, stream: await openLogStream(world, lease, build) }
}

export const changeContent = (
  { database }: Target,
  { contentId }: AskedBuild,
  data: { status: 'BUILDING' | 'BUILT' | 'FAILED' | 'CANCELLED'; imageDigest?: string },
) => database.content.update({ where: { id: contentId }, data })

export const line = (message: string, isError = false) => ({ at: new Date(), isError, message })

import type { Engine, EngineVersion } from '../../app-types/engines/engine.ts'
import { engineVersion, versionName } from '../../app-types/engines/engines.ts'
import type { CommandContext } from '../../calls/command.ts'
import { conflict, invalidField, notFound } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { Operation, Volume } from '../../storage/database/generated/prisma/client.ts'
import { configurationOf } from '../configuration/configured.ts'
import { beginOperation } from '../lifecycle/begin-operation.ts'
import { imageContent } from '../lifecycle/new-content.ts'
import { generateCredentials } from '../service-credentials/generate-credentials.ts'
import { type LoadedAppEnv, lockAppEnv } from '../targets/load-app-env.ts'
import type { FirstAppEnv } from './app-env-input.ts'

/** Gives a new environment of a managed service its version, its data and its credentials, and deploys it. */
export async function createService(
  context: CommandContext,
  appEnvId: string,
  engine: Engine,
  input: Pick<FirstAppEnv, 'dockerPresetVersion' | 'volumeId' | 'withPersistence' | 'disk'>,
): Promise<Operation> {
  const { tx } = context
  const { appEnv: created } = await lockAppEnv(tx, { appEnvId })
  const version = chosenVersion(engine, input.dockerPresetVersion ?? created.app.dockerPresetVersion)
  const presetVersion = versionName(engine, version)
  const kept = input.volumeId === undefined ? null : await keptVolume(context, created, presetVersion, input.volumeId)
  const serviceCredentialsId = kept?.serviceCredentialsId ?? (await generateCredentials(context, created, engine))
  const isKept = input.withPersistence ?? true
  const disk = input.disk ?? kept?.diskMb ?? engine.limits.diskMb.default
  const path = version.dataPath ?? engine.dataPath
  const volumeId = isKept
    ? await writeVolume(context, created, kept, { presetVersion, serviceCredentialsId, disk, path })
    : null
  await tx.appEnv.update({ where: { id: appEnvId }, data: { presetVersion, serviceCredentialsId, volumeId } })
  const { appEnv } = await lockAppEnv(tx, { appEnvId })
  await context.permitOperation(appEnv)
  const content = imageContent(version.image, configurationOf(appEnv))
  return beginOperation(context, appEnv, { kind: 'DEPLOY_IMAGE', content })
}

function chosenVersion(engine: Engine, name: string | null): EngineVersion {
  const version = engineVersion(engine, name)
  if (!version) throw invalidField('dockerPresetVersion', `is not a version of ${engine.title}`)
  return version
}

/** A volume that outlived its environment. Another version might not read its data. */
async function keptVolume(
  { tx }: CommandContext,
  { accountId, regionCode }: LoadedAppEnv,
  presetVersion: string,
  volumeId: string,
): Promise<Volume> {
  await tx.$queryRaw`SELECT 1 FROM volume WHERE id = ${volumeId} FOR UPDATE`
  const volume = await tx.volume.findFirst({
    where: { id: volumeId, accountId, deletedAt: null, operationId: null },
    include: { appEnv: true },
  })
  if (!volume) throw notFound('volume', volumeId)
  if (volume.appEnv) throw conflict('VOLUME_IN_USE', `"${volume.appEnv.cliEnvName}" has the volume`)
  if (volume.presetVersion !== presetVersion)
    throw invalidField(
      'volumeId',
      volume.presetVersion
        ? `holds data of ${volume.presetVersion}: send that as dockerPresetVersion of an app with its preset`
        : 'holds no data of a managed service',
    )
  if (volume.regionCode !== regionCode) throw invalidField('volumeId', `is in the region ${volume.regionCode}`)
  return volume
}

interface Data {
  presetVersion: string
  serviceCredentialsId: string
  disk: number
  path: string
}

async function writeVolume(
  { tx, created, auditDetails }: CommandContext,
  { id: appEnvId, accountId, cliEnvName, regionCode }: LoadedAppEnv,
  kept: Volume | null,
  { disk, ...data }: Data,
): Promise<string> {
  const owner = { appEnvId, cliEnvName, diskMb: disk, ...data }
  const id = kept?.id ?? newId('vol')
  if (kept) await tx.volume.update({ where: { id }, data: { ...owner, version: { increment: 1 } } })
  else await tx.volume.create({ data: { id, accountId, regionCode, ...owner } })
  if (!kept) created(id)
  auditDetails({ volumeId: id })
  return id
}

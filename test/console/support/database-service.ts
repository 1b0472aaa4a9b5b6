import { newId } from '../../../src/domain/ids.ts'
import { createApp } from '../../../src/services/app/create-app.ts'
import { createAppEnv } from '../../../src/services/app-env/create-app-env.ts'
import type { World } from '../../support/world.ts'

/** A managed service that runs; returns its id and the name in its addresses. */
export async function runningService(world: World, name: string): Promise<{ appEnvId: string; env: string }> {
  const { accountId } = world
  const { appId } = await world.perform(createApp, { name, accountId, dockerPreset: 'POSTGRESQL' })
  const environment = { accountId, appId, name: 'production', region: 'local' }
  const { appEnvId, operationId } = await world.perform(createAppEnv, environment)
  await world.endOperation(operationId)
  const { cliEnvName } = await world.database.appEnv.findUniqueOrThrow({ where: { id: String(appEnvId) } })
  return { appEnvId: String(appEnvId), env: cliEnvName }
}

/** A backup that can be restored to any moment from one to the other, as a worker would have left it. */
export async function backedUpBetween(world: World, appEnvId: string, from: Date, until: Date): Promise<string> {
  const { accountId, cliEnvName, presetVersion, volumeId } = await world.database.appEnv.findUniqueOrThrow({
    where: { id: appEnvId },
  })
  const common = { accountId, appEnvId, presetVersion: presetVersion ?? '' }
  const archive = newId('arc')
  await world.database.walArchive.create({ data: { ...common, id: archive, volumeId: volumeId ?? '', until } })
  const id = newId('bak')
  await world.database.backup.create({
    data: {
      ...common,
      id,
      cliEnvName,
      operationId: newId('op'),
      kind: 'SCHEDULED',
      status: 'AVAILABLE',
      file: `${id}.1`,
      sizeBytes: 3_976_501n,
      isBase: true,
      archiveId: archive,
      restorableFrom: from,
      verifiedAt: from,
      createdAt: from,
      finishedAt: from,
    },
  })
  return id
}

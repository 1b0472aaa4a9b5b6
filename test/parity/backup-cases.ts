import { createApp } from '../../src/services/app/create-app.ts'
import { createAppEnv } from '../../src/services/app-env/create-app-env.ts'
import { updateAppEnv } from '../../src/services/app-env/update-app-env.ts'
import { deleteBackup } from '../../src/services/backup/delete-backup.ts'
import { downloadBackup } from '../../src/services/backup/download-backup.ts'
import { backUpAppEnv } from '../../src/services/lifecycle/back-up.ts'
import { restoreBackup } from '../../src/services/lifecycle/restore-backup.ts'
import { verifyBackup } from '../../src/services/lifecycle/verify-backup.ts'
import type { World } from '../support/world.ts'
import { type ParityCase, parityCase } from './parity-case.ts'

async function running(world: World): Promise<string> {
  const { accountId } = world
  const { appId } = await world.perform(createApp, { name: 'Db', accountId, dockerPreset: 'POSTGRESQL' })
  const environment = { accountId, appId, name: 'production', region: 'local' }
  const { appEnvId, operationId } = await world.perform(createAppEnv, environment)
  await world.endOperation(operationId)
  return String(appEnvId)
}

/** A service that was backed up, as a worker would have left it, but for the file. */
async function backedUp(world: World): Promise<{ appEnvId: string; backupKey: string }> {
  const appEnvId = await running(world)
  const { operationId } = await world.perform(backUpAppEnv, { appEnvId })
  await world.endOperation(String(operationId))
  const { id } = await world.database.backup.findFirstOrThrow({ where: { appEnvId } })
  const written = { file: 'a.backup', sizeBytes: 1024n, sha256: 'a'.repeat(64), sealedKey: 'sealed' }
  await world.database.backup.update({ where: { id }, data: { ...written, status: 'AVAILABLE' } })
  return { appEnvId, backupKey: id }
}

const schedule = (title: string, expected: string, backupSchedule: object): ParityCase =>
  parityCase(`updateAppEnv with ${title}`, expected, async (world) => ({
    command: updateAppEnv,
    input: { appEnvId: await running(world), backupSchedule },
  }))

export const backupCases = [
  parityCase('backUpAppEnv of a managed service', 'accepted', async (world) => ({
    command: backUpAppEnv,
    input: { appEnvId: await running(world) },
  })),
  parityCase('verifyBackup of a backup', 'accepted', async (world) => ({
    command: verifyBackup,
    input: await backedUp(world),
  })),
  parityCase('restoreBackup of a backup', 'accepted', async (world) => ({
    command: restoreBackup,
    input: await backedUp(world),
  })),
  parityCase('restoreBackup to a moment of a backup that holds one only', 'INVALID_INPUT', async (world) => ({
    command: restoreBackup,
    input: { ...(await backedUp(world)), pointInTime: '2026-11-30T12:00:00Z' },
  })),
  parityCase('downloadBackup', 'accepted', async (world) => ({
    command: downloadBackup,
    input: { backupKey: (await backedUp(world)).backupKey },
  })),
  parityCase('downloadBackup by TECHNICAL', 'FORBIDDEN ROLE_MISSING', async (world) => ({
    command: downloadBackup,
    input: { backupKey: (await backedUp(world)).backupKey },
    token: (await world.user({ roles: ['TECHNICAL'] })).token,
  })),
  parityCase('deleteBackup', 'accepted', async (world) => ({
    command: deleteBackup,
    input: { backupKey: (await backedUp(world)).backupKey },
  })),
  schedule('a schedule', 'accepted', { cron: '0 3 * * *', timeZone: 'Europe/Vienna', keepCount: 7 }),
  schedule('point in time', 'accepted', { cron: '0 3 * * *', pointInTime: true }),
  schedule('a schedule of no time zone', 'INVALID_INPUT', { cron: '0 3 * * *', timeZone: 'Mars/Olympus' }),
]

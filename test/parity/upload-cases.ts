import { buildAppEnv } from '../../src/services/lifecycle/build.ts'
import { notifyCodeUpload } from '../../src/services/upload/notify-code-upload.ts'
import { requestStorageKey } from '../../src/services/upload/request-storage-key.ts'
import type { World } from '../support/world.ts'
import { parityCase } from './parity-case.ts'

const fromSource = async (world: World, app: Record<string, unknown>) =>
  (await world.appEnv({ branch: 'main', app: { useImage: false, image: undefined, ...app } })).appEnvId

/** An archive as it is once it was received; its file is read by the worker alone. */
async function uploaded(world: World) {
  const appEnvId = await fromSource(world, { isCliDeployment: true })
  const { storageKey } = await world.perform(requestStorageKey, { appEnvId }, { origin: 'http://berth.example.com' })
  const received = { sha256: 'x', sizeBytes: 1n, uploadedAt: new Date() }
  await world.database.upload.update({ where: { id: storageKey }, data: received })
  return { appEnvId, storageKey }
}

/** Calls that build from source, each once. */
export const uploadCases = [
  parityCase('buildAppEnv', 'accepted', async (world) => ({
    command: buildAppEnv,
    input: { appEnvId: await fromSource(world, { gitRepo: 'https://git.example.com/shop' }) },
  })),
  parityCase('requestStorageKey', 'accepted', async (world) => ({
    command: requestStorageKey,
    input: { appEnvId: await fromSource(world, { isCliDeployment: true }) },
  })),
  parityCase('notifyCodeUpload', 'accepted', async (world) => ({
    command: notifyCodeUpload,
    input: await uploaded(world),
  })),
]

import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { sourceOf } from '../../support/source-archive.ts'
import type { FreshBerth } from '../trust-case.ts'
import { type EndedOperation, ended, trustApp } from './image-app.ts'

const ASK_EVERY_MS = 20

/** Builds an archive for an app of a new account. */
export async function buildArchive(berth: FreshBerth, archive: Buffer): Promise<EndedOperation> {
  const { appEnvId } = await trustApp(berth, { app: { isCliDeployment: true } })
  const request = { appEnvId, fileExtension: '.tar.gz' }
  const { uploadUrl, storageKey } = await berth.ok('POST', '/app-env/request-storage-key', request)
  const uploaded = await fetch(String(uploadUrl), { method: 'PUT', body: new Uint8Array(archive) })
  if (!uploaded.ok) throw new Error(`PUT answered ${uploaded.status}: ${await uploaded.text()}`)
  await berth.ok('POST', '/app-env/notify-code-upload', { appEnvId, storageKey })
  return ended(berth, appEnvId)
}

export const buildFiles = async (berth: FreshBerth, files: Readonly<Record<string, string>>): Promise<EndedOperation> =>
  buildArchive(berth, await sourceOf(files))

export interface OthersRequests {
  count: number
  /** Of the slowest one. */
  slowestMs: number
}

/** Asks for the health, and for the accounts, while the work is done. Throws when one of them is not answered. */
export async function whileOthersAsk<T>(
  berth: FreshBerth,
  work: () => Promise<T>,
): Promise<{ result: T; others: OthersRequests }> {
  const others = { count: 0, slowestMs: 0 }
  let isDone = false
  const asking = (async () => {
    while (!isDone) {
      const since = performance.now()
      const { status } =
        others.count % 2 === 0 ? await fetch(`${berth.url}/health`) : await berth.rest('GET', '/accounts')
      if (status !== 200) throw new Error(`A request of others was answered with ${status}`)
      others.slowestMs = Math.max(others.slowestMs, Math.round(performance.now() - since))
      others.count += 1
      await pause(ASK_EVERY_MS)
    }
  })()
  try {
    return { result: await Promise.race([work(), asking.then(() => new Promise<never>(() => {}))]), others }
  } finally {
    isDone = true
    await asking
  }
}

/** Throws unless the API and the ingress answer, and the worker builds. */
export async function assertAllRolesAnswer(berth: FreshBerth): Promise<void> {
  const ingress = await fetch(berth.ingressUrl)
  if (ingress.status !== 404) throw new Error(`The ingress answered ${ingress.status} for an unknown host`)
  const { reason, attempt } = await buildFiles(berth, { 'readme.md': 'no Dockerfile' })
  if (reason !== 'DOCKERFILE_NOT_FOUND' || attempt !== 1) throw new Error(`The worker ended a build with ${reason}`)
}

import type Docker from 'dockerode'
import type { Client } from '../shipped/support/client.ts'
import type { NewApp, User } from '../shipped/support/user.ts'
import { sourceOf } from '../support/source-archive.ts'

/** A Berth that `npm start` runs, with what a proof needs besides. */
export interface BuildStage extends Client, User {
  docker: Docker
  ingressUrl: string
  changes: number
  cancels: number
  log(line: string): void
  claim(holds: boolean, line: string): void
}

export type BuildProof = (stage: BuildStage) => Promise<void>

export interface EndedBuild {
  operationId: string
  status: string
  reason: string | null
  message: string | null
}

/** Uploads files and asks for their build, without waiting for it. Returns the id of its operation. */
export async function beginBuild(
  { get, post, call }: BuildStage,
  { appEnvId }: NewApp,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const { uploadUrl, storageKey } = await post('/app-env/request-storage-key', { appEnvId, fileExtension: '.tgz' })
  await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(await sourceOf(files)) })
  const { status, text } = await call('POST', '/app-env/notify-code-upload', { body: { appEnvId, storageKey } })
  if (status !== 200) throw new Error(`The build was not begun: ${text}`)
  const { operations } = await get('/operations', { appEnvId })
  return operations[0].operationId
}

export async function endOfBuild({ get }: BuildStage, operationId: string): Promise<EndedBuild> {
  for (;;) {
    const operation = (await get('/operation', { operationId })) as EndedBuild
    if (!['QUEUED', 'RUNNING'].includes(operation.status)) return operation
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

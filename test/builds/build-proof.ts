import type Docker from 'dockerode'
import type { Client } from '../shipped/support/client.ts'
import { eventually } from '../shipped/support/eventually.ts'
import type { NewApp, User } from '../shipped/support/user.ts'

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
  status: string
  reason: string | null
  message: string | null
}

/** Uploads files and asks for their build, without waiting for it. Returns the id of its operation. */
export async function beginBuild(
  { get, store, call }: BuildStage,
  { appEnvId }: NewApp,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const storageKey = await store({ appEnvId }, files)
  const { status, text } = await call('POST', '/app-env/notify-code-upload', { body: { appEnvId, storageKey } })
  if (status !== 200) throw new Error(`The build was not begun: ${text}`)
  const { operations } = await get('/operations', { appEnvId })
  return operations[0].operationId
}

export const endOfBuild = ({ get }: BuildStage, operationId: string): Promise<EndedBuild> =>
  eventually(
    'the build has ended',
    () => get('/operation', { operationId }),
    ({ status }: EndedBuild) => !['QUEUED', 'RUNNING'].includes(status),
  )

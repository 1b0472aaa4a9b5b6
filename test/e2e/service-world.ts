import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { findEngine } from '../../src/app-types/engines/engines.ts'
import { ensureEngineImages } from '../support/engines/ensure-image.ts'
import type { TestPlatform } from './platform.ts'

export interface Service {
  accountId: string
  appEnvId: string
}

/** Creates a managed service and waits until it serves. Null, with the reason printed, where its image is missing. */
export async function createService(
  berth: TestPlatform,
  preset: string,
  fields: Record<string, unknown> = {},
): Promise<Service | null> {
  const engine = findEngine(preset)
  if (!engine || !(await ensureEngineImages(berth.docker, engine))) return null
  const { accounts } = await berth.ok<{ accounts: { accountId: string }[] }>('GET', '/accounts')
  const accountId = accounts.at(-1)?.accountId ?? ''
  const name = `${preset.toLowerCase()} ${Math.random().toString(36).slice(2, 8)}`
  const { appId } = await berth.ok<{ appId: string }>('POST', '/app', { name, accountId, dockerPreset: preset })
  const appEnv = { accountId, appId, name: 'production', region: 'local', ...fields }
  const { appEnvId } = await berth.ok<{ appEnvId: string }>('POST', '/app-env', appEnv, { prefer: 'wait=120' })
  const { operations } = await berth.ok<{ operations: { status: string; message: string }[] }>(
    'GET',
    `/operations?appEnvId=${appEnvId}`,
  )
  const [created] = operations
  if (created?.status !== 'SUCCEEDED') throw new Error(`${preset} is ${created?.status}: ${created?.message}`)
  return { accountId, appEnvId }
}

/** Runs a program in the container that serves, and returns what it prints. */
export async function inService({ docker, database }: TestPlatform, appEnvId: string, command: string[], input = '') {
  const { rolloutId } = await database.appEnv.findUniqueOrThrow({ where: { id: appEnvId } })
  const [found] = await docker.listContainers({
    filters: { label: [`berth.env=${appEnvId}`, `berth.operation=${rolloutId}`] },
  })
  if (!found) throw new Error('No container serves')
  const options = { Cmd: command, AttachStdin: true, AttachStdout: true, AttachStderr: true }
  const exec = await docker.getContainer(found.Id).exec(options)
  const stream = await exec.start({ hijack: true, stdin: true })
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  docker.modem.demuxStream(stream, stdout, stderr)
  stream.on('end', () => {
    stdout.end()
    stderr.end()
  })
  stream.end(input)
  const [printed, errors] = await Promise.all([buffer(stdout), buffer(stderr)])
  const { ExitCode } = await exec.inspect()
  if (ExitCode !== 0) throw new Error(`${command.join(' ')} ended with ${ExitCode}: ${errors}`)
  return printed.toString()
}

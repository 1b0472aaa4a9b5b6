import { once } from 'node:events'
import { chmodSync, renameSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type ListedProcesses, listProcesses } from './list-processes.ts'
import type { ProcessInfo } from './process-info.ts'
import { newName, openRegistryDirectory, type RegistryDirectory } from './registry-directory.ts'

/**
 * This process in the registry. It listens on a socket in the data directory for as long as it lives. When it dies,
 * however it does, the kernel stops listening and the file stays: that proves its death, as no file with a process id
 * could.
 */
export interface ProcessRegistration {
  readonly dataDir: string
  /** What the worker calls itself in the leases it holds. */
  readonly name: string
  /** Sent to other processes that ask; the roles keep it up to date. */
  readonly about: ProcessInfo
  listProcesses(): Promise<ListedProcesses>
  /** The names of processes that are dead are of no more use. */
  removeDead(names: readonly string[]): void
  /** For an orderly end, after which nothing has to be concluded from it. */
  close(): void
}

export async function registerProcess(
  dataDir: string,
  roles: readonly string[],
  log: Logger,
  pid = process.pid,
): Promise<ProcessRegistration> {
  const about: ProcessInfo = {
    pid,
    roles: [...roles],
    ports: [],
    apiUrl: null,
    ingressUrl: null,
    isStopping: false,
  }
  const name = newName(roles)
  const registration = await openSocket(dataDir, name, about).catch((error: unknown) => {
    // Some file systems have no sockets, or are read-only. Then processes do not see each other, and leases expire on
    // their own.
    log.debug(
      { err: error },
      'Registering the process failed; it and others on the data directory do not see each other',
    )
    return null
  })
  const removeFiles = (names: readonly string[]) => {
    for (const each of names) if (registration) rmSync(join(registration.directory.folder, each), { force: true })
  }
  return {
    dataDir,
    name,
    about,
    listProcesses: async () =>
      registration ? listProcesses(registration.directory, name) : { living: [], deadWorkers: [] },
    removeDead: removeFiles,
    close() {
      // The file first: one without a listener would mean a dead process.
      removeFiles([name])
      registration?.server.close()
    },
  }
}

async function openSocket(
  dataDir: string,
  name: string,
  about: ProcessInfo,
): Promise<{ directory: RegistryDirectory; server: Server }> {
  const directory = openRegistryDirectory(dataDir)
  const { folder, alias } = directory
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.end(JSON.stringify(about))
  })
  const draft = `draft-${name}`
  server.listen(join(alias, draft))
  await once(server, 'listening')
  server.unref()
  // The folder is private; processes that run as different users, as in containers, may still ask each other.
  chmodSync(join(folder, draft), 0o666)
  // Named only now: a socket that does not listen yet looks like that of a dead process.
  renameSync(join(folder, draft), join(folder, name))
  return { directory, server }
}

import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Others may not read it: the key gives the engine's machine away. */
const READABLE_BY_OTHERS = 0o077

/** The files with which Berth and an engine of a region prove to each other who they are. */
export interface EngineKeys {
  tls(): { ca: Buffer; cert: Buffer; key: Buffer }
  ssh(): { privateKey: Buffer; hostKeys: readonly string[] }
}

/** What is wrong with the keys of an engine: it cannot be reached until they are corrected. */
class EngineKeysProblem extends Error {
  override readonly name = 'EngineKeysProblem'
  readonly code = 'ENGINE_KEYS'
}

/** Read anew for each connection: keys are renewed by replacing the files. */
export const engineKeys = (folder: string): EngineKeys => ({
  tls: () => ({ ca: read(folder, 'ca.pem'), cert: read(folder, 'cert.pem'), key: readSecret(folder, 'key.pem') }),
  ssh: () => ({
    privateKey: readSecret(folder, 'ssh_key'),
    hostKeys: hostKeysOf(read(folder, 'known_hosts').toString('utf8')),
  }),
})

function read(folder: string, name: string): Buffer {
  try {
    return readFileSync(join(folder, name))
  } catch (error) {
    throw new EngineKeysProblem(`${join(folder, name)} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

function readSecret(folder: string, name: string): Buffer {
  const content = read(folder, name)
  if ((statSync(join(folder, name)).mode & READABLE_BY_OTHERS) !== 0)
    throw new EngineKeysProblem(`${join(folder, name)} can be read by others: its mode has to be 0600`)
  return content
}

/** The keys in lines of `known_hosts` or `ssh-keyscan`, in base64; each is for the one host that the folder is for. */
function hostKeysOf(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^[#@]/.test(line))
  return lines.flatMap((line) => line.split(/\s+/).find((word) => word.startsWith('AAAA')) ?? [])
}

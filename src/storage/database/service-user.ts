import { execFileSync } from 'node:child_process'
import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

/** PostgreSQL refuses to run as root, so under root it gets its own user, as in Linux distributions. */
const SERVICE_USER = 'postgres'

export interface ServiceUser {
  uid: number
  gid: number
}

/** The server's user; null when the current user will do. */
export function serviceUser(): ServiceUser | null {
  if (process.getuid?.() !== 0) return null
  const existing = findUser()
  if (existing) return existing
  execFileSync(findProgram('useradd'), [
    '--system',
    '--user-group',
    '--no-create-home',
    '--shell',
    '/usr/sbin/nologin',
    SERVICE_USER,
  ])
  const created = findUser()
  if (!created)
    throw new Error(`The user "${SERVICE_USER}", which the embedded PostgreSQL runs as, could not be created`)
  return created
}

/** The command that runs `program` as the service user, and the options for spawn. */
export function commandAs(user: ServiceUser | null, program: string, args: string[], paths: string[]) {
  if (!user) return { command: program, args, options: {} }
  if (paths.every(isReachableByOthers)) return { command: program, args, options: user }
  // Below a private folder such as /root the user could not reach its own files. So it keeps one of root's
  // capabilities, the weakest that this process has, in a way that access(2) respects.
  const capability = effectiveCapabilities() & (1n << 2n) ? '+dac_read_search' : '+dac_override'
  const identity = ['--reuid', `${user.uid}`, '--regid', `${user.gid}`, '--clear-groups', '--no-new-privs']
  const rights = ['--securebits', '+no_setuid_fixup', '--inh-caps', capability, '--ambient-caps', capability]
  return { command: findProgram('setpriv'), args: [...identity, ...rights, '--', program, ...args], options: {} }
}

function findUser(): ServiceUser | null {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${SERVICE_USER}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : null
}

function isReachableByOthers(path: string): boolean {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (!(statSync(folder).mode & constants.S_IXOTH)) return false
  }
  return true
}

function effectiveCapabilities(): bigint {
  const digits = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  return BigInt(`0x${digits ?? '0'}`)
}

function findProgram(name: string): string {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin', '/bin']
  const found = folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
  if (found) return found
  throw new Error(`The embedded PostgreSQL needs the program "${name}" to run under root; or set DATABASE_URL`)
}

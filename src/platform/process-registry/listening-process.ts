import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Of a socket that listens: __SO_ACCEPTCON of Linux. */
const LISTENS = '00010000'

/**
 * The process that listens on the socket that was made under this name, as the kernel knows it, also where it is paused.
 * Null where it cannot be seen: on other systems, as another user, or from another container.
 */
export function listeningProcess(name: string): number | null {
  try {
    const sockets = readFileSync('/proc/net/unix', 'utf8').split('\n')
    const [line] = sockets.filter((socket) => socket.endsWith(name) && socket.includes(LISTENS))
    const inode = line?.trim().split(/\s+/)[6]
    if (inode === undefined) return null
    const pid = readdirSync('/proc').find((each) => /^\d+$/.test(each) && hasOpen(each, `socket:[${inode}]`))
    return pid === undefined ? null : Number(pid)
  } catch {
    return null
  }
}

function hasOpen(pid: string, file: string): boolean {
  try {
    const folder = `/proc/${pid}/fd`
    return readdirSync(folder).some((descriptor) => linkOf(`${folder}/${descriptor}`) === file)
  } catch {
    return false
  }
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Points at which crash tests may end or pause a process: between any two steps that something else must survive. */
export type Failpoint =
  | 'request.claimed'
  | 'request.decided'
  | 'request.stored'
  | 'request.committed'
  | 'lease.claimed'
  | 'lease.released'
  | 'fenced.locked'
  | 'fenced.written'
  | 'fenced.committed'
  | 'engine.asked'
  | 'engine.answered'
  | 'mark.recorded'
  | 'mark.added'
  | 'network.created'
  | 'container.created'
  | 'container.started'
  | 'container.frozen'
  | 'container.stopped'
  | 'container.removed'
  | 'run.claimed'
  | 'run.written'
  | 'build-directory.created'
  | 'source.fetched'
  | 'build.asked'
  | 'build.answered'
  | 'image.recorded'
  | 'log.closed'
  | 'routes.read'
  | 'routes.written'
  | 'rotation.step'
  | 'passwords.asked'
  | 'passwords.set'
  | 'log.begun'
  | 'log.stored'
  | 'log.recorded'
  | 'scaling.drained'
  | 'installation.locked'
  | 'installation.written'
  | 'installation.committed'
  | 'usage.written'
  | 'usage.recorded'
  | 'usage.closed'
  | 'usage.alerted'
  | 'webhook.claimed'
  | 'webhook.sent'
  | 'webhook.written'
  | 'status.sent'
  | 'expiry.written'
  | 'expiry.committed'

interface Armed {
  point: Failpoint
  /** The environment that the process has to be working on. */
  subject: string
  /** Which pass of the point fires, counted from 1. */
  pass: number
  signal: NodeJS.Signals
}

let ordersFolder: string | null = null
let counted = { order: '', passes: 0 }

/** From now on, every pass is recorded in the folder, and the order found there is carried out. */
export function enableFaultInjection(folder: string): void {
  ordersFolder = folder
}

/** Does nothing unless fault injection is enabled. */
export function failpoint(point: Failpoint, subject = ''): void {
  if (ordersFolder !== null) pass(ordersFolder, point, subject)
}

function pass(folder: string, point: Failpoint, subject: string): void {
  appendFileSync(join(folder, 'passes'), `${point} ${subject}\n`)
  const order = read(join(folder, 'armed'))
  if (order === null) return
  const armed = JSON.parse(order) as Armed
  if (armed.point !== point || armed.subject !== subject) return
  counted = counted.order === order ? { order, passes: counted.passes + 1 } : { order, passes: 1 }
  if (counted.passes < armed.pass) return
  // When several processes reach the point, only one carries the order out.
  if (take(folder)) process.kill(process.pid, armed.signal)
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function take(folder: string): boolean {
  try {
    renameSync(join(folder, 'armed'), join(folder, 'taken'))
    writeFileSync(join(folder, 'draft'), String(process.pid))
    renameSync(join(folder, 'draft'), join(folder, 'fired'))
    return true
  } catch {
    return false
  }
}

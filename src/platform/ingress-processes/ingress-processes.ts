import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { RestartPauses } from '../restart-pauses.mjs'
import { type Assignment, DRAIN_SECONDS, type FromProcess, type ToProcess } from './messages.ts'

/** Beyond the time that requests have to end. */
const STOP_GRACE_MS = 500
const KILLED_MS = 1_000

interface Member {
  worker: Worker
  readySince: number | null
}

// Each takes connections off the port itself. Handed over in turn, those on their way to a process that has just died would
// hang for ever, and one that hangs would get its share.
cluster.schedulingPolicy = cluster.SCHED_NONE

/** Several processes that serve one port. One that dies takes its own connections with it, and is started again. */
export class IngressProcesses {
  private readonly assignment: Assignment
  private readonly log: Logger
  private readonly members = new Set<Member>()
  private isStopping = false

  constructor(assignment: Assignment, log: Logger) {
    this.assignment = assignment
    this.log = log
  }

  /** How many take connections. */
  get ready(): number {
    return [...this.members].filter(({ readySince }) => readySince !== null).length
  }

  /** Resolves with the port once all of them listen. Throws what hinders the first one that cannot. */
  async start(count: number): Promise<number> {
    const ports = await Promise.all(Array.from({ length: count }, () => this.startOne(new RestartPauses())))
    return ports[0] ?? 0
  }

  async stop(): Promise<void> {
    this.isStopping = true
    const ended = Promise.all([...this.members].map(({ worker }) => endOf(worker)))
    for (const { worker } of this.members) send(worker, { type: 'stop' })
    await Promise.race([ended, sleep(DRAIN_SECONDS * 1000 + STOP_GRACE_MS, undefined, { ref: false })])
    for (const { worker } of this.members) worker.process.kill('SIGKILL')
    await Promise.race([ended, sleep(KILLED_MS, undefined, { ref: false })])
  }

  private startOne(pauses: RestartPauses): Promise<number> {
    const member: Member = { worker: cluster.fork(), readySince: null }
    const { worker } = member
    this.members.add(member)
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    worker.on('message', (message: FromProcess) => {
      if (message.type === 'waiting') send(worker, { type: 'begin', assignment: this.assignment })
      if (message.type === 'failed') reject(Object.assign(new Error(message.message), { code: message.code }))
      if (message.type !== 'ready') return
      member.readySince = performance.now()
      resolve(message.port)
    })
    // A message to a process that has just died is lost, as it would have been a moment later.
    worker.on('error', () => {})
    void endOf(worker).then(() => {
      reject(new Error('A process of the ingress ended while it was started'))
      this.restart(member, pauses)
    })
    return promise
  }

  private restart(member: Member, pauses: RestartPauses): void {
    this.members.delete(member)
    if (this.isStopping) return
    const { exitCode: code, signalCode: signal } = member.worker.process
    const pauseMs = pauses.next(member.readySince === null ? 0 : performance.now() - member.readySince)
    const line = { code, signal, pauseMs: Math.round(pauseMs) }
    this.log.warn(line, 'ingress: one of its processes has ended; it is started again')
    setTimeout(() => {
      if (!this.isStopping) this.startOne(pauses).catch(() => {})
    }, pauseMs)
  }
}

const endOf = (worker: Worker): Promise<void> =>
  worker.isDead() ? Promise.resolve() : new Promise((resolve) => worker.once('exit', () => resolve()))

function send(worker: Worker, message: ToProcess): void {
  if (worker.isConnected()) worker.send(message, () => {})
}

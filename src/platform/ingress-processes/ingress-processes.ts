import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { RestartPauses } from '../restart-pauses.mjs'
import { type Assignment, DRAIN_SECONDS, type FromProcess, type ToProcess } from './messages.ts'

/** Beyond the time that requests have to end. */
const STOP_GRACE_MS = 500
const KILLED_MS = 1_000
/** One that does not answer in time is left out. */
const METRICS_MS = 1_000

interface Member {
  worker: Worker
  readySince: number | null
  reportProblem: string | null
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
  private asked = 0
  private readonly answers = new Map<number, (metrics: object[]) => void>()

  constructor(assignment: Assignment, log: Logger) {
    this.assignment = assignment
    this.log = log
  }

  /** How many take connections. */
  get ready(): number {
    return [...this.members].filter(({ readySince }) => readySince !== null).length
  }

  /** Of the first process that cannot report its requests. */
  get reportProblem(): string | null {
    return [...this.members].find(({ reportProblem }) => reportProblem !== null)?.reportProblem ?? null
  }

  /** Resolves with the port once all of them listen. Throws what hinders the first one that cannot. */
  async start(count: number): Promise<number> {
    const ports = await Promise.all(Array.from({ length: count }, () => this.startOne(new RestartPauses())))
    return ports[0] ?? 0
  }

  /** What each process that answers has counted. */
  async metrics(): Promise<object[][]> {
    const ready = [...this.members].filter(({ readySince }) => readySince !== null)
    const answers = await Promise.all(ready.map(({ worker }) => this.metricsOf(worker)))
    return answers.filter((answer) => answer !== null)
  }

  private async metricsOf(worker: Worker): Promise<object[] | null> {
    this.asked += 1
    const question = this.asked
    const answer = new Promise<object[]>((resolve) => this.answers.set(question, resolve))
    send(worker, { type: 'metrics', question })
    const late = sleep(METRICS_MS, null, { ref: false })
    const metrics = await Promise.race([answer, late])
    this.answers.delete(question)
    return metrics
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
    const member: Member = { worker: cluster.fork(), readySince: null, reportProblem: null }
    const { worker } = member
    this.members.add(member)
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    worker.on('message', (message: FromProcess) => {
      if (message.type === 'waiting') send(worker, { type: 'begin', assignment: this.assignment })
      if (message.type === 'metrics') this.answers.get(message.question)?.(message.metrics)
      if (message.type === 'reports') member.reportProblem = message.problem
      if (message.type === 'failed') reject(Object.assign(new Error(message.message), { code: message.code }))
      if (message.type !== 'ready') return
      member.readySince = performance.now()
      resolve(message.port)
    })
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

/** One that could not be started at all has no number, and never exits. */
function endOf(worker: Worker): Promise<void> {
  if (worker.isDead()) return Promise.resolve()
  return new Promise((resolve) => {
    worker.once('exit', () => resolve())
    // Else it is a message to a process that has just died, which is lost as it would have been a moment later.
    worker.on('error', () => worker.process.pid === undefined && resolve())
  })
}

function send(worker: Worker, message: ToProcess): void {
  if (worker.isConnected()) worker.send(message, () => {})
}

import { once } from 'node:events'
import { join } from 'node:path'
import Docker from 'dockerode'
import { type ApiProcess, createFleet } from '../support/api-process.ts'
import type { Testimony } from './witness.ts'

export interface BerthUnderTest {
  url: string
  port: number
  ingressPort: number
  token: string
  process: ApiProcess
  docker: Docker | null
  /** What is seen from within. */
  testify(options?: { collect: boolean }): Promise<Testimony>
  /** Faults that it wrote into its log, and whether it died. */
  complaints(): string[]
  stop(): Promise<void>
}

/** A real process with all three roles, whose limits on the number of requests are out of the way. */
export async function startBerthUnderTest(databaseUrl: string): Promise<BerthUnderTest> {
  const docker = await reachableEngine()
  const fleet = createFleet({
    databaseUrl,
    nodeOptions: ['--expose-gc', '--import', join(import.meta.dirname, 'witness.ts')],
    ipc: true,
    settings: {
      BERTH_ROLES: docker ? 'api,worker,ingress' : 'api,ingress',
      BERTH_RATE_LIMIT: '10000000',
      BERTH_OPERATION_RATE_LIMIT: '100000',
      BERTH_ANONYMOUS_RATE_LIMIT: '10000000',
      // Waiting is allowed, but must not be mistaken for hanging.
      BERTH_MAX_WAIT_SECONDS: '1',
      BERTH_LOG_LEVEL: 'error',
      BERTH_DRAIN_SECONDS: '1',
      BERTH_STOP_GRACE_SECONDS: '1',
      BERTH_OPERATION_ATTEMPTS: '1',
      BERTH_READY_TIMEOUT_SECONDS: '10',
      BERTH_WORKER_CONCURRENCY: '2',
      // Few enough to be all in use early: sockets are counted, and a pool that still grows would look like a leak.
      DATABASE_POOL_SIZE: '10',
    },
  })
  const process = await fleet.start()
  const ingressPort = Number(/Apps?\s+http:\/\/\S+?:(\d+)/.exec(process.said())?.[1])
  return {
    url: process.url,
    port: Number(new URL(process.url).port),
    ingressPort,
    token: process.token,
    process,
    docker,
    async testify({ collect } = { collect: false }) {
      const answer = once(process.child, 'message')
      process.child.send(collect ? 'collect and testify' : 'testify')
      return (await answer)[0] as Testimony
    },
    complaints() {
      const lines = process.said().split('\n')
      // That there is no such image is what most cases are bound to end with.
      const faults = lines.filter(
        (line) => FAULT.test(line) && !line.includes(MISSING_IMAGE) && !/cannot be had|was not found/.test(line),
      )
      const { exitCode, signalCode } = process.child
      return exitCode === null && signalCode === null
        ? faults
        : [`it died: ${exitCode ?? signalCode}`, ...lines.slice(-20)]
    },
    stop: () => fleet.stop(),
  }
}

/** Refused at once, by a port on which nothing listens. */
export const MISSING_IMAGE = '127.0.0.1:9/nothing:1'

const FAULT = /"level":[56]0|unhandled|uncaught|^\s+at /i

async function reachableEngine(): Promise<Docker | null> {
  const docker = new Docker()
  return docker.ping().then(
    () => docker,
    () => null,
  )
}

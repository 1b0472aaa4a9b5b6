import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BenchResult } from './bench-result.ts'
import { inWhole, median, ratiosOf, spreadOf } from './spread.ts'

const ROUNDS = 9
const SECONDS = 3
const CONNECTIONS = 50
const HOST = 'bench.berth.localhost'

const LOAD = join(import.meta.dirname, 'http-load.ts')
const run = promisify(execFile)

/**
 * Requests per second through the ingress against direct requests to the same server, and against a relay that only passes
 * bytes on, which is what any Node.js process in between costs. Server, ingress, relay and load generator are separate
 * processes; the ways take turns, so that load on the machine affects all of them. On two processors, the load generator shares
 * one of them with the server, so it does as little as it can.
 */
export async function benchIngress(): Promise<BenchResult[]> {
  const upstream = await start('ingress-upstream.ts')
  const ingress = await start('ingress-server.ts', `${upstream.port}`)
  const relay = await start('ingress-relay.ts', `${upstream.port}`)
  try {
    for (const { port } of [upstream, ingress, relay]) await load(port, 1)
    const direct: number[] = []
    const through: number[] = []
    const relayed: number[] = []
    const cpu = await cpuSince(ingress.child)
    for (let round = 0; round < ROUNDS; round += 1) {
      direct.push(await load(upstream.port, SECONDS))
      through.push(await load(ingress.port, SECONDS))
      relayed.push(await load(relay.port, SECONDS))
    }
    const { user, system } = await cpu()
    const requests = through.reduce((sum, perSecond) => sum + perSecond * SECONDS, 0)
    const perRequest = ((user + system) / requests).toFixed(1)
    const inKernel = Math.round((system / (user + system)) * 100)
    const how = `medians of ${ROUNDS} pairs of turns (least–most), ${CONNECTIONS} connections`
    const limitedBy = `one core: ${perRequest} µs of it per request, ${inKernel} % in the kernel for two reads and two writes where the container has one of each`
    const result = (name: string, other: number[], aim: number): BenchResult => ({
      name,
      ratio: median(ratiosOf(through, other)),
      aim,
      better: 'higher',
      detail: `${inWhole(spreadOf(through))} req/s through the ingress, against ${inWhole(spreadOf(other))} req/s; ${how}`,
      limitedBy,
    })
    return [
      result('ingress against calling the container directly', direct, 0.45),
      result('ingress against a relay that looks at no byte', relayed, 0.9),
    ]
  } finally {
    for (const { child } of [relay, ingress, upstream]) child.kill()
  }
}

async function start(program: string, ...args: string[]): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(join(import.meta.dirname, program), args)
  const [port] = await once(child, 'message')
  return { child, port }
}

/** Requests per second of so many connections. Throws when one fails. */
export async function load(port: number, seconds: number, host = HOST): Promise<number> {
  const { stdout } = await run(process.execPath, [LOAD, `${port}`, `${seconds}`, `${CONNECTIONS}`, host])
  return Number(stdout)
}

/** CPU time of a process between this call and the call of the returned function, in microseconds. */
async function cpuSince(child: ChildProcess): Promise<() => Promise<NodeJS.CpuUsage>> {
  const read = async (): Promise<NodeJS.CpuUsage> => {
    child.send('cpu')
    const [usage] = await once(child, 'message')
    return usage
  }
  const before = await read()
  return async () => {
    const after = await read()
    return { user: after.user - before.user, system: after.system - before.system }
  }
}

if (import.meta.main) console.log(await benchIngress())

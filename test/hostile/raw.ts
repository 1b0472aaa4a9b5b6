import { drawOf } from './draw.ts'
import type { Findings } from './findings.ts'
import { inParallel } from './in-parallel.ts'
import { rawCase } from './raw-cases.ts'
import { sendRaw } from './raw-wire.ts'

const CONCURRENCY = 32

interface RawTarget {
  name: string
  port: number
  host: string
}

interface RawTools {
  targets: readonly RawTarget[]
  token: string
  findings: Findings
  seed: number
}

/** Sends so many mangled requests, to one port after the other; how often each status came back. */
export async function mangle({ targets, token, findings, seed }: RawTools, requests: number) {
  const statuses = new Map<string, number>()
  const slow: number[] = []
  const send = async (index: number, isRepeat: boolean) => {
    const target = targets[index % targets.length] as RawTarget
    const made = rawCase(drawOf(seed, index), { host: target.host, token })
    const outcome = await sendRaw(target.port, made)
    // On a busy machine anything may be slow once. What is slow for a reason of its own is slow again, and alone.
    if (outcome.isSlow && !isRepeat) return void slow.push(index)
    const label = `${target.name} ${outcome.statuses[0] ?? 'closed'}`
    statuses.set(label, (statuses.get(label) ?? 0) + 1)
    if (!outcome.fault) return
    const replay = `echo ${made.bytes.toString('base64').slice(0, 3_000)} | base64 -d | nc -q 5 127.0.0.1 ${target.port}`
    findings.add({ phase: `raw ${made.name} to the ${target.name}`, index, what: outcome.fault, replay })
  }
  await inParallel(requests, CONCURRENCY, (index) => send(index, false))
  for (const index of slow) await send(index, true)
  return statuses
}

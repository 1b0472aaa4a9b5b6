import { readFileSync } from 'node:fs'

/** Of USER_HZ, which is 100 on every Linux that Node runs on. */
const TICK_MS = 10

/** Memory of one process now, and the processor time that it has used. */
export function processUse(pid: number): { memoryMb: number; cpuMs: number } {
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0'
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name, in parentheses, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { memoryMb: Math.round(Number(kb) / 1024), cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS }
}

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const MAX_GROWTH_MB = 64

interface Growth {
  megabytes: number
  storedMb: number
  grownMb: number
  seconds: number
}

/** In a process of its own, whose memory nothing else uses. */
export async function memoryGrowth(megabytes: number): Promise<Growth> {
  const program = fileURLToPath(new URL('measure-memory.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [program, String(megabytes)])
  return JSON.parse(stdout) as Growth
}

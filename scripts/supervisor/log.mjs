import { hostname } from 'node:os'

const QUIET = ['error', 'fatal', 'silent']

/** Lines like those of the processes' own log. */
export function createLog(level = 'info') {
  const write = (number, fields, msg) =>
    process.stdout.write(
      `${JSON.stringify({ level: number, time: Date.now(), pid: process.pid, hostname: hostname(), ...fields, msg })}\n`,
    )
  return {
    info: (fields, msg) => ![...QUIET, 'warn'].includes(level) && write(30, fields, msg),
    warn: (fields, msg) => !QUIET.includes(level) && write(40, fields, msg),
  }
}

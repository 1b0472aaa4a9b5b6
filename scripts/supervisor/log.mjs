import { hostname } from 'node:os'
import { hasColours, isReadable, readableLine } from '../../src/platform/readable-line.mjs'

const QUIET = ['error', 'fatal', 'silent']

/** Lines like those of the processes' own log. */
export function createLog(level = 'info', format = 'auto') {
  const print = isReadable(format)
    ? (line) => readableLine(line, { hasColours: hasColours() })
    : (line) => `${JSON.stringify(line)}\n`
  const write = (number, fields, msg) => {
    const who = { pid: process.pid, hostname: hostname(), name: 'supervisor' }
    process.stdout.write(print({ level: number, time: Date.now(), ...who, ...fields, msg }))
  }
  return {
    info: (fields, msg) => ![...QUIET, 'warn'].includes(level) && write(30, fields, msg),
    warn: (fields, msg) => !QUIET.includes(level) && write(40, fields, msg),
  }
}

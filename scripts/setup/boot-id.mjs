import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

let known

/** Differs after each boot of the machine, whatever its clock says; empty where the system has none. */
export function bootId() {
  known ??= readBootId()
  return known
}

function readBootId() {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    // macOS
  }
  try {
    return execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return ''
  }
}

// npm run doctor              says what hinders Berth on this machine, and what to do; ends with 1 when a check fails
// npm run -s doctor -- --json   the same for programs
import { readConfig } from '../src/config/config.ts'
import { examine } from '../src/platform/doctor/doctor.ts'
import { type Finding, fail, lineOf } from '../src/platform/doctor/finding.ts'

const COLOURS = { ok: '\x1b[32m', warn: '\x1b[33m', fail: '\x1b[31m' }

async function findings(): Promise<Finding[]> {
  try {
    return await examine(readConfig(process.env))
  } catch (error) {
    return [fail('settings', (error as Error).message, 'Correct them; docs/configuration.md has them all')]
  }
}

function print(found: readonly Finding[]): void {
  if (process.argv.includes('--json')) {
    const isWell = found.every(({ level }) => level !== 'fail')
    console.log(JSON.stringify({ ok: isWell, checks: found }, null, 2))
    return
  }
  for (const finding of found) {
    const line = lineOf(finding)
    console.log(process.stdout.isTTY ? `${COLOURS[finding.level]}${line.slice(0, 4)}\x1b[0m${line.slice(4)}` : line)
  }
}

const found = await findings()
print(found)
// Not only the code: a connection to something that does not answer would keep the process.
process.exit(found.some(({ level }) => level === 'fail') ? 1 : 0)

// node test/compose/oracle/record.ts PROGRAM    asks docker-compose (2.40) about each line, and records its answers
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { fileOf, KINDS, type Kind, linesOf, VARIABLES } from './lines.ts'

const [, , program] = process.argv
if (program === undefined) throw new Error('Usage: node test/compose/oracle/record.ts PROGRAM')
const folder = mkdtempSync(join(tmpdir(), 'compose-oracle-'))
const file = join(folder, 'compose.yml')

function ask(kind: Kind, line: string): unknown {
  writeFileSync(file, fileOf(kind, line, stringify))
  const { status, stdout, stderr } = spawnSync(program as string, ['-f', file, 'config', '--format', 'json'], {
    env: { ...VARIABLES },
    encoding: 'utf8',
  })
  if (status !== 0) return { refused: stderr.trim().split('\n').at(-1)?.replaceAll(folder, '') }
  const { container_name: _name, networks: _networks, ...service } = JSON.parse(stdout).services.a
  return service
}

for (const kind of KINDS) {
  const answers = Object.fromEntries(linesOf(kind).map((line) => [line, ask(kind, line)]))
  writeFileSync(join(import.meta.dirname, `${kind}.json`), `${JSON.stringify(answers, null, 2)}\n`)
  console.log(`${kind}: ${Object.keys(answers).length} lines`)
}
rmSync(folder, { recursive: true })

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** `Dockerfile` names a file format, which other builders read too. */
const ENGINE_WORDS = /docker(?!file)|moby|containerd|buildkit|swarm|kubernetes|podman/i

const PORTS = ['src/engines', 'src/engines/runtime', 'src/engines/images'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`),
)
const SUITES = ['test/contracts/container-runtime.ts', 'test/contracts/image-builder.ts']
const SHARED = ['test/contracts/engine-harness.ts', 'test/contracts/unavailable.ts']
const FOLDERS = ['test/contracts/container-runtime', 'test/contracts/image-builder', 'test/support/memory-engine']

const files = [
  ...PORTS,
  ...SUITES,
  ...SHARED,
  ...FOLDERS.flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`)),
]

test.each(files)('%s names no engine', (file) => {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n')
  expect(lines.filter((line) => ENGINE_WORDS.test(line))).toEqual([])
})

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sourceFiles } from './source-files.ts'

const SCRIPTS = join(import.meta.dirname, '../../scripts')

/** Functions of Node.js that write a file, or give one its name. */
const WRITES =
  /^(writeFile|appendFile|createWriteStream|rename|link|symlink|copyFile|cp|truncate|open)(Sync)?$|^(mkdir|mkdtemp)(Sync)?$/

/** Modules that write files other than by src/storage/files/durable-files.ts, and why these need not last. */
const MADE_AGAIN: Readonly<Record<string, string>> = {
  'src/builder/archive/extract.ts': 'reads an archive',
  'src/builder/archive/source-writer.ts': 'a source that is unpacked for one build',
  'src/builder/child-priority.ts': 'a file of /proc',
  'src/builder/git/checkout.ts': 'a source that is fetched for one build',
  'src/builder/program.ts': 'output of a program for one build',
  'src/builder/source-reader/readings.ts': 'a source that is unpacked for one build',
  'src/storage/database/embedded.ts': 'the draft of the database’s folder, moved into place durably',
  'src/storage/database/postgres-server.ts': 'the port and the log of the server, and what initdb fills and syncs',
  'src/fault-injection/failpoint.ts': 'orders of tests',
  'src/api/graphql/print-schema.ts': 'a file of the repository',
  'src/platform/process-registry/process-registry.ts': 'sockets of processes that live',
  'src/platform/process-registry/registry-directory.ts': 'the folder of these sockets',
  'src/worker/builds/build-directory.ts': 'the folder of one build',
  'src/worker/builds/inspect-sources.ts': 'a folder for one inspection',
  'src/worker/builds/write-dockerfile.ts': 'a folder for one build',
  'scripts/compose-table.ts': 'a file of the repository',
  'scripts/make-migration.ts': 'files of the repository',
  'scripts/permissions-table.ts': 'a file of the repository',
  'scripts/settings-table.ts': 'a file of the repository',
  'scripts/setup/bundle.mjs': 'the bundle, under the mark of make-once.mjs',
  'scripts/setup/compile-compose-schema.mjs': 'generated code, under the mark of make-once.mjs',
  'scripts/setup/compiled-code.mjs': 'the bundle, under the mark of make-once.mjs',
  'scripts/setup/dependencies.mjs': 'npm’s record, under the mark of make-once.mjs',
  'scripts/setup/generate-client.mjs': 'generated code, under the mark of make-once.mjs',
  'scripts/setup/generated-code.mjs': 'generated code, under the mark of make-once.mjs',
  'scripts/setup/build-console.mjs': 'generated code, under the mark of make-once.mjs',
  'scripts/setup/generate-schema-types.mjs': 'generated code, under the mark of make-once.mjs',
  'scripts/setup/install-engine.mjs': 'the log of a container engine',
  'scripts/setup/make-once.mjs': 'plain JavaScript without dependencies, which syncs its mark itself',
  'scripts/setup/one-at-a-time.mjs': 'turns of commands that run',
  'scripts/setup/unpack-pages.mjs': 'generated code, under the mark of make-once.mjs',
  'scripts/solution-check.ts': 'a file of the repository',
  'scripts/supervisor/priority.mjs': 'a file of /proc',
}

test('files that must last are written by one module; others say why theirs need not', () => {
  const scripts = readdirSync(SCRIPTS, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|mjs)$/.test(path))
    .map((path) => ({ path: `scripts/${path}`, absolutePath: join(SCRIPTS, path) }))
  const writing = [...sourceFiles(), ...scripts].filter(({ absolutePath }) => writesFiles(absolutePath))
  expect(
    writing
      .map(({ path }) => path)
      .filter((path) => path !== 'src/storage/files/durable-files.ts')
      .toSorted(),
  ).toEqual(Object.keys(MADE_AGAIN).toSorted())
})

function writesFiles(absolutePath: string): boolean {
  const imports = readFileSync(absolutePath, 'utf8').matchAll(/^import \{([^}]*)\} from 'node:fs(?:\/promises)?'$/gm)
  return [...imports]
    .flatMap(([, names = '']) => names.split(','))
    .some((name) => WRITES.test(name.trim().replace(/ as .*$/, '')))
}

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { locateSource } from '../../src/builder/locate-source.ts'
import type { SourceReader } from '../../src/builder/source-reader/source-reader.ts'
import { startSourceReader } from '../../src/builder/source-reader/start-source-reader.ts'
import { type GitServer, startGitServer } from '../support/git-server.ts'
import { repetitions } from '../support/repetitions.ts'
import { contentsOf, contextOf, unpacked } from './packed-source.ts'

/** Generated trees, packed and read by the programs that people use, and by a build. */
const runs = { numRuns: Number(process.env.BERTH_TEST_FUZZ ?? repetitions(6, 200)) }

const TIMEOUT_MS = 1_800_000

let root: string
let count = 0
const folder = (name: string) => {
  count += 1
  return join(root, `${name}-${count}`)
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'berth-fuzz-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

type Entry =
  | { kind: 'file'; content: Uint8Array; mode: number }
  | { kind: 'sparse'; pieces: { hole: number; content: Uint8Array }[]; end: number }
  | { kind: 'folder'; mode: number }
  | { kind: 'link'; target: string }
  | { kind: 'hardLink' }

/** Parts of names, as bytes: no UTF-8, other alphabets, spaces, backslashes, line ends, and very long ones. */
const parts = fc.constantFrom(
  'a',
  'b c',
  'caf\xe9',
  Buffer.from('größe').toString('latin1'),
  '\xff\xfe',
  'back\\slash',
  'C:',
  'new\nline',
  '-f',
  '--',
  '*',
  "it's",
  '$HOME',
  'x'.repeat(101),
  'y'.repeat(180),
)
const name = fc.tuple(parts, fc.nat(99)).map(([part, number]) => `${part}${number}`)
const content = fc.oneof(fc.uint8Array({ maxLength: 600 }), fc.uint8Array({ minLength: 511, maxLength: 513 }))
/** The owner can always read files, and enter folders: what is documented. */
const fileMode = fc.constantFrom(0o644, 0o755, 0o600, 0o640, 0o444, 0o666, 0o700, 0o777)
const target = fc.constantFrom(
  'a0',
  '/app/releases/1',
  '../outside',
  '../../../etc/passwd',
  '.',
  'caf\xe9',
  't'.repeat(150),
)

const piece = fc.record({
  hole: fc.constantFrom(0, 4096, 65_536, 1_048_576),
  content: fc.uint8Array({ maxLength: 5_000 }),
})
const entry = (withSparse: boolean): fc.Arbitrary<Entry> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('file' as const), content, mode: fileMode }) },
    {
      weight: withSparse ? 2 : 0,
      arbitrary: fc.record({
        kind: fc.constant('sparse' as const),
        pieces: fc.array(piece, { minLength: 1, maxLength: 30 }),
        end: fc.constantFrom(0, 100_000),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('folder' as const), mode: fc.constantFrom(0o755, 0o700, 0o750) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('link' as const), target }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('hardLink' as const) }) },
  )

/** At most so deep that a path stays below the limit of 1,024 characters. */
const trees = (withSparse: boolean) =>
  fc.array(fc.tuple(fc.array(name, { maxLength: 3 }), name, entry(withSparse)), { minLength: 1, maxLength: 14 })

type Tree = [above: string[], name: string, entry: Entry][]

const at = (base: string, path: string) => Buffer.concat([Buffer.from(`${base}/`), Buffer.from(path, 'latin1')])

/** Writes a tree; of two entries that cannot stand together, the first. */
function write(base: string, tree: Tree): void {
  mkdirSync(base)
  chmodSync(base, 0o755)
  const files: string[] = []
  const modes: [string, number][] = []
  for (const [above, last, one] of tree) {
    const path = [...above, last].join('/')
    const folders = above.map((_part, index) => above.slice(0, index + 1).join('/'))
    try {
      for (const each of folders) {
        mkdirSync(at(base, each), { recursive: true })
        chmodSync(at(base, each), 0o755)
      }
      if (one.kind === 'file') {
        writeFileSync(at(base, path), one.content, { flag: 'wx' })
        modes.push([path, one.mode])
        files.push(path)
      } else if (one.kind === 'sparse') {
        const file = openSync(at(base, path), 'wx')
        let position = 0
        for (const { hole, content } of one.pieces) {
          position += hole
          writeSync(file, content, 0, content.length, position)
          position += content.length
        }
        ftruncateSync(file, position + one.end)
        closeSync(file)
        modes.push([path, 0o644])
        files.push(path)
      } else if (one.kind === 'folder') {
        mkdirSync(at(base, path))
        modes.push([path, one.mode])
      } else if (one.kind === 'link') symlinkSync(Buffer.from(one.target, 'latin1'), at(base, path))
      else if (files[0] !== undefined) linkSync(at(base, files[0]), at(base, path))
    } catch (error) {
      if (!/^E(EXIST|NOTDIR|LOOP|NOENT|ISDIR)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
  for (const [path, mode] of modes) chmodSync(at(base, path), mode)
}

const FORMATS: [name: string, options: string[]][] = [
  ['GNU tar', ['--format=gnu']],
  ['GNU tar, sparse', ['--format=gnu', '--sparse']],
  ['GNU tar of old', ['--format=oldgnu', '--sparse']],
  ['pax', ['--format=pax']],
  ['pax, sparse 0.0', ['--format=pax', '--sparse', '--sparse-version=0.0']],
  ['pax, sparse 0.1', ['--format=pax', '--sparse', '--sparse-version=0.1']],
  ['pax, sparse 1.0', ['--format=pax', '--sparse', '--sparse-version=1.0']],
]

describe.each(FORMATS)('a tree that is packed by %s', (_name, options) => {
  test(
    'is read as tar itself reads it',
    async () => {
      await fc.assert(
        fc.asyncProperty(trees(true), async (tree) => {
          const [source, archive, theirs] = [folder('source'), folder('archive'), folder('theirs')]
          write(source, tree as Tree)
          execFileSync('tar', [...options, '-czf', archive, '-C', source, '.'])
          mkdirSync(theirs)
          execFileSync('tar', ['-xpzf', archive, '-C', theirs, '-P'])
          const ours = await unpacked(archive, folder('ours'))
          expect(ours.absent).toEqual([])
          expect(contentsOf(ours.folder)).toEqual(contentsOf(theirs))
          expect(await contextOf(ours.folder, folder('context'))).toEqual(contentsOf(theirs))
        }),
        runs,
      )
    },
    TIMEOUT_MS,
  )
})

describe('a tree that is packed by zip', () => {
  test(
    'is read as unzip itself reads it',
    async () => {
      await fc.assert(
        fc.asyncProperty(trees(false), async (tree) => {
          const [source, archive, theirs] = [folder('source'), `${folder('archive')}.zip`, folder('theirs')]
          write(source, tree as Tree)
          execFileSync('zip', ['-q', '-r', '-y', archive, '.'], { cwd: source, env: { ...process.env, LC_ALL: 'C' } })
          mkdirSync(theirs)
          // Without the option, it drops control characters from names.
          execFileSync('unzip', ['-q', '-^', archive, '-d', theirs], { env: { ...process.env, LC_ALL: 'C' } })
          const ours = await unpacked(archive, folder('ours'))
          expect(contentsOf(ours.folder)).toEqual(contentsOf(theirs))
          expect(await contextOf(ours.folder, folder('context'))).toEqual(contentsOf(theirs))
        }),
        runs,
      )
    },
    TIMEOUT_MS,
  )
})

describe('a tree that is committed to git', () => {
  let git: GitServer
  let reader: SourceReader & AsyncDisposable
  beforeAll(async () => {
    git = await startGitServer()
    reader = startSourceReader(root, { heapMb: 256, readingSeconds: 60, cpuSeconds: 600 })
  })
  afterAll(async () => {
    await reader?.[Symbol.asyncDispose]()
    await git?.close()
  })

  test(
    'is read as git itself checks it out',
    async () => {
      await fc.assert(
        fc.asyncProperty(trees(false), async (tree) => {
          const [source, theirs, work] = [folder('source'), folder('theirs'), folder('work')]
          write(source, tree as Tree)
          const repository = `fuzz-${count}`
          git.createRepository(repository)
          git.git(source, 'init', '--quiet', '-b', 'main')
          git.git(source, 'add', '-A')
          git.git(source, 'commit', '--quiet', '--allow-empty', '-m', 'A tree')
          git.git(source, 'push', '--quiet', '--force', git.folder(repository), 'HEAD:refs/heads/main')
          execFileSync('git', ['clone', '--quiet', git.folder(repository), theirs])
          rmSync(join(theirs, '.git'), { recursive: true })
          mkdirSync(work)
          const plain = { kind: 'git', branch: 'main', commit: null, installationId: null } as const
          const limits = { maxBytes: 64 * 1024 * 1024, maxFiles: 5_000, timeoutSeconds: 60 }
          const tools = {
            limits,
            uploads: root,
            allowsPrivateHosts: true,
            gitHub: null,
            signal: AbortSignal.timeout(60_000),
          }
          const located = await locateSource({ ...plain, url: git.repository(repository) }, work, tools)
          const ours = await located.fetch(reader)
          expect(ours?.absent).toEqual([])
          expect(contentsOf(ours?.folder ?? '')).toEqual(contentsOf(theirs))
          expect(await contextOf(ours?.folder ?? '', folder('context'), { hasPlainModes: true })).toEqual(
            contentsOf(theirs),
          )
        }),
        runs,
      )
    },
    TIMEOUT_MS,
  )
})

import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { tarGz } from '../support/source-archive.ts'
import { zipOf } from '../support/zip-archive.ts'
import { contextOf, unpacked } from './packed-source.ts'

const FILES = join(import.meta.dirname, 'files')
let root: string
let source: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'berth-entries-'))
  source = join(root, 'source')
  mkdirSync(source)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** What a build of an upload of the folder sees, packed by tar. */
async function built(...options: string[]) {
  const archive = join(root, 'archive')
  execFileSync('tar', [...options, '-czf', archive, '-C', source, '.'])
  return contextOfArchive(archive)
}

async function contextOfArchive(archive: string) {
  const { folder, absent } = await unpacked(archive, join(root, 'tree'))
  return contextOf(folder, join(root, 'context'), { tree: folder, absent })
}

const write = (name: string, text = 'x') => writeFileSync(join(source, name), text)
const X = Buffer.from('x').toString('base64')

describe('a pipe', () => {
  beforeEach(() => execFileSync('mkfifo', [join(source, 'run.pipe')]))

  test('is refused by name, with what to do', async () => {
    await expect(built()).rejects.toMatchObject({
      reason: 'SOURCE_REFUSED',
      message: '"run.pipe" is a pipe. If the build does not need it, name it in .dockerignore',
    })
  })

  test('that is ignored is no reason to refuse anything', async () => {
    write('.dockerignore', '*.pipe\n')
    write('app.js')
    expect(Object.keys(await built()).sort()).toEqual(['.dockerignore', 'app.js'])
  })

  test('outside of the folder that is built is none either', async () => {
    mkdirSync(join(source, 'web'))
    write('web/app.js')
    execFileSync('tar', ['-czf', join(root, 'archive'), '-C', source, '.'])
    const { folder, absent } = await unpacked(join(root, 'archive'), join(root, 'tree'))
    expect(absent).toEqual([{ path: 'run.pipe', reason: 'is a pipe' }])
    const options = { tree: folder, absent }
    expect(Object.keys(await contextOf(join(folder, 'web'), join(root, 'context'), options))).toEqual(['app.js'])
  })
})

test.each([
  ['a character device', { name: 'null', type: 'character-device' as const, devmajor: 1, devminor: 3 }],
  ['a block device', { name: 'null', type: 'block-device' as const, devmajor: 8, devminor: 0 }],
])('%s is refused unless it is ignored', async (what, entry) => {
  const archive = join(root, 'archive')
  writeFileSync(archive, await tarGz([entry, { name: '.dockerignore', content: 'null\n' }]))
  expect(Object.keys(await contextOfArchive(archive))).toEqual(['.dockerignore'])
  writeFileSync(archive, await tarGz([entry]))
  rmSync(join(root, 'tree'), { recursive: true })
  rmSync(join(root, 'context'), { recursive: true })
  await expect(contextOfArchive(archive)).rejects.toThrow(`"null" is ${what}.`)
})

test('a pipe in a zip file is refused unless it is ignored', async () => {
  const archive = join(root, 'archive')
  writeFileSync(archive, zipOf([{ name: 'run.pipe', content: '', mode: 0o010644 }]))
  await expect(contextOfArchive(archive)).rejects.toThrow('"run.pipe" is a pipe.')
})

test('hard links, as pnpm makes them, are files', async () => {
  write('store')
  mkdirSync(join(source, 'node_modules'))
  linkSync(join(source, 'store'), join(source, 'node_modules/left-pad.js'))
  expect(await built()).toEqual({
    store: `file 644 ${X}`,
    node_modules: 'folder 755',
    'node_modules/left-pad.js': `file 644 ${X}`,
  })
})

test.each(['/app/releases/1', '/usr/bin/python3', '../../outside', '../../../etc/passwd'])(
  'a link to %s is kept as a link, and not followed',
  async (target) => {
    symlinkSync(target, join(source, 'current'))
    expect(await built()).toEqual({ current: `link to ${target}` })
  },
)

test('a link out of the context is refused for the engine’s own builder, which cannot have it, unless it is ignored', async () => {
  symlinkSync('../outside', join(source, 'up'))
  symlinkSync('/app/releases/1', join(source, 'current'))
  const pack = (name: string) => contextOf(source, join(root, name), { isForEngine: true })
  await expect(pack('refused')).rejects.toThrow(/"up" leads out of the build context, to "\.\.\/outside"/)
  write('.dockerignore', 'up\n')
  expect(await pack('context')).toMatchObject({ current: 'link to /app/releases/1' })
})

test('a key keeps its mode, and a program its own', async () => {
  write('id_ed25519')
  write('run.sh')
  chmodSync(join(source, 'id_ed25519'), 0o600)
  chmodSync(join(source, 'run.sh'), 0o755)
  mkdirSync(join(source, 'private'))
  chmodSync(join(source, 'private'), 0o700)
  const kept = { id_ed25519: `file 600 ${X}`, 'run.sh': `file 755 ${X}`, private: 'folder 700' }
  expect(await built()).toEqual(kept)
  execFileSync('zip', ['-q', '-r', join(root, 'archive.zip'), '.'], { cwd: source })
  for (const name of ['tree', 'context']) rmSync(join(root, name), { recursive: true })
  expect(await contextOfArchive(join(root, 'archive.zip'))).toEqual(kept)
})

test('for the program of a preset, which is another user, all files can be read', async () => {
  write('secret.js')
  chmodSync(join(source, 'secret.js'), 0o600)
  expect(await contextOf(source, join(root, 'context'), { hasPlainModes: true })).toEqual({
    'secret.js': `file 644 ${X}`,
  })
})

test('names that are not UTF-8, and such with a backslash, are kept', async () => {
  for (const name of ['caf\xe9.txt', 'th\xe9.txt', 'a\\b']) {
    writeFileSync(Buffer.concat([Buffer.from(`${source}/`), Buffer.from(name, 'latin1')]), 'x')
  }
  const kept = { 'caf\xe9.txt': `file 644 ${X}`, 'th\xe9.txt': `file 644 ${X}`, 'a\\b': `file 644 ${X}` }
  expect(await built()).toEqual(kept)
})

test('backslashes in a zip file that Windows has made separate folders', async () => {
  const archive = zipOf([{ name: 'src\\app.js', content: 'x' }])
  // The system in the entry of the directory, after its signature and the version.
  archive[archive.indexOf(Buffer.from('PK\x01\x02', 'latin1')) + 5] = 0
  writeFileSync(join(root, 'archive'), archive)
  expect(Object.keys(await contextOfArchive(join(root, 'archive')))).toEqual(['src', 'src/app.js'])
})

test.each([
  ['M', 'a volume that continues another'],
  ['A', 'an access list of Solaris'],
  ['z', 'a type that no format has'],
])('an entry of the type %s, %s, is refused by its name', async (flag) => {
  write('odd.txt')
  const tar = execFileSync('tar', ['-c', '-C', source, 'odd.txt'])
  tar.write(flag, 156)
  tar.write(' '.repeat(8), 148)
  const sum = tar.subarray(0, 512).reduce((all, byte) => all + byte, 0)
  tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  writeFileSync(join(root, 'archive'), gzipSync(tar))
  await expect(contextOfArchive(join(root, 'archive'))).rejects.toMatchObject({
    reason: 'SOURCE_REFUSED',
    message: `The archive holds "odd.txt", whose type in tar, "${flag}", is not known: it is neither a file, a folder nor a link`,
  })
})

describe('ignore files', () => {
  test('the Dockerfile’s own goes first, and alone; .dockerignore is a file like others then', async () => {
    const folder = join(FILES, 'ignored-by-dockerfile')
    const options = { dockerfilePath: 'deploy/web.Dockerfile' }
    expect(Object.keys(await contextOf(folder, join(root, 'own'), options)).sort()).toEqual(['.dockerignore', 'app.js'])
    const without = await contextOf(folder, join(root, 'other'), { dockerfilePath: 'Dockerfile' })
    expect(Object.keys(without).filter((path) => path.endsWith('app.js'))).toEqual([])
  })

  test('what is ignored does not reach an image, nor anything of Berth’s', async () => {
    const folder = join(FILES, 'ignored-all-but-one')
    expect(Object.keys(await contextOf(folder, join(root, 'context')))).toEqual(['app.js'])
  })
})

describe('a pointer of Git LFS', () => {
  test('is refused by its path, with what to do', async () => {
    await expect(contextOf(join(FILES, 'lfs'), join(root, 'context'))).rejects.toMatchObject({
      reason: 'SOURCE_REFUSED',
      message: expect.stringMatching(/^"assets\/model\.bin" is a pointer of Git LFS, .*commit the file itself/),
    })
  })

  test('that is ignored is no reason to refuse anything', async () => {
    cpSync(join(FILES, 'lfs'), source, { recursive: true })
    write('.dockerignore', 'assets\n')
    expect(Object.keys(await contextOf(source, join(root, 'context'))).sort()).toEqual([
      '.dockerignore',
      '.gitattributes',
      'app.js',
    ])
  })
})

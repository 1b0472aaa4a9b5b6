import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assertTarget, safePath } from '../../src/builder/archive/entry-rules.ts'
import { extractArchive } from '../../src/builder/archive/extract.ts'
import { assertLinksLeadInside } from '../../src/builder/archive/links.ts'
import { namedImages } from '../../src/builder/dockerfile/base-images.ts'
import { labelStages } from '../../src/builder/dockerfile/dockerfile-labels.ts'
import { exposedVariables } from '../../src/builder/dockerfile/exposed-variables.ts'
import { assertBranchName } from '../../src/builder/git/checkout.ts'
import { parseRepositoryUrl } from '../../src/builder/git/git-address.ts'
import { readNixpacksPlan } from '../../src/builder/nixpacks-plan.ts'
import { sealVariables } from '../../src/builder/sealed-variables.ts'
import { readFacts } from '../../src/builder/source-facts.ts'
import { checkListing } from '../../src/builder/tree/listed-tree.ts'
import { parseBuildArgs } from '../../src/domain/build-args.ts'
import { parseHostName } from '../../src/domain/host-name.ts'
import { IgnoreRules } from '../../src/domain/ignore-rules.ts'
import { parseImageReference } from '../../src/domain/image-reference.ts'
import { slugOf } from '../../src/domain/names.ts'
import { foreignTransport } from '../../src/domain/repository-address.ts'
import { readTcpTable } from '../../src/engines/runtime/tcp-table.ts'
import { importCompose } from '../../src/solutions/compose/import-compose.ts'
import { FailureExcerpt } from '../../src/worker/text/failure-excerpt.ts'
import { plainText } from '../../src/worker/text/plain-text.ts'
import { tarGz } from '../support/source-archive.ts'
import { zipOf } from '../support/zip-archive.ts'

const KB = 1024
/** Whatever takes less is fast enough for its largest input, and too little to compare. */
const NEGLIGIBLE_MS = 150
/** For four times the input: linear time would be 4, quadratic 16. */
const MAX_GROWTH = 9
const ROUNDS = 3
const RUNS = 3

let folder: string
const { stackTraceLimit } = Error

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-time-'))
  // As Node has it. Vitest wants a hundred, which makes each of thousands of errors take longer than what is measured.
  Error.stackTraceLimit = 10
})
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit
  rmSync(folder, { recursive: true })
})

type Reader = (text: string) => unknown

/** Processor time, of the fastest of some runs: other programs and garbage collection only ever add to it. */
async function timeOf(read: Reader, text: string, runs = RUNS): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run += 1) {
    const before = process.cpuUsage()
    // Most of these inputs are refused.
    await Promise.resolve()
      .then(() => read(text))
      .catch(() => {})
    fastest = Math.min(fastest, process.cpuUsage(before).user / 1000)
  }
  return fastest
}

/**
 * Four times the input may take about four times the time. Measured anew, by the fastest of some runs, before it is
 * called more: a collection of garbage that others left in this process counts as ours.
 */
async function expectLinear(read: Reader, of: (length: number) => string, length: number): Promise<void> {
  const whole = of(length)
  const first = await timeOf(read, whole, 1)
  if (first < NEGLIGIBLE_MS || first / Math.max(await timeOf(read, of(length / 4)), 1) < MAX_GROWTH) return
  let figure = ''
  for (let round = 0; round < ROUNDS; round += 1) {
    const [quarter, all] = [await timeOf(read, of(length / 4)), await timeOf(read, whole)]
    if (all < NEGLIGIBLE_MS || all / Math.max(quarter, 1) < MAX_GROWTH) return
    figure = `${Math.round(quarter)} ms, then ${Math.round(all)} ms for ${JSON.stringify(whole.slice(0, 40))}`
  }
  expect(figure).toBe('linear')
}

const repeated = (start: string, unit: string, end: string) => (length: number) =>
  start + unit.repeat(Math.max(1, Math.floor((length - start.length - end.length) / unit.length))) + end

/** What backtracking, nesting and rescanning suffer from. */
const UNITS = [
  'a',
  ' ',
  '\t',
  '\n',
  '\\',
  '\\\n',
  '"',
  "'",
  `"'`,
  '$',
  '$a',
  '${',
  '${a',
  '${a:-',
  '-',
  '--a ',
  '--a="b ',
  '=',
  '#',
  '/',
  '../',
  'a/',
  'a/../',
  '*',
  '**/',
  '*a',
  '?',
  '[',
  '[a]',
  '[a',
  '{',
  '{"a":',
  '[[',
  '"a",',
  ',',
  '.',
  ':',
  '<<a ',
  '<<"a',
  '<',
  '@',
  '_',
  '%',
  '\u001b[',
  '\u001b]',
  '\u001b[1;',
  '\0',
  '\r',
  '\u2028',
  'é',
  '\ud800',
  'a=b ',
]

const every = async (
  read: Reader,
  length: number,
  starts: readonly string[] = [''],
  ends: readonly string[] = ['', '\nx'],
) => {
  for (const start of starts) {
    for (const end of ends) for (const unit of UNITS) await expectLinear(read, repeated(start, unit, end), length)
  }
}

describe('the time to read grows with the length alone, for', () => {
  const INSTRUCTIONS = [
    '',
    'FROM a\nRUN ',
    'ARG a=',
    'FROM ',
    'FROM a\nCOPY --from=',
    'FROM a\nADD ',
    'FROM a\nONBUILD ADD [',
  ]
  const LINES = [
    'FROM a\n',
    'FROM a AS a\n',
    'ARG a\n',
    'ARG a=$a\n',
    'ARG a=$a$a$a$a$a$a$a$a$a$a\n',
    'RUN <<a\n',
    'RUN a \\\n',
    'COPY --from=a b c\n',
    'LABEL a=b\n',
    'ENV a=b\n',
    '# escape=`\n',
    '# syntax=\n',
    'RUN --mount=from=a,from=a a\n',
  ]
  const dockerfileReaders: Record<string, Reader> = {
    'the images of a Dockerfile': (text) => namedImages(text, { a: 'b'.repeat(1000) }),
    'its labels': (text) => labelStages(text, { a: 'b' }),
    'its exposed variables': (text) => exposedVariables(text, ['a']),
    'its sealed variables': (text) => sealVariables(text, ['a']),
  }
  test.each(Object.entries(dockerfileReaders))('%s', async (_name, read) => {
    await every(read, 64 * KB, INSTRUCTIONS)
    for (const line of LINES) {
      await expectLinear(read, repeated('', line, 'FROM a'), 128 * KB)
      await expectLinear(read, repeated('FROM a\n', line, ''), 128 * KB)
    }
    const stages = (length: number) =>
      Array.from({ length: length / 16 }, (_, n) => `FROM s${n} AS s${n + 1}`).join('\n')
    await expectLinear(read, stages, 128 * KB)
  })

  test('arguments that refer to one another: they are limited', async () => {
    const nested = ['ARG A0=aaaaaaaaaa', ...Array.from({ length: 9 }, (_, n) => `ARG A${n + 1}=${`$A${n}`.repeat(10)}`)]
    const text = [...nested, 'FROM $A9'].join('\n')
    await expect(namedImages(text, {})).rejects.toThrow('the variables of one text have more than 4096 characters')
    expect(await timeOf(() => namedImages(text, {}), '', 1)).toBeLessThan(NEGLIGIBLE_MS)
  })

  test('a plan of nixpacks', async () => {
    const starts = ['', '{"variables":{"a":"', '{"phases":{"a":{"nixpkgsArchive":"', '{"staticAssets":{"']
    await every(readNixpacksPlan, 256 * KB, starts)
    await every(readNixpacksPlan, 256 * KB, starts.slice(1, 3), ['"}}}', '"}}'])
  })

  test('a compose file', async () => {
    const read = (text: string) => importCompose(text.replace(/.{2000}/g, '$&\n'), { a: 'b'.repeat(1000) })
    for (const unit of [
      '? ',
      '- ',
      '? - ',
      '&a ',
      '*a ',
      '|\n',
      '"',
      '[',
      '<<: ',
      'a:\n ',
      '${a:-',
      '${a-',
      '$${',
      '!!',
      '---\n',
    ])
      await expectLinear(read, repeated('services:\n  a: ', unit, ''), 32 * KB)
  })

  test('the patterns of a .dockerignore, and the paths that they are compared with', async () => {
    const paths = ['a', 'b', `${'a'.repeat(100)}.txt`]
    await every((text) => {
      const rules = new IgnoreRules(text.split('\n'))
      for (const path of paths) rules.below(rules.root, path)
    }, 32 * KB)
    const rules = new IgnoreRules(['**/*a*a*a*b', '*/**/c', '[^a-c]*'])
    const deep = (text: string) => text.split('/').reduce((above, name) => rules.below(above, `/${name}`), rules.root)
    await expectLinear(deep, repeated('', 'a/', ''), 32 * KB)
    await expectLinear((text) => rules.below(rules.root, text), repeated('', 'a', ''), 32 * KB)
  })

  test('the manifests of a source', async () => {
    for (const name of ['package.json', 'requirements.txt', 'Procfile', '.npmrc', 'pnpm-workspace.yaml']) {
      const starts = name === 'package.json' ? ['{"scripts":{"start":"'] : ['', 'web:', '-r ', '$']
      const read = (text: string) => {
        writeFileSync(join(folder, name), text)
        return readFacts(folder)
      }
      await every(read, 64 * KB, starts)
      rmSync(join(folder, name))
    }
  })

  test('names, references and lines', async () => {
    for (const read of [
      safePath,
      parseImageReference,
      parseBuildArgs,
      parseRepositoryUrl,
      foreignTransport,
      assertBranchName,
      slugOf,
      parseHostName,
    ]) {
      await every(read, 128 * KB, ['', 'https://a/', 'A="'])
    }
    await every((text) => assertTarget('a/b', text), 128 * KB)
    await every(plainText, 32 * KB, ['', '\u001b]', '\u001b['])
  })

  test('the sockets that a container prints, and what a program printed before it failed', async () => {
    await every(readTcpTable, 512 * KB, ['', '   0: ', '   0: 0100007F:0BB8 00000000:0000 '])
    await expectLinear(readTcpTable, repeated('', '   0: 0100007F:0BB8 00000000:0000 0A 0\n', ''), 512 * KB)
    const excerpt = (text: string) => {
      const lines = new FailureExcerpt()
      for (const line of text.split('\n')) lines.add(line)
      return lines.lines()
    }
    await every(excerpt, 128 * KB, ['', 'Step ', 'error ', 'E: '])
  })

  test('what git lists', async () => {
    const read = (text: string) => {
      const file = join(folder, 'listing')
      writeFileSync(file, text)
      return checkListing(file, { maxBytes: 2 ** 40, maxFiles: 1e6, timeoutSeconds: 60 })
    }
    await every(read, 128 * KB, ['', '100644 blob abc 1\t'])
    await expectLinear(read, repeated('', `100644 blob abc 1\t${'a/'.repeat(500)}b\0`, ''), 2048 * KB)
  })
})

describe('a source at its limits', () => {
  const limits = { maxBytes: 512 * KB * KB, maxFiles: 50_000, timeoutSeconds: 60 }

  test.each([
    ['that lead through one another', (n: number) => [`l${n}`, `l${Math.floor(n / 2)}x`]],
    ['in a chain', (n: number) => [`l${n}`, `l${n + 1}`]],
    ['in circles', (n: number) => [`l${n}`, `l${(n + 1) % 30}`]],
    ['that lead up and down', (n: number) => [`a/b/c/l${n}`, `${'../c/'.repeat(300)}l${n - 1}`]],
    ['far below', (n: number) => [`${'a/'.repeat(200)}l${n}`, `${'../'.repeat(200)}x`]],
  ] as const)('has its 50,000 links checked in time: %s', async (_name, link) => {
    const check = (count: number) => {
      const links = new Map(Array.from({ length: count }, (_, n) => link(n) as unknown as [string, string]))
      return timeOf(() => assertLinksLeadInside(links), '', 1)
    }
    const [half, all] = [await check(25_000), await check(50_000)]
    console.info(`links: 25,000 in ${Math.round(half)} ms, 50,000 in ${Math.round(all)} ms of processor time`)
    expect(all).toBeLessThan(2_000)
  })

  const extracted = async (archive: Buffer) => {
    const tree = mkdtempSync(join(folder, 'tree-'))
    const file = join(folder, 'archive')
    writeFileSync(file, archive)
    const time = await timeOf(() => extractArchive(file, tree, limits, AbortSignal.timeout(60_000)), '', 1)
    rmSync(tree, { recursive: true })
    return time
  }

  test('has the headers of its archive read in linear time', async () => {
    for (const unit of ['a', '/', '1 ', '9 a=b\n', '\n1', '=', '\0', '../']) {
      const archive = (length: number) =>
        tarGz([{ name: 'f', pax: { path: unit.repeat(length / unit.length), comment: unit.repeat(1000) } as never }])
      const [half, all] = [await extracted(await archive(512 * KB)), await extracted(await archive(1024 * KB))]
      expect(all < NEGLIGIBLE_MS * 2 || all / half < MAX_GROWTH, `${half} ms, ${all} ms for ${unit}`).toBe(true)
    }
    const zip = (count: number) =>
      zipOf(Array.from({ length: count }, (_, n) => ({ name: `${'a/'.repeat(500)}${n}/`, content: '' })))
    const [half, all] = [await extracted(zip(2_000)), await extracted(zip(4_000))]
    expect(all / half, `${half} ms, then ${all} ms`).toBeLessThan(MAX_GROWTH)
  })

  test('has no more headers than its files need', async () => {
    const block = Buffer.alloc(512 * KB)
    const small = { maxBytes: 10 * KB, maxFiles: 10, timeoutSeconds: 60 }
    const file = join(folder, 'headers')
    const [header] = [await tarGz([{ name: 'f', type: 'pax-header', size: block.length } as never])]
    writeFileSync(file, Buffer.concat([header, gzipSync(block)]))
    const tree = mkdtempSync(join(folder, 'tree-'))
    await expect(extractArchive(file, tree, small, AbortSignal.timeout(60_000))).rejects.toMatchObject({
      reason: 'SOURCE_TOO_LARGE',
    })
  })
})

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TAR_END, tarHeader, tarPadding } from '../../../text/tar.ts'

const archiveOf = (files: readonly { path: string; content: Uint8Array }[]): Buffer =>
  Buffer.concat([
    ...files.flatMap(({ path, content }) => [
      tarHeader({ path, size: content.length }),
      content,
      Buffer.alloc(tarPadding(content.length)),
    ]),
    TAR_END,
  ])

const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 90 })
  .map((text) => text.replaceAll(/[/\0\n\\]/g, '_'))
  .filter((text) => !/^\.{1,2}$/.test(text) && Buffer.byteLength(text) <= 255)
const files = fc.uniqueArray(
  fc.record({
    path: fc
      .array(name, { minLength: 1, maxLength: 8 })
      .map((parts) => parts.map((part, at) => `${at}${part}`.slice(0, 60)).join('/')),
    content: fc.uint8Array({ maxLength: 1_500 }),
  }),
  { selector: ({ path }) => path.toLowerCase(), maxLength: 6 },
)

test('an archive has the files that were given, as tar reads it', () => {
  fc.assert(
    fc.property(files, (given) => {
      // A name that is a file here cannot be a folder there.
      const whole = given.filter(({ path }) => !given.some((other) => other.path.startsWith(`${path}/`)))
      const folder = mkdtempSync(join(tmpdir(), 'tar-'))
      writeFileSync(join(folder, 'it.tar'), archiveOf(whole))
      execFileSync('tar', ['-xf', 'it.tar'], { cwd: folder, env: { ...process.env, LC_ALL: 'C.UTF-8' } })
      for (const { path, content } of whole)
        expect(readFileSync(join(folder, path)).equals(Buffer.from(content)), path).toBe(true)
    }),
    { numRuns: 40 },
  )
})

test('long paths are whole', () => {
  for (const path of [
    'a'.repeat(100),
    `${'b'.repeat(155)}/${'c'.repeat(100)}`,
    'd'.repeat(200),
    `e/${'f'.repeat(240)}`,
  ]) {
    const folder = mkdtempSync(join(tmpdir(), 'tar-'))
    writeFileSync(join(folder, 'it.tar'), archiveOf([{ path, content: Buffer.from('x') }]))
    expect(execFileSync('tar', ['-tf', 'it.tar'], { cwd: folder, encoding: 'utf8' }).trim()).toBe(path)
  }
})

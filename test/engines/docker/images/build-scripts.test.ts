import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CLEAN_UP } from '../../../../src/engines/docker/images/own-builder/build-scripts.ts'

const KEPT = 2

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-exports-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** An export with the blobs, last changed at that time. */
function exported(name: string, blobs: string[], changedAt: Date): void {
  const path = join(folder, 'exports', name)
  mkdirSync(join(path, 'blobs/sha256'), { recursive: true })
  for (const blob of blobs) writeFileSync(join(path, 'blobs/sha256', blob), blob)
  utimesSync(path, changedAt, changedAt)
}

const blobsOf = (name: string) => readdirSync(join(folder, 'exports', name, 'blobs/sha256'))

const exportsLeft = () => readdirSync(join(folder, 'exports')).sort()

function cleanUp(name: string, blobs: string[]): void {
  const places = ['build', 'secrets', `exports/${name}`].map((path) => join(folder, path))
  for (const path of places.slice(0, 2)) mkdirSync(path)
  const { error } = spawnSync('sh', ['-c', CLEAN_UP, 'sh', ...places, `${KEPT}`, ...blobs])
  expect(error).toBeUndefined()
  expect(places.slice(0, 2).filter(existsSync)).toEqual([])
}

describe('after a build', () => {
  const now = Date.now()
  test.each([
    { others: 'older', changedAt: now - 60_000 },
    { others: 'of the same second', changedAt: now },
    { others: 'newer, as after a clock that was set back', changedAt: now + 3_600_000 },
  ])('its export stays, and as many others as may, where those are $others', ({ changedAt }) => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) exported(name, ['layer'], new Date(changedAt))
    exported('z', ['layer', 'of-before'], new Date(now))
    cleanUp('z', ['layer'])
    expect(exportsLeft()).toHaveLength(KEPT)
    expect(exportsLeft()).toContain('z')
    expect(blobsOf('z')).toEqual(['layer'])
  })

  test('that failed, an export without a blob goes, and one of an earlier build stays', () => {
    exported('earlier', ['layer'], new Date(now))
    exported('new', [], new Date(now))
    cleanUp('new', [])
    expect(exportsLeft()).toEqual(['earlier'])
    cleanUp('earlier', [])
    expect(blobsOf('earlier')).toEqual(['layer'])
  })
})

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ContainerRuntime } from '../../src/engines/runtime/container-runtime.ts'
import { DiskGrowth } from '../../src/worker/housekeeping/measure-disk.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-growth-'))
const isMounted = (() => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400m,nr_inodes=300000', 'tmpfs', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()
if (!isMounted) console.warn('Skipped: a file system of its own needs root and Linux')

beforeAll(() => mkdirSync(join(folder, 'files'), { recursive: true }))
afterAll(() => {
  if (isMounted) execFileSync('umount', [folder])
  rmSync(folder, { recursive: true, force: true })
})

const runtimeAt = (dataRoot: string) => ({ machine: async () => ({ dataRoot }) }) as unknown as ContainerRuntime

test.skipIf(!isMounted)('much that is written, and many files, are noticed; little is not', async () => {
  const growth = new DiskGrowth(runtimeAt(folder), 512, 200_000)
  await growth.begin()
  writeFileSync(join(folder, 'little'), Buffer.alloc(50 << 20))
  expect(await growth.isFast()).toBe(false)
  writeFileSync(join(folder, 'much'), Buffer.alloc(100 << 20))
  expect(await growth.isFast()).toBe(true)
  await growth.begin()
  expect(await growth.isFast()).toBe(false)
  execFileSync('sh', ['-c', 'seq 110000 | xargs touch'], { cwd: join(folder, 'files') })
  expect(await growth.isFast()).toBe(true)
  expect(await growth.begin()).toBe(true)
  expect(await growth.begin()).toBe(false)
})

test('an engine on another machine is measured at its times', async () => {
  const growth = new DiskGrowth(runtimeAt('/not/here'), 512, 200_000)
  await growth.begin()
  expect(await growth.isFast()).toBe(false)
})

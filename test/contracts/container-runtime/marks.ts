import { expect, test } from 'vitest'
import { type EngineHarness, uniqueId, type World } from '../engine-harness.ts'

/** Marks are of one installation, and the engine is the same for all. */
export function describeMarks(world: () => World, harness: EngineHarness): void {
  test('has the identity of the engine, which is the same for every installation', async () => {
    const other = harness.open({ installationId: uniqueId('ins') }).runtime
    const identity = await world().runtime.identity()
    expect(identity).toMatch(/./)
    expect(await other.identity()).toBe(identity)
  })

  test('shows the marks with the installation’s id only', async () => {
    const { runtime, installationId } = world()
    const sameId = harness.open({ installationId }).runtime
    const other = harness.open({ installationId: uniqueId('ins') }).runtime
    const [mark, second] = [
      { nonce: 'ab12', holder: 'one.example, data directory /srv/it’s “here”' },
      { nonce: 'cd34', holder: '' },
    ] as const
    await runtime.addMark(mark)
    await runtime.addMark(mark)
    await sameId.addMark(second)
    expect((await runtime.marks()).toSorted((a, b) => a.nonce.localeCompare(b.nonce))).toEqual([mark, second])
    expect(await other.marks()).toEqual([])
    await other.removeMark(mark.nonce)
    await sameId.removeMark(mark.nonce)
    await sameId.removeMark(mark.nonce)
    expect(await runtime.marks()).toEqual([second])
    await runtime.removeMark(second.nonce)
    expect(await runtime.marks()).toEqual([])
  })
}

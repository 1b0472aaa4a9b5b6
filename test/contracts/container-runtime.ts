import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { describeCommands } from './container-runtime/commands.ts'
import { describeConfinement } from './container-runtime/confinement.ts'
import { describeConvergence } from './container-runtime/convergence.ts'
import { describeFaults } from './container-runtime/faults.ts'
import { describeFiles } from './container-runtime/files.ts'
import { describeGroups } from './container-runtime/groups.ts'
import { describeMarks } from './container-runtime/marks.ts'
import { describeNetworks } from './container-runtime/networks.ts'
import { describeOutput } from './container-runtime/output.ts'
import { describeRemoval } from './container-runtime/removal.ts'
import { describeRuns } from './container-runtime/runs.ts'
import { describeSleeping } from './container-runtime/sleeping.ts'
import { describeTasks } from './container-runtime/tasks.ts'
import { describeVolumes } from './container-runtime/volumes.ts'
import { createWorld, type EngineHarness, type World } from './engine-harness.ts'

/** The behaviour that every adapter of the container runtime must have. */
export function describeContainerRuntime(adapter: string, harness: EngineHarness): void {
  describe(`the container runtime on ${adapter}`, () => {
    let present: World
    const world = () => present

    beforeAll(async () => {
      present = createWorld(harness, await harness.ensureImage())
    })
    afterEach(() => harness.removeContainers(present.installationId))
    afterAll(() => harness.cleanUp(present.installationId))

    test('reports its engine’s version', async () => {
      expect(await world().runtime.info()).toEqual({ name: adapter, version: expect.stringMatching(/^\d/) })
    })

    test('says how its machine keeps images and limits containers', async () => {
      expect(await world().runtime.machine()).toMatchObject({
        imageStore: expect.stringMatching(/^[a-z0-9]+( [a-z0-9]+)?$/),
        dataRoot: expect.stringMatching(/^\//),
        cgroupVersion: expect.stringMatching(/^[12]$/),
        hasMemoryLimit: true,
        cpus: expect.any(Number),
        memoryBytes: expect.any(Number),
      })
    })

    describe('marking', () => describeMarks(world, harness))
    describe('converging', () => describeConvergence(world, harness))
    describe('connecting', () => describeNetworks(world, harness))
    describe('grouping', () => describeGroups(world, harness))
    describe('confining', () => describeConfinement(world, harness))
    describe('removing', () => describeRemoval(world, harness))
    describe('sleeping', () => describeSleeping(world, harness))
    describe('keeping', () => describeVolumes(world, harness))
    describe('writing files', () => describeFiles(world, harness))
    describe('running commands', () => describeCommands(world, harness))
    describe('running tasks', () => describeTasks(world, harness))
    describe('carrying out runs', () => describeRuns(world, harness))
    describe('reporting', () => describeOutput(world, harness))
    describe('with a faulty engine', () => describeFaults(world, harness))
  })
}

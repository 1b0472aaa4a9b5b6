import { expect, test } from 'vitest'
import { type EngineHarness, eventually, onlyReplica, uniqueId, type World } from '../engine-harness.ts'
import { buildImage, run } from './build-image.ts'

/** A build follows its Dockerfile, reports its progress, and ends with an image that runs. */
export function describeBuilding(world: () => World, harness: EngineHarness): void {
  const { announce, fail, wait } = harness.programs

  test('builds from the archive, and the runtime runs the result by its id', async () => {
    const { runtime } = world()
    const { id, appEnvId } = await buildImage(
      world(),
      [
        'ARG WHO=anyone',
        'ARG UNSET=default',
        'ENV GREETING="hello $WHO, $UNSET"',
        'WORKDIR /app',
        'COPY . /app',
        `CMD ${JSON.stringify([...announce.entrypoint, ...announce.args])}`,
      ],
      { files: { message: 'from the archive' }, buildArgs: { WHO: 'you' } },
    )
    expect(id).toMatch(/^sha256:[0-9a-f]{64}$/)
    await runtime.apply(world().rollout({ appEnvId, pinnedImage: id, command: null, environment: {}, port: null }))
    const { name } = await onlyReplica(runtime, appEnvId)
    const printed = await eventually(
      () => Array.fromAsync(runtime.logs(name, {})),
      (lines) => lines.length >= 2,
    )
    expect(printed.slice(0, 2).map(({ message }) => message)).toEqual(['from the archive', 'hello you, default'])
  })

  test('runs programs in its steps, and reports steps and their output, line by line', async () => {
    const message = uniqueId('message')
    const instructions = ['ENV GREETING=hello', 'COPY message /app/message', run(announce), 'WORKDIR /greeting']
    const { lines } = await buildImage(world(), instructions, { files: { message } })
    expect(lines).toEqual(expect.arrayContaining([message, 'hello']))
    expect(lines.join('\n')).toContain('WORKDIR /greeting')
    expect(lines.some((line) => line.includes('\n'))).toBe(false)
  })

  test('copies files from an earlier stage, and nothing else of it', async () => {
    const { image } = world()
    const stages = ['COPY message /kept/message', `FROM ${image}`, 'COPY --from=0 /kept/message /app/message']
    const message = uniqueId('message')
    const { lines } = await buildImage(world(), [...stages, run(announce)], { files: { message } })
    expect(lines).toContain(message)
  })

  test('builds the stage that is wanted, and none after it', async () => {
    const { image } = world()
    const message = uniqueId('message')
    const stages = [`FROM ${image} AS wanted`, 'COPY message /app/message', run(announce), `FROM ${image}`, run(fail)]
    const { lines } = await buildImage(world(), stages, { files: { message }, target: 'wanted' })
    expect(lines).toContain(message)
    const failure = { reason: 'BUILD_FAILED', message: expect.stringContaining('absent') }
    await expect(buildImage(world(), stages, { files: { message }, target: 'absent' })).rejects.toMatchObject(failure)
  })

  test('fails with a reason when a step fails, and when a file is missing', async () => {
    const failure = { reason: 'BUILD_FAILED', isFinal: true }
    await expect(buildImage(world(), [run(fail)])).rejects.toMatchObject(failure)
    const missing = { ...failure, message: expect.stringContaining('nothing-there') }
    await expect(buildImage(world(), ['COPY nothing-there /'])).rejects.toMatchObject(missing)
  })

  test('ends at once when its caller aborts, with the reason, and leaves no step behind', async () => {
    const { imageBuilder } = world()
    const appEnvId = uniqueId('env')
    const reason = new Error('cancelled')
    const caller = new AbortController()
    const waits = Promise.withResolvers<void>()
    const building = buildImage(world(), [`ENV SALT=${appEnvId}`, run(wait)], {
      appEnvId,
      signal: caller.signal,
      onLine: (line) => line === 'waiting' && waits.resolve(),
    })
    building.catch(() => {})
    await waits.promise
    caller.abort(reason)
    await expect(building).rejects.toBe(reason)
    await imageBuilder.clearBuilds({ appEnvId, since: new Date(0) })
    await eventually(
      () => imageBuilder.buildSteps({ appEnvId }),
      (steps) => steps.length === 0,
    )
  })
}

import { describe, expect, test } from 'vitest'
import { withBaseImages } from '../../src/builder/dockerfile/base-images.ts'
import { labelStages } from '../../src/builder/dockerfile/dockerfile-labels.ts'

/** The images that the Dockerfile names, and the names that the engine gets instead. */
async function read(lines: readonly string[], buildArgs: Record<string, string> = {}, triggers: string[] = []) {
  const asked: string[] = []
  const text = await withBaseImages(lines.join('\n'), buildArgs, async (image) => {
    asked.push(image)
    return { name: `found/${asked.length}`, triggers }
  })
  return { asked, lines: text.split('\n') }
}

describe('images that a Dockerfile names', () => {
  test('are resolved before the build, wherever they appear', async () => {
    const { asked, lines } = await read([
      'FROM node:24 AS Build',
      'RUN --mount=type=cache,target=/a --mount=type=bind,from=ghcr.io/a/b:1,target=/b true',
      'from --platform=$BUILDPLATFORM build as second',
      'COPY --chown=1:1 --from=build /a /b',
      'COPY --from=0 /a /b',
      'COPY --from=busybox /a /b',
      'FROM scratch',
    ])
    expect(asked).toEqual(['docker.io/library/node:24', 'ghcr.io/a/b:1', 'docker.io/library/busybox:latest'])
    expect(lines).toEqual([
      'FROM found/1 AS Build',
      'RUN --mount=type=cache,target=/a --mount=type=bind,from=found/2,target=/b true',
      'FROM --platform=$BUILDPLATFORM build AS second',
      'COPY --chown=1:1 --from=build /a /b',
      'COPY --from=0 /a /b',
      'COPY --from=found/3 /a /b',
      'FROM scratch',
    ])
  })

  test.each([
    [['ARG TAG=24', 'FROM node:$TAG'], {}, 'docker.io/library/node:24'],
    [['ARG TAG=24', `FROM node:\${TAG}-slim`], { TAG: '22' }, 'docker.io/library/node:22-slim'],
    [['ARG A="a/b" B=1', `ARG C=\${A}:$B`, 'FROM "$C"'], {}, 'docker.io/a/b:1'],
    [['ARG A', `FROM node:\${A:-20}`], { OTHER: 'x' }, 'docker.io/library/node:20'],
    [['ARG A=1', `FROM node:20\${A:+-slim}`], {}, 'docker.io/library/node:20-slim'],
  ] as [string[], Record<string, string>, string][])('%j are read with their arguments', async (lines, args, image) => {
    expect((await read(lines, args)).asked).toEqual([image])
  })

  test('that could mean another tenant’s image are never passed on: ids, and later stages', async () => {
    const { asked } = await read(['FROM ab12', 'COPY --from=cd34 / /', 'FROM node AS cd34'])
    expect(asked).toEqual([
      'docker.io/library/ab12:latest',
      'docker.io/library/cd34:latest',
      'docker.io/library/node:latest',
    ])
  })
})

const lines = (...text: string[]) => ['FROM node', ...text]

test('a base image whose triggers read other images is refused, and one whose triggers are harmless is not', async () => {
  await expect(read(['FROM node'], {}, ['COPY --from=ab12 / /'])).rejects.toMatchObject({
    reason: 'DOCKERFILE_INVALID',
  })
  await expect(read(['FROM node'], {}, ['ADD $WHERE /'])).rejects.toMatchObject({ reason: 'DOCKERFILE_INVALID' })
  await expect(read(['FROM node'], {}, ['COPY . /app', 'RUN npm ci'])).resolves.toBeDefined()
})

test('a variable’s value in ADD is always a path', async () => {
  const found = await read(lines('ARG JAR', `ADD a $JAR http:/\${EMPTY}/x ./`, 'ADD ["$JAR", "/x"]', 'ADD a $HOME/'))
  expect(found.lines.slice(2)).toEqual([`ADD a ./$JAR ./http:/\${EMPTY}/x ./`, 'ADD ["./$JAR","/x"]', 'ADD a $HOME/'])
})

test('a label follows every FROM, and every LABEL that could claim another owner', () => {
  const labelled = labelStages('FROM a \\\n  # words\n  AS b\nLABEL berth.env=env_2\nRUN x \\\n\n y\nFROM c', {
    'berth.env': 'e',
  })
  const label = 'LABEL "berth.env"="e"'
  expect(labelled.split('\n')).toEqual([
    'FROM a \\',
    '  # words',
    '  AS b',
    label,
    'LABEL berth.env=env_2',
    label,
    'RUN x \\',
    '',
    ' y',
    'FROM c',
    label,
  ])
})

test.each([[['ARG A=1']], [['']], [['# only words']]])('a Dockerfile without FROM is refused: %j', async (lines) => {
  await expect(read(lines)).rejects.toMatchObject({ reason: 'DOCKERFILE_INVALID' })
})

test('a Dockerfile of empty lines is read quickly', async () => {
  await expect(read(new Array(200_000).fill(''))).rejects.toMatchObject({ reason: 'DOCKERFILE_INVALID' })
})

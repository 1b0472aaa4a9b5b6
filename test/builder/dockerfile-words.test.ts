import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { withBaseImages } from '../../src/builder/dockerfile/base-images.ts'
import { assertKnownToClassicBuilder, readDockerfile } from '../../src/builder/dockerfile/dockerfile-instructions.ts'
import { exposedVariables } from '../../src/builder/dockerfile/exposed-variables.ts'
import { forBuilder } from '../../src/builder/dockerfile/needed-images.ts'

const dockerfile = (name: string) => readFileSync(join(import.meta.dirname, 'files/dockerfiles', name), 'utf8')

describe('a here-document whose lines begin with from', () => {
  const text = dockerfile('here-document')

  test('holds no instructions: a builder of its own gets it as it is, with its base', () => {
    expect(forBuilder(text, {})).toEqual({ text, images: ['docker.io/library/python:3.12'] })
    expect(exposedVariables(text, ['TOKEN', '='])).toEqual(['TOKEN'])
  })

  test('is refused for the engine’s own builder, with the line and what to do', async () => {
    const find = async (name: string) => ({ name, triggers: [] })
    await expect(withBaseImages(text, {}, find)).rejects.toMatchObject({
      reason: 'DOCKERFILE_INVALID',
      message: expect.stringMatching(/^Line 4, in a here-document, reads like an instruction, .*BERTH_BUILDER/),
    })
  })
})

test('what cannot be read is the builder’s to judge', () => {
  expect(exposedVariables('ARG A\nFORM node\nARG TOKEN\n', ['TOKEN'])).toEqual([])
})

test.each([
  ['build-platform', /^Line 1: the engine’s own builder, .* too old for the variable BUILDPLATFORM of a FROM: /],
  ['mount', /^Line 3: .* too old for RUN --mount: rewrite the line, or .*BERTH_BUILDER/],
  ['chmod', /^Line 2: .* too old for COPY --chmod: /],
])('what the builder before BuildKit lacks is said as that: %s', (name, words) => {
  expect(() => assertKnownToClassicBuilder(readDockerfile(dockerfile(name)))).toThrow(words)
})

test('a here-document is one of these', () => {
  const read = readDockerfile('FROM node:22\nRUN <<EOF\necho hello\nEOF\n')
  expect(() => assertKnownToClassicBuilder(read)).toThrow(/^Line 2: .* too old for here-documents \(<<\): /)
  expect(() => assertKnownToClassicBuilder(readDockerfile('FROM a AS b\nCOPY --from=b --chown=1 x y\n'))).not.toThrow()
})

import { describe, expect, test } from 'vitest'
import { forBuilder } from '../../src/builder/dockerfile/needed-images.ts'

const imagesOf = (text: string, buildArgs: Record<string, string> = {}) => forBuilder(text, buildArgs).images

describe('the images that a builder is given', () => {
  test('are those that the last stage needs, wherever it names them', () => {
    const text = `FROM node:24 AS Build
RUN --mount=type=cache,target=/a --mount=type=bind,from=ghcr.io/a/b:1,target=/b true
FROM nobody/needs:this AS unused
FROM --platform=$BUILDPLATFORM build AS second
COPY --chown=1:1 --from=build /a /b
COPY --link --from=busybox /a /b
FROM scratch
COPY --from=2 /a /b
COPY --from=second /a /b`
    expect(imagesOf(text).sort()).toEqual([
      'docker.io/library/busybox:latest',
      'docker.io/library/node:24',
      'ghcr.io/a/b:1',
    ])
  })

  test.each([
    ['ARG TAG=24\nFROM node:$TAG', {}, 'docker.io/library/node:24'],
    [`ARG TAG=24\nFROM node:\${TAG}-slim`, { TAG: '22' }, 'docker.io/library/node:22-slim'],
    [`ARG A="a/b" B=1\nARG C=\${A}:$B\nFROM "$C"`, {}, 'docker.io/a/b:1'],
    ['# escape=`\nFROM `\n  node:24', {}, 'docker.io/library/node:24'],
    ['\uFEFFFROM node:24\r\nRUN true\r\n', {}, 'docker.io/library/node:24'],
  ] as [string, Record<string, string>, string][])(
    'are read with arguments, marks and ends of lines: %j',
    (text, args, image) => {
      expect(imagesOf(text, args)).toEqual([image])
    },
  )

  test('of a text in a here-document are none', () => {
    expect(imagesOf('FROM node:24\nRUN <<EOF\nFROM other\nCOPY --from=third / /\nEOF\nCMD true')).toEqual([
      'docker.io/library/node:24',
    ])
  })

  test.each(['', 'nonsense', 'FROM', 'FROM $NOTHING', 'COPY --from=a b c', 'FROM a AS b AS c', 'ARG A=$A\nFROM $A'])(
    'of what cannot be read, the builder judges: %j',
    (text) => {
      expect(() => imagesOf(text)).not.toThrow()
    },
  )
})

describe('the front end', () => {
  test.each([
    '# syntax=docker/dockerfile:1',
    '#syntax = docker.io/docker/dockerfile:1.7-labs',
    '# a\n# Syntax=docker/dockerfile',
  ])('of Docker is the one that is built in: %j', (line) => {
    const { text } = forBuilder(`${line}\nFROM node:24`, {})
    expect(text).not.toMatch(/syntax/i)
    expect(text.split('\n').length).toBe(line.split('\n').length + 1)
  })

  test('of somebody else stays as it is, and so does what only looks like one', () => {
    const other = '# syntax=evil/front-end\nFROM node:24'
    expect(forBuilder(other, {}).text).toBe(other)
    const later = 'FROM node:24\nRUN <<EOF\n# syntax=docker/dockerfile:1\nEOF'
    expect(forBuilder(later, {}).text).toBe(later)
  })
})

import { expect, test } from 'vitest'
import { declaredVariables, mountSecrets } from '../../src/builder/dockerfile/build-secrets.ts'

test('secret variables are mounts of the steps that follow their declaration, in its stage alone', () => {
  const written = `FROM node AS build
ARG API_URL
ARG NPM_TOKEN
RUN --mount=type=cache,target=/c npm ci
ARG KEY
RUN npm run build && \\
    true
FROM node
RUN echo last`
  expect(mountSecrets(written, ['KEY', 'NPM_TOKEN'])).toBe(`FROM node AS build
ARG API_URL
ARG BERTH_SECRETS_VERSION
RUN --mount=type=secret,id=NPM_TOKEN,env=NPM_TOKEN --mount=type=cache,target=/c npm ci

RUN --mount=type=secret,id=NPM_TOKEN,env=NPM_TOKEN --mount=type=secret,id=KEY,env=KEY npm run build && \\
    true
FROM node
RUN echo last`)
  expect(mountSecrets(written, [])).toBe(written)
})

test('arguments that a Dockerfile declares are found in any stage', () => {
  const text = 'ARG A\nFROM node AS b\nARG B="x y" C\nFROM node\nENV D=1\nARG E=$D\n'
  expect(declaredVariables(text, ['A', 'B', 'C', 'D', 'E', 'F'])).toEqual(['A', 'B', 'C', 'E'])
})

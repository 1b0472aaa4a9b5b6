import { describe, expect, test } from 'vitest'
import { exposedVariables } from '../../src/builder/dockerfile/exposed-variables.ts'
import { sealVariables } from '../../src/builder/sealed-variables.ts'

test.each([
  ['declared in the only stage', 'FROM a\nARG TOKEN\nRUN x', ['TOKEN']],
  ['declared among others, over lines', 'FROM a\nARG CI=1 \\\n  TOKEN=none\nRUN x', ['TOKEN']],
  ['declared in an earlier stage', 'FROM a AS build\nARG TOKEN\nRUN x\nFROM a\nCOPY --from=build /x /x', []],
  [
    'declared in a stage that the last one is built on',
    'FROM a AS Base\nARG TOKEN\nRUN x\nFROM base\nCMD ["x"]',
    ['TOKEN'],
  ],
  ['declared for the name of a base image alone', 'ARG TOKEN\nFROM a:$TOKEN\nRUN x', []],
  ['named in a text that a step reads', 'FROM a\nRUN <<END\nARG TOKEN\nEND\nCMD ["x"]', []],
  ['not there', 'FROM a\nARG OTHER', []],
])('a variable that is %s', (_what, dockerfile, expected) => {
  expect(exposedVariables(dockerfile, ['TOKEN', 'UNUSED'])).toEqual(expected)
})

describe('variables of a build that nixpacks planned', () => {
  const written = [
    'FROM base',
    'ENTRYPOINT ["/bin/bash", "-l", "-c"]',
    'WORKDIR /app/',
    'RUN nix-env',
    'ARG CI NIXPACKS_TOKEN',
    'ENV CI=$CI NIXPACKS_TOKEN=$NIXPACKS_TOKEN',
    'COPY . /app/.',
    'RUN npm ci',
    'CMD ["npm start"]',
  ]

  test('are available while it builds, and not while it runs', () => {
    expect(sealVariables(written.join('\n'), ['NIXPACKS_TOKEN', 'TOKEN']).split('\n')).toEqual([
      'FROM base AS berth-build',
      ...written.slice(1, 6),
      'ARG NIXPACKS_TOKEN',
      'ARG TOKEN',
      ...written.slice(6),
      'FROM base',
      'COPY --from=berth-build / /',
      'ENTRYPOINT ["/bin/bash", "-l", "-c"]',
      'WORKDIR /app/',
      'ARG CI',
      'ENV CI=$CI',
      'CMD ["npm start"]',
      '',
    ])
  })

  test('change nothing if there are none, and only the first stage if another one runs', () => {
    expect(sealVariables(written.join('\n'), [])).toBe(written.join('\n'))
    const two = [...written, 'FROM small', 'COPY --from=0 /app /app']
    const sealed = sealVariables(two.join('\n'), ['TOKEN'])
    expect(sealed.split('\n')).toEqual([...two.slice(0, 6), 'ARG TOKEN', ...two.slice(6)])
  })
})

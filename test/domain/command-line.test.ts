import { expect, test } from 'vitest'
import { commandLine } from '../../src/domain/command-line.ts'

test.each([
  ['a program of its own', { command: 'node', args: ['a b'], shell: false }, { entrypoint: ['node'], args: ['a b'] }],
  [
    'a line of a shell',
    { command: 'node a', args: ['$PORT'], shell: true },
    { entrypoint: ['/bin/sh', '-lc'], args: ['node a $PORT'] },
  ],
  [
    'arguments of the image’s entry point',
    { command: null, args: ['a', 'b c'], shell: true },
    { entrypoint: [], args: ['a', 'b c'] },
  ],
])('a startup command is %s', (_what, command, expected) => expect(commandLine(command)).toEqual(expected))

import { expect, test } from 'vitest'
import { parseBuildArgs } from '../../src/domain/build-args.ts'

test.each([
  ['A=b C="d e"', { A: 'b', C: 'd e' }],
  ['A=b\nC=d', { A: 'b', C: 'd' }],
  ["A='b c'\r\nD=e=f", { A: 'b c', D: 'e=f' }],
  ['--build-arg A=b --build-arg=C=d', { A: 'b', C: 'd' }],
  ['{"A":"b","N":1,"Y":true}', { A: 'b', N: '1', Y: 'true' }],
  ['A=', { A: '' }],
  ['A="say \\"hi\\""', { A: 'say "hi"' }],
  ['A=$(id) B=`id` C=$HOME', { A: '$(id)', B: '`id`', C: '$HOME' }],
  ['  ', {}],
  [null, {}],
])('%j is read as intended', (text, args) => expect(parseBuildArgs(text)).toEqual({ args }))

test.each([
  ['A="b', /never closed/],
  ['A b', /NAME=value/],
  ['=b', /NAME=value/],
  ['A-B=c', /not a name/],
  ['{"A":{}}', /must be a text/],
  ['{"A":', /JSON/],
  ['A=b\0', /NUL/],
  ['--privileged', /NAME=value/],
])('%j is refused', (text, words) => expect(parseBuildArgs(text)).toEqual({ problem: expect.stringMatching(words) }))

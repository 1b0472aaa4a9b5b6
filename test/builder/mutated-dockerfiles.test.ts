import { type Copy, DockerfileParser, type From, type PropertyInstruction } from 'dockerfile-ast'
import { expect, test } from 'vitest'
import { withBaseImages } from '../../src/builder/dockerfile/base-images.ts'
import { repetitions } from '../support/repetitions.ts'

const COUNT = repetitions(2_000, 20_000)

const LINES = [
  'FROM node:24',
  'FROM node:24 AS build',
  'from --platform=linux/amd64 busybox as second',
  'FROM build AS third',
  'FROM $BASE',
  `FROM \${BASE:-node}`,
  'ARG BASE=node:24',
  'ARG BASE',
  'COPY --from=build /a /b',
  'COPY --from=0 /a /b',
  'COPY --from=busybox --chown=1:1 /a /b',
  'RUN --mount=type=bind,from=build,target=/b true',
  'RUN --mount=type=cache,target=/c --mount=type=bind,from=busybox,source=/x,target=/y true',
  'RUN <<EOF',
  'EOF',
  'RUN echo one \\',
  '  && echo two',
  '# syntax=docker/dockerfile:1',
  '# a remark',
  'ONBUILD COPY . /app',
  'ENV FROM=x',
  'LABEL from="FROM ab12"',
  'ADD . /app',
  'WORKDIR /app',
]
const PIECES = [
  'FROM ',
  'from=',
  '--from=',
  '--mount=',
  'theirs',
  'sha256:',
  'a'.repeat(64),
  '99999999999999999999',
  '0',
  '1',
  '-1',
  ',',
  '=',
  ' ',
  '\t',
  '\\',
  '\\\n',
  '\n',
  '"',
  "'",
  '$',
  '{',
  '}',
  '#',
  '//',
  ' AS ',
  'syntax=',
  '<<EOF',
  '\u00a0',
  '\ufeff',
  '\r',
  ',from=theirs',
  '--from=theirs',
  ' --mount=type=bind,from=theirs,target=/t',
  'ONBUILD ',
  '`',
  '# escape=`\n',
]

/** Numbers that are the same in every run. */
function drawer(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    const mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39)
    return ((mixed ^ (mixed >>> 16)) >>> 0) % below
  }
}

function mutated(seed: number): string {
  const draw = drawer(seed + 1)
  const lines = ['FROM node:24', ...Array.from({ length: 1 + draw(7) }, () => LINES[draw(LINES.length)] ?? '')]
  let text = lines.join('\n')
  for (let change = draw(5); change > 0; change -= 1) {
    const at = draw(text.length + 1)
    text = text.slice(0, at) + (PIECES[draw(PIECES.length)] ?? '') + text.slice(at + (draw(3) === 0 ? draw(4) : 0))
  }
  return text
}

/** Images that another parser finds in a text. */
function imagesIn(text: string): string[] {
  const stages = new Set<string>()
  let count = 0
  const isStage = (name: string) => stages.has(name.toLowerCase()) || (/^\d+$/.test(name) && Number(name) < count)
  return DockerfileParser.parse(text)
    .getInstructions()
    .flatMap((instruction) => {
      if (instruction.getKeyword() === 'FROM') {
        const from = instruction as From
        const image = from.getImage() ?? ''
        const isOwn = stages.has(image.toLowerCase()) || image === 'scratch'
        const stage = from.getBuildStage()
        if (stage) stages.add(stage.toLowerCase())
        count += 1
        return isOwn ? [] : [image]
      }
      // Flags come first; the same words later are arguments.
      const [, word = '--'] = text.split('\n')[instruction.getRange().start.line]?.trim().split(/\s+/) ?? []
      const hasFlags = word === '\\' || word.startsWith('--')
      const flags =
        hasFlags && ['COPY', 'ADD', 'RUN'].includes(instruction.getKeyword())
          ? (instruction as Copy & PropertyInstruction).getFlags()
          : []
      const sources = flags.flatMap((flag) => {
        const value = flag.getValue() ?? ''
        if (flag.getName() === 'from') return [value]
        return flag.getName() === 'mount'
          ? [...value.matchAll(/(?:^|,)\s*from\s*=([^,]*)/gi)].map(([, from = '']) => from)
          : []
      })
      return sources.filter((source) => source !== '' && !isStage(source))
    })
}

test(`of ${COUNT} mutated Dockerfiles, what is given to the engine names no image that was not found`, async () => {
  let accepted = 0
  for (let seed = 0; seed < COUNT; seed += 1) {
    const text = mutated(seed)
    const names: string[] = []
    const given = await withBaseImages(text, {}, async (image) => {
      names.push(image)
      return { name: `found.example/${names.length}`, triggers: [] }
    }).catch(() => null)
    if (given === null) continue
    accepted += 1
    const unknown = imagesIn(given).filter((image) => !/^found\.example\/\d+$/.test(image))
    expect(unknown, `${JSON.stringify(text)}\nbecame\n${JSON.stringify(given)}`).toEqual([])
    expect(given).not.toMatch(/^\s*(#|\/\/)\s*syntax\s*=(?!\s*docker\/dockerfile)/im)
  }
  expect(accepted).toBeGreaterThan(COUNT / 10)
})

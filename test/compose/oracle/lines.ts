import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Each is a file of lines, and one of the answers that docker-compose 2.40 gave, which record.ts wrote. */
export const KINDS = ['interpolation', 'commands', 'forms'] as const
export type Kind = (typeof KINDS)[number]

/** What the texts may name; all others are not there. */
export const VARIABLES = { SET: 'value', EMPTY: '' } as const

export const linesOf = (kind: Kind): string[] =>
  readFileSync(join(import.meta.dirname, `${kind}.txt`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')

/** The compose file in which a line stands. */
export function fileOf(kind: Kind, line: string, stringify: (value: unknown) => string): string {
  const image = line.startsWith('image:') ? '' : 'image: "a:1", '
  if (kind === 'forms') return `services: { a: { ${image}${line} } }\nvolumes: { vol: {} }\n`
  const service = kind === 'commands' ? { image: 'a:1', command: line } : { image: 'a:1', environment: { V: line } }
  return stringify({ services: { a: service } })
}

export const answersOf = (kind: Kind): Record<string, Record<string, unknown>> =>
  JSON.parse(readFileSync(join(import.meta.dirname, `${kind}.json`), 'utf8'))

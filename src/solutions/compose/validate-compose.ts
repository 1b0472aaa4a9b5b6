import type { ErrorObject } from 'ajv'
import validate from '../generated/compose-schema.cjs'
import type { ComposeProblems } from './compose-problems.ts'

/** Adds everything in which the file differs from the specification's own schema, compose-spec.json. */
export function validateCompose(file: unknown, problems: ComposeProblems): void {
  if (validate(file)) return
  const byPlace = Map.groupBy(validate.errors ?? [], ({ instancePath }) => instancePath)
  const insides = new Set<string>()
  for (const path of byPlace.keys())
    for (let at = path.lastIndexOf('/'); at >= 0; at = path.lastIndexOf('/', at - 1)) {
      insides.add(path.slice(0, at))
      if (at === 0) break
    }
  for (const [path, errors] of byPlace) {
    const isChoice = errors.some(({ keyword }) => keyword === 'oneOf' || keyword === 'anyOf')
    // The other choices of a list or an object that is wrong inside.
    if (isChoice && insides.has(path)) continue
    const place = placeOf(path)
    const wrong = errors.filter(({ keyword }) => !['type', 'oneOf', 'anyOf'].includes(keyword))
    if (wrong.length === 0) problems.add(place, typeMessage(errors))
    for (const { place: at, message } of wrong.map((error) => messageOf(place, error))) problems.add(at, message)
  }
}

const placeOf = (path: string) =>
  path
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')

const below = (place: string, name: string) => (place === '' ? name : `${place}.${name}`)

function messageOf(place: string, { keyword, params, message = '' }: ErrorObject) {
  if (keyword === 'additionalProperties')
    return { place: below(place, params.additionalProperty), message: 'is not a field of the compose specification' }
  if (keyword === 'required') return { place: below(place, params.missingProperty), message: 'is required' }
  if (keyword === 'enum') return { place, message: `must be ${alternatives(params.allowedValues)}` }
  if (keyword === 'uniqueItems') return { place, message: 'has an entry twice' }
  return { place, message }
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'nothing',
}

function typeMessage(errors: readonly ErrorObject[]): string {
  const allowed = errors.filter(({ keyword }) => keyword === 'type').flatMap(({ params }) => params.type as string[])
  const data: unknown = errors[0]?.data
  const kind = data === null ? 'null' : Array.isArray(data) ? 'array' : typeof data
  const named = [...new Set(allowed)].filter((type) => type !== 'null').map((type) => WORDS[type] ?? type)
  return `must be ${alternatives(named)}; it is ${WORDS[kind] ?? kind}`
}

const alternatives = (names: readonly string[]) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`

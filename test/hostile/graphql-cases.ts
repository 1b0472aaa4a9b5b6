import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql'
import { STRINGS } from './corpus.ts'
import type { Draw } from './draw.ts'
import { FINE } from './schema-values.ts'
import { chip, oddValue, spoil } from './spoil.ts'
import type { Targets } from './targets.ts'

export interface GraphQLCase {
  kind: 'query' | 'mutation' | 'subscription'
  query: string
  variables: Record<string, unknown>
  operationName?: string
}

const schema = buildSchema(readFileSync(join(import.meta.dirname, '../../schema.graphql'), 'utf8'))

/** Every field of a type that is a value and takes no arguments, for reading all that there is. */
export function plainFieldsOf(name: string): string {
  const fields = (schema.getType(name) as GraphQLObjectType).getFields()
  const plain = Object.values(fields).filter(({ type, args }) => isLeafType(getNamedType(type)) && args.length === 0)
  return plain.map((field) => field.name).join(' ')
}

interface Making {
  draw: Draw
  targets: Targets
  variables: Record<string, unknown>
  declared: string[]
}

const KINDS = ['query', 'mutation', 'subscription'] as const
const fieldsOf = (kind: (typeof KINDS)[number]) => Object.values(schema.getRootType(kind as never)?.getFields() ?? {})

/** Every query, mutation and subscription. */
export const ROOT_FIELDS = KINDS.flatMap((kind) => fieldsOf(kind).map((field) => ({ kind, field })))

/**
 * The numbered operation, which the SDL allows, with random arguments in its variables; then, perhaps, spoiled. Root
 * fields take turns; a query may have another beside it.
 */
export function graphqlCase(draw: Draw, targets: Targets, number: number): GraphQLCase {
  const { kind, field } = ROOT_FIELDS[number % ROOT_FIELDS.length] as (typeof ROOT_FIELDS)[number]
  const making: Making = { draw, targets, variables: {}, declared: [] }
  const beside = kind === 'query' && draw.chance(0.5) ? [draw.one(fieldsOf(kind))] : []
  const fields = [field, ...beside].map((one, index) => `f${index}: ${fieldOf(making, one, 0)}`)
  const declared = making.declared.length > 0 ? `(${making.declared.join(', ')})` : ''
  const query = `${kind} Q${declared} { ${fields.join(' ')} }`
  const variables = draw.chance(0.5) ? spoil(draw, making.variables) : making.variables
  const named = draw.chance(0.1) ? { operationName: draw.one(['Q', ...STRINGS]) } : {}
  return { kind, query: draw.chance(0.15) ? marred(draw, query) : query, variables, ...named }
}

function marred(draw: Draw, query: string): string {
  return draw.one<() => string>([
    () => chip(draw, query),
    () =>
      query.replace(
        '{',
        `@${draw.one(['skip', 'include', 'deprecated', 'x'])}(if: ${draw.one(['true', '$v0', '1'])}) {`,
      ),
    () => query.replace('f0', draw.one(['__proto__', 'constructor', 'a'.repeat(5_000), '__typename'])),
    () => `${query} fragment F on Query { ...F }`,
    () => `${query} ${query}`,
    () => `#${draw.one(STRINGS)}\n${query}`,
    () => `"""${draw.one(STRINGS)}""" ${query}`,
    () =>
      draw.one([
        '',
        '{',
        '{ }',
        'query',
        '{ __type(name: "App") { fields { name } } }',
        '{ __schema { x } }',
        'type A { a: Int }',
      ]),
  ])()
}

function fieldOf(making: Making, field: GraphQLField<unknown, unknown>, depth: number): string {
  const args = field.args.flatMap((arg) => {
    if (!isNonNullType(arg.type) && making.draw.chance(0.5)) return []
    return [`${arg.name}: ${variableFor(making, arg)}`]
  })
  return `${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${selectionOf(making, field.type, depth)}`
}

function variableFor({ draw, targets, variables, declared }: Making, { name, type }: GraphQLArgument): string {
  const variable = `v${declared.length}`
  declared.push(`$${variable}: ${type}`)
  variables[variable] = valueFor(draw, targets, type, name)
  return `$${variable}`
}

function selectionOf(making: Making, type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type)
  if (isUnionType(named) || !(isObjectType(named) || isInterfaceType(named)))
    return isUnionType(named) ? ' { __typename }' : ''
  const { draw } = making
  const all = Object.values((named as GraphQLObjectType).getFields())
  const plain = all.filter(({ type }) => !isObjectType(getNamedType(type)) && !isInterfaceType(getNamedType(type)))
  const chosen = (depth < 4 ? all : plain).filter(() => draw.chance(depth === 0 ? 0.5 : 0.25))
  return ` { __typename ${chosen.map((field) => fieldOf(making, field, depth + 1)).join(' ')} }`
}

function valueFor(draw: Draw, targets: Targets, type: GraphQLInputType, name: string): unknown {
  if (isNonNullType(type)) return valueFor(draw, targets, type.ofType, name)
  if (isListType(type)) {
    if (name in FINE && draw.chance(0.6)) return FINE[name]
    return Array.from({ length: draw.whole(0, 2) }, () => valueFor(draw, targets, type.ofType, name))
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter((field) => isNonNullType(field.type) || draw.chance(0.3))
    return Object.fromEntries(fields.map((field) => [field.name, valueFor(draw, targets, field.type, field.name)]))
  }
  if (isEnumType(type)) return draw.one(type.getValues()).name
  if (type.name === 'Boolean') return draw.chance(0.5)
  if (type.name === 'Int') return draw.one([0, 1, 2, 5, 50, -1, 2 ** 31 - 1, -(2 ** 31)])
  if (type.name === 'Float') return draw.one([0.5, 1, 2, -1, 1e308])
  return textFor(draw, targets, name)
}

function textFor(draw: Draw, targets: Targets, name: string): unknown {
  // Some ids have the name of what they are about, and some are only called id.
  const field = name === 'id' ? draw.one(['appId', 'appEnvId', 'accountId', 'tokenId', 'operationId']) : name
  const id = /Id$/.test(field) ? targets.idFor(field, draw) : null
  if (id && draw.chance(0.85)) return id
  if (name in FINE && draw.chance(0.6)) return FINE[name]
  if (/after|before|cursor/i.test(name)) return draw.one([...CURSORS, ...STRINGS])
  return draw.chance(0.7) ? draw.one(STRINGS) : oddValue(draw)
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

/** Cursors of every kind that there are, and of none. */
const CURSORS = [
  '',
  '0',
  '1',
  '-1',
  '99999999999999999999',
  '9223372036854775808',
  '1e3',
  'AAAA',
  '=',
  '2026-01-01T00:00:00Z',
  ...['GPC:S:x', 'GPC:N:1', 'GPC:S:\0', 'GPC:D:zz', 'GPC:J:["a"]', 'GPC:J:{', 'GPC:B:1', 'OC:1', 'App:1'].map(base64),
]

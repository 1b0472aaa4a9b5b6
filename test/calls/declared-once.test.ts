import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { schema } from '../../src/api/graphql/schema.ts'
import { routes } from '../../src/api/rest/routes.ts'
import { isDeclared } from '../../src/calls/field.ts'

/** Fields that no resource declares, why, and how they are told. */
interface Exception {
  reason: string
  isOne: (place: string) => boolean
}

const IN_GRAPHQL: Exception[] = [
  { reason: 'the ways into the API', isOne: (place) => /^(Query|Mutation|Subscription)\./.test(place) },
  { reason: 'connections, which Pothos makes', isOne: (place) => /^(PageInfo|\w+(Connection|Edge))\./.test(place) },
  { reason: 'the cost of a request, which is no noun', isOne: (place) => /^RequestCost(Part)?\./.test(place) },
  { reason: 'messages of subscriptions', isOne: (place) => /^\w+Message\./.test(place) },
  {
    reason: 'keys and values of what REST has as an object of any keys',
    isOne: (place) => /^(Label|Header|HealthCheckHeader|Data)\.(key|value)$/.test(place),
  },
  {
    reason: 'ids of what a mutation has deleted, which its input names',
    isOne: (place) => /^(Delete|Remove)\w+Payload\.deleted\w+Id$/.test(place),
  },
  {
    reason: 'what a mutation leads to, where REST answers with ids',
    isOne: (place) =>
      /^\w+Payload\.(account|app|appEnv|autoDeploy|credential|delivery|gitHook|installation|invitation|jobRun|jobSchedule|operation|pullRequestEnvs|sourceInspection|token|webhook|idempotentReplayed)$/.test(
        place,
      ),
  },
]

const IN_REST: Exception[] = [
  { reason: 'envelopes of lists', isOne: (place) => /^get \S+ (\w+s|entries|nextCursor|totalCount)$/.test(place) },
  {
    reason: 'settings of an app type, declared with the type, for inputs too',
    isOne: (place) => /\.?(jobConfig|functionConfig)\.\w+$/.test(place),
  },
]

/** How many fields each exception is for; throws where a field is neither declared nor an exception. */
function sorted(undeclared: readonly string[], exceptions: readonly Exception[]): Record<string, number> {
  const counts: Record<string, number> = {}
  const none: string[] = []
  for (const place of undeclared) {
    const exception = exceptions.find(({ isOne }) => isOne(place))
    if (exception) counts[exception.reason] = (counts[exception.reason] ?? 0) + 1
    else none.push(place)
  }
  expect(none).toEqual([])
  return counts
}

const report = (api: string, all: number, declared: number, counts: Record<string, number>) => {
  const rest = Object.entries(counts).map(([reason, count]) => `    ${count}: ${reason}`)
  console.log([`${api}: ${all} fields, ${declared} from a resource, the others are`, ...rest].join('\n'))
}

const objects = Object.values(schema.getTypeMap()).filter(
  (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'),
)

const declarationOf = (field: GraphQLField<unknown, unknown>) => field.extensions.declaredAs as string | undefined

interface Property {
  place: string
  type: z.ZodType
}

interface Definition {
  innerType?: z.ZodType
  element?: z.ZodType
  shape?: Record<string, z.ZodType>
}

/** The fields of an answer, at every depth. */
function propertiesOf(place: string, type: z.ZodType): Property[] {
  const { innerType, element, shape } = type._zod.def as Definition
  const within = innerType ?? element
  if (within) return propertiesOf(place, within)
  return Object.entries(shape ?? {}).flatMap(([name, field]) => {
    const own = `${place}${place.includes(' ') && !place.endsWith(' ') ? '.' : ''}${name}`
    return [{ place: own, type: field }, ...propertiesOf(own, field)]
  })
}

describe('each field is declared once', () => {
  test('in GraphQL', () => {
    const fields = objects.flatMap((type) =>
      Object.values(type.getFields()).map((field) => ({ place: `${type.name}.${field.name}`, field })),
    )
    const undeclared = fields.filter(({ field }) => !declarationOf(field)).map(({ place }) => place)
    report('GraphQL', fields.length, fields.length - undeclared.length, sorted(undeclared, IN_GRAPHQL))
  })

  test('in REST', () => {
    const fields = routes.flatMap((route) => {
      const answer = 'read' in route ? route.read.answer : route.answer
      return propertiesOf(`${route.method.toLowerCase()} ${route.path} `, answer)
    })
    const undeclared = fields.filter(({ type }) => !isDeclared(type)).map(({ place }) => place)
    report('REST', fields.length, fields.length - undeclared.length, sorted(undeclared, IN_REST))
  })

  test('and has one description wherever it is shown', () => {
    const words = new Map<string, Set<string>>()
    for (const type of objects) {
      for (const field of Object.values(type.getFields())) {
        const declaration = declarationOf(field)
        if (!declaration) continue
        // Commands have messages of their own each.
        const key = declaration.startsWith('Outcome.') ? `${type.name}.${declaration}` : declaration
        words.set(key, (words.get(key) ?? new Set()).add(field.description ?? ''))
      }
    }
    expect([...words].filter(([, descriptions]) => descriptions.size > 1)).toEqual([])
  })

  test('with an enum whose values are described where the field is', () => {
    for (const type of Object.values(schema.getTypeMap())) {
      if (!isEnumType(type) || isSpecifiedScalarType(type) || type.name.startsWith('__')) continue
      expect(
        type.getValues().every(({ description }) => description),
        type.name,
      ).toBe(true)
      expect(getNamedType(type)).toBe(type)
    }
  })
})

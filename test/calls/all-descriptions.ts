import {
  type GraphQLArgument,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
} from 'graphql'

/** A description, and where it is shown. */
export type Shown = [place: string, description: string | null | undefined]

/** Every type, field, argument, input field, enum value and directive of a schema. */
export function describedInSchema(schema: GraphQLSchema): Shown[] {
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type),
  )
  const ofTypes = types.flatMap((type): Shown[] => {
    const own: Shown[] = [[type.name, type.description]]
    if (isEnumType(type)) own.push(...type.getValues().map((value) => shown(type, value.name, value.description)))
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return own
    const fields = Object.values(type.getFields()).flatMap((field): Shown[] => [
      shown(type, field.name, field.description),
      ...argumentsOf(field).map((argument): Shown => {
        return [`${type.name}.${field.name}(${argument.name}:)`, argument.description]
      }),
    ])
    return [...own, ...fields]
  })
  const directives = schema.getDirectives().filter((directive) => !isSpecifiedDirective(directive))
  return [...ofTypes, ...directives.map(({ name, description }): Shown => [`@${name}`, description])]
}

const argumentsOf = (field: object): readonly GraphQLArgument[] =>
  'args' in field ? (field.args as readonly GraphQLArgument[]) : []

const shown = ({ name }: { name: string }, member: string, description: string | null | undefined): Shown => [
  `${name}.${member}`,
  description,
]

type Node = Record<string, unknown>

const entriesOf = (node: unknown): [string, Node][] => Object.entries((node ?? {}) as Record<string, Node>)

/** Every operation, parameter, header, named schema and property of an OpenAPI document. */
export function describedInOpenApi(document: Node): Shown[] {
  const { schemas, parameters, headers } = document.components as Record<string, Node>
  const ofPaths = entriesOf(document.paths).flatMap(([path, methods]) =>
    entriesOf(methods).flatMap(([method, operation]) => ofOperation(`${method} ${path}`, operation)),
  )
  const named = [...entriesOf(parameters), ...entriesOf(headers)].map(([name, one]): Shown => {
    return [`#${name}`, one.description as string]
  })
  const ofSchemas = entriesOf(schemas).flatMap(([name, schema]): Shown[] => [
    [`#${name}`, schema.description as string],
    ...properties(`#${name}`, schema as Node),
  ])
  return [...ofPaths, ...named, ...ofSchemas]
}

function ofOperation(place: string, operation: Node): Shown[] {
  const parameters = (operation.parameters as Node[]).filter(({ $ref }) => !$ref)
  const bodies = [operation.requestBody, (operation.responses as Node)['200']].flatMap((body): Node[] => {
    const content = (body as { content?: Record<string, { schema: Node }> } | undefined)?.content
    const schema = content?.['application/json']?.schema
    return schema ? [schema] : []
  })
  return [
    [place, operation.description as string],
    ...parameters.map(({ name, description }): Shown => [`${place} ?${name}`, description as string]),
    ...bodies.flatMap((schema) => properties(place, schema)),
  ]
}

/** Properties at every depth. What refers to a named schema without words of its own has those of the schema. */
function properties(place: string, schema: Node): Shown[] {
  const own = entriesOf(schema.properties).flatMap(([name, property]): Shown[] => [
    ...(property.$ref && !property.description ? [] : [[`${place}.${name}`, property.description] as Shown]),
    ...properties(`${place}.${name}`, property),
  ])
  const within = [schema.items, ...((schema.anyOf as Node[] | undefined) ?? [])].flatMap((part) =>
    part ? properties(place, part as Node) : [],
  )
  return [...own, ...within]
}

import { type GraphQLSchema, getNullableType } from 'graphql'

/**
 * What stands at the top of a request may be null, whatever it is: an error there would otherwise take away the answers of the
 * other fields, such as the secret that a mutation before it has shown for the only time.
 */
export function withNullableRoots(schema: GraphQLSchema): GraphQLSchema {
  for (const root of [schema.getQueryType(), schema.getMutationType()])
    for (const field of Object.values(root?.getFields() ?? {})) field.type = getNullableType(field.type)
  return schema
}

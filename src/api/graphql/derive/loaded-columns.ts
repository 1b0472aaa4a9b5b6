import { type GraphQLFieldResolver, type GraphQLSchema, isObjectType } from 'graphql'

type Row = Readonly<Record<string, unknown>>

/**
 * Pothos asks before every column whether the plan of the request has loaded it. For a column the answer is in
 * the row itself, and asking costs more than everything else about the field: so the row is read first.
 */
export function readLoadedColumns(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue
    for (const field of Object.values(type.getFields())) {
      const column = field.extensions.pothosPrismaVariant
      if (typeof column !== 'string' || !field.resolve) continue
      field.resolve = columnFirst(column, field.resolve)
    }
  }
  return schema
}

const columnFirst =
  (column: string, load: GraphQLFieldResolver<unknown, unknown>): GraphQLFieldResolver<unknown, unknown> =>
  (row, args, context, info) => {
    const value = (row as Row)[column]
    return value === undefined ? load(row, args, context, info) : value
  }

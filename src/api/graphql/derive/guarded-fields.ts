import { defaultFieldResolver, type GraphQLSchema, isObjectType } from 'graphql'
import { permit } from '../../../calls/caller.ts'
import type { Permission } from '../../../domain/permissions.ts'
import type { GraphQLContext } from '../context.ts'

type Row = { id: string; accountId: string }

interface Guard {
  /** Fields that need no permission beyond that for the row. */
  open: ReadonlySet<string>
  /** What a caller needs for every other field. */
  permission: Permission
}

const GUARDED = 'berthGuarded'

/** Whether the value of a field may be read only by its resolver, which asks for a permission first. */
export const isGuarded = ({ extensions }: { extensions: object }): boolean => GUARDED in extensions

/** Whether guarded fields are open: all other callers needed the same roles and scopes to get the row. */
export const passesGuards = ({ caller }: GraphQLContext): boolean => caller.kind !== 'ENVIRONMENT'

/**
 * Refuses fields of a type to environment tokens, which may see only a part of it. On the field itself, because a row is
 * reached by many paths, and completed by the builder of the schema without asking a service.
 */
export function guardFields(schema: GraphQLSchema, typeName: string, { open, permission }: Guard): GraphQLSchema {
  const type = schema.getType(typeName)
  if (!isObjectType(type)) throw new Error(`${typeName} is no object type`)
  const fields = type.getFields()
  const unknown = [...open].filter((name) => !(name in fields))
  if (unknown.length > 0) throw new Error(`${typeName} has no field ${unknown.join(', ')}`)
  for (const field of Object.values(fields)) {
    if (open.has(field.name)) continue
    const resolve = field.resolve ?? defaultFieldResolver
    field.extensions = { ...field.extensions, [GUARDED]: true }
    field.resolve = (row: Row, args, context: GraphQLContext, info) => {
      if (!passesGuards(context)) permit(context.caller, permission, { accountId: row.accountId, appEnvId: row.id })
      return resolve(row, args, context, info)
    }
  }
  return schema
}

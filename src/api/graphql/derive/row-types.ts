import type { Resource } from '../../../calls/resource.ts'

const types = new Map<Resource, unknown>()

/** Keeps the type of a noun's rows, for the fields that are derived from reads. */
export function rowType<Ref>(resource: object, type: Ref): Ref {
  types.set(resource as Resource, type)
  return type
}

/** Throws for a noun whose type is not declared yet, which shows at start. */
export function rowTypeOf(resource: Resource): never {
  const known = types.get(resource)
  if (!known) throw new Error(`Declare the GraphQL type of ${resource.name} by rowType`)
  return known as never
}

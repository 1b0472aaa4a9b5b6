import { getDatamodel } from '../generated/pothos-types.ts'

type Datamodel = ReturnType<typeof getDatamodel>['datamodel']['models']

export interface Column {
  name: string
  /** Quoted. */
  sql: string
  type: string
  isList: boolean
  isRequired: boolean
}

export interface Relation {
  name: string
  target: string
  isList: boolean
  /** Columns of the target and of this model that are equal, by their quoted names. */
  on: readonly (readonly [target: string, own: string])[]
}

export interface Model {
  name: string
  /** Quoted. */
  table: string
  columns: ReadonlyMap<string, Column>
  relations: ReadonlyMap<string, Relation>
  /** The order that Prisma gives to a part of a list that has none. */
  primaryKey: readonly string[]
  /** Sets of fields that no two rows share. */
  keys: readonly (readonly string[])[]
  /** Fields of the unique keys that have several, by the name that Prisma gives to the key. */
  compoundKeys: ReadonlyMap<string, readonly string[]>
}

export type Models = ReadonlyMap<string, Model>

/** What Prisma's client knows of the tables, and Pothos' copy of the data model leaves out. */
export interface Tables {
  models: Record<string, { dbName: string | null; fields: { name: string; dbName?: string }[] }>
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/**
 * Tables, columns, keys and relations, from the data model that Prisma generates. A relation refers to the primary key
 * of its target; a test reads the schema for it, because neither copy of the data model says so.
 */
export function modelsOf(tables: Tables): Models {
  const known = getDatamodel().datamodel.models
  const columnOf = (model: string, field: string) => {
    const found = tables.models[model]?.fields.find(({ name }) => name === field)
    if (!found) throw new Error(`Prisma's client does not know ${model}.${field}`)
    return quoted(found.dbName ?? field)
  }
  const models = Object.keys(known).map((name) => {
    const table = quoted(tables.models[name]?.dbName ?? name)
    return [name, { name, table, ...fieldsOf(known, name, columnOf), ...keysOf(known, name) }] as const
  })
  return new Map(models)
}

type ColumnOf = (model: string, field: string) => string

function fieldsOf(known: Datamodel, model: string, columnOf: ColumnOf): Pick<Model, 'columns' | 'relations'> {
  const columns = new Map<string, Column>()
  const relations = new Map<string, Relation>()
  for (const field of known[model]?.fields ?? []) {
    const { name, type, isList, isRequired } = field
    if (field.kind !== 'object') columns.set(name, { name, sql: columnOf(model, name), type, isList, isRequired })
    else {
      const on = joinOf(known, model, field, columnOf)
      if (on) relations.set(name, { name, target: type, isList, on })
    }
  }
  return { columns, relations }
}

type Field = Datamodel[string]['fields'][number]

/** The side with the foreign key names it; its target is the primary key. Null for a join that is not like that. */
function joinOf(known: Datamodel, model: string, field: Field, columnOf: ColumnOf): Relation['on'] | null {
  const own = field.relationFromFields ?? []
  if (own.length > 0) return paired(own, primaryKeyOf(known, field.type), model, field.type, columnOf)
  const others = (known[field.type]?.fields ?? []).filter(
    ({ relationName, relationFromFields }) => relationName === field.relationName && relationFromFields?.length,
  )
  const [back] = others
  if (!back || others.length > 1) return null
  const pairs = paired(back.relationFromFields ?? [], primaryKeyOf(known, model), field.type, model, columnOf)
  return pairs?.map(([referred, referring]) => [referring, referred]) ?? null
}

function paired(
  foreign: readonly string[],
  key: readonly string[],
  source: string,
  target: string,
  columnOf: ColumnOf,
): Relation['on'] | null {
  if (foreign.length !== key.length) return null
  return foreign.map((name, index) => [columnOf(target, key[index] ?? ''), columnOf(source, name)])
}

function primaryKeyOf(known: Datamodel, model: string): readonly string[] {
  const { primaryKey, fields = [] } = known[model] ?? {}
  return primaryKey?.fields ?? fields.filter(({ isId }) => isId).map(({ name }) => name)
}

function keysOf(known: Datamodel, model: string): Pick<Model, 'primaryKey' | 'keys' | 'compoundKeys'> {
  const { primaryKey: compound, uniqueIndexes = [], fields = [] } = known[model] ?? {}
  const compounds = [...(compound ? [compound] : []), ...uniqueIndexes]
  const single = fields.filter(({ isId, isUnique }) => isId || isUnique).map(({ name }) => [name])
  return {
    primaryKey: primaryKeyOf(known, model),
    keys: [...single, ...compounds.map(({ fields }) => fields)],
    compoundKeys: new Map(compounds.map(({ name, fields }) => [name ?? fields.join('_'), fields])),
  }
}

import { type GraphQLResolveInfo, isEnumType } from 'graphql'
import type { TextField, WantedText } from '../../database/reads/row-text.ts'
import { type FieldPlan, type ObjectPlan, TEXTS, type ValuePlan } from './plan.ts'

/** The rows of a page as the database can write them; null if an answer needs more of them than their columns. */
export function textsOfPage(page: ValuePlan): WantedText | null {
  const [rows, ...others] = rowsOf(page)
  // Rows that are wanted in two forms have no one text.
  if (!rows || others.length > 0 || rows.fields.length === 0) return null
  const fields = rows.fields.map(textField)
  if (!fields.every((field) => field !== null)) return null
  return { key: JSON.stringify(fields), fields }
}

/** The query, with what the answer has of its rows: resolvers add it to a list that services read as it is. */
export function inText<Query extends object>(query: Query, info: GraphQLResolveInfo): Query & { text?: WantedText } {
  const texts = (info as { [TEXTS]?: WantedText })[TEXTS]
  return texts ? { ...query, text: texts } : query
}

function rowsOf(page: ValuePlan): ObjectPlan[] {
  if (page.kind !== 'object') return []
  return page.plan.fields.flatMap(({ field, value }) => {
    if (field?.name === 'nodes') return itemsOf(value)
    if (field?.name !== 'edges') return []
    return itemsOf(value).flatMap((edge) =>
      edge.fields.flatMap(({ field, value }) => (field?.name === 'node' ? planOf(value) : [])),
    )
  })
}

const itemsOf = (value: ValuePlan) => (value.kind === 'list' ? planOf(value.item) : [])
const planOf = (value: ValuePlan) => (value.kind === 'object' ? [value.plan] : [])

function textField({ name, column, value }: FieldPlan): TextField | null {
  if (value.kind === 'typename') return { name, text: value.typeName }
  if (value.kind !== 'leaf' || column === null) return null
  const { type, isRequired } = value
  if (!isEnumType(type)) return { name, column, type: type.name, isRequired }
  const values = type.getValues()
  // Others are written under another name than they are stored.
  if (values.some(({ name, value }) => name !== value)) return null
  return { name, column, type: 'enum', isRequired, values: values.map(({ name }) => name) }
}

import type { Query } from './selection.ts'

/**
 * What a query has in common with others that one statement answers, as a text: all but its values, which are added to
 * `values` in the order of the statement's parameters.
 */
export function shapeOf(
  { select, include, where, orderBy, cursor, take, skip, ...others }: Query,
  values: unknown[],
): string {
  let shape = ''
  if (select !== undefined) shape += `s${selectionShape(select, values)}`
  if (include !== undefined) shape += `i${selectionShape(include, values)}`
  if (where !== undefined) shape += `w${valueShape(where, values)}`
  if (orderBy !== undefined) shape += `o${JSON.stringify(orderBy)}`
  if (cursor !== undefined) shape += `c${valueShape(cursor, values)}`
  if (take !== undefined) {
    values.push(Math.abs(take))
    shape += take < 0 ? '-' : '+'
  }
  if (skip !== undefined) {
    values.push(skip)
    shape += '>'
  }
  for (const name in others) shape += `?${name}`
  return shape
}

function selectionShape(selection: unknown, values: unknown[]): string {
  let shape = '('
  for (const name in selection as object) {
    const wanted = (selection as Record<string, unknown>)[name]
    if (wanted === true) shape += `${name},`
    else if (typeof wanted === 'object' && wanted !== null) shape += `${name}{${shapeOf(wanted as Query, values)}}`
    else if (wanted !== false) shape += `${name}?${String(wanted)},`
  }
  return `${shape})`
}

function valueShape(value: unknown, values: unknown[]): string {
  if (value === null) return '0'
  if (value === undefined) return '?'
  if (Array.isArray(value)) return listShape(value, values)
  if (typeof value !== 'object' || value instanceof Date) {
    values.push(value)
    return typeof value
  }
  // The mode is part of the statement, and no value of it.
  if ('contains' in value && 'mode' in value && typeof value.mode === 'string') {
    values.push(value.contains)
    return `{contains ${value.mode} ${Object.keys(value).length}}`
  }
  let shape = Object.getPrototypeOf(value) === Object.prototype ? '{' : '?{'
  for (const name in value) shape += `${name}:${valueShape((value as Record<string, unknown>)[name], values)},`
  return `${shape}}`
}

/** A list is one value, unless it holds conditions, or nulls, which are compared in another way. */
function listShape(list: unknown[], values: unknown[]): string {
  if (list.some((item) => typeof item === 'object' && !(item instanceof Date)))
    return `[${list.map((item) => valueShape(item, values)).join(',')}]`
  values.push(list)
  return '[]'
}

import { GraphQLError } from 'graphql'
import { isoTime } from '../../../domain/iso-time.ts'
import { isStorableTime, TIME_RULE } from '../../../domain/times.ts'
import { builder } from '../builder.ts'

builder.scalarType('DateTime', {
  description: 'A time in ISO 8601, such as `2026-01-31T12:00:00.000Z`.',
  serialize: (value) => (value instanceof Date ? isoTime(value) : value),
  parseValue(value) {
    const time = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(value) ? new Date(value) : null
    if (!time || Number.isNaN(time.getTime())) throw new GraphQLError('must be an ISO 8601 time')
    if (!isStorableTime(time.toISOString())) throw new GraphQLError(TIME_RULE)
    return time
  },
})

builder.scalarType('JSON', {
  description: 'Any JSON value.',
  serialize: (value) => value,
  parseValue: (value) => value,
})

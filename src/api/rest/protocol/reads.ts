import { z } from 'zod'
import { listAnswer, listOf, type PageRequest } from '../../../calls/page.ts'
import {
  type AnyQuery,
  type ListQuery,
  paging,
  type Query,
  type RestQuery,
  Versioned,
  type WholeListQuery,
} from '../../../calls/query.ts'
import type { AnyRead, ReadContext } from './route.ts'

/** A read of the catalogue, as REST answers it. */
export function readOf(query: AnyQuery): AnyRead {
  const { name, permission, about, example } = query
  return { name, permission, about, example, ...SHAPES[query.kind](query as never) }
}

type Shape = Omit<AnyRead, 'name' | 'permission' | 'about' | 'example'>
type Input = Record<string, unknown>

const SHAPES = {
  one: ofOne,
  list: ofList,
  whole: ofWholeList,
  rest: ofRest,
}

/** The services find it, and its resource says what is shown of it. */
function ofOne(query: Query<Input>): Shape {
  const { input, answer, isSingle, versionOf, isRecord } = query
  const select = { ...answer.select, ...(versionOf ? { version: true } : {}) }
  return {
    query: input,
    answer: answer.type,
    isSingle,
    async run(context: ReadContext, given: Input) {
      const row = await context.services.findWhole(query, context, given, { select })
      const body = isRecord ? answer.of(row as never) : answer.record(row as never, context)
      return versionOf ? new Versioned(body, versionOf(row)) : body
    },
  }
}

function ofList(query: ListQuery<Input>): Shape {
  const { input, answer, items, isRecord } = query
  const wanted = { select: answer.select }
  return {
    query: z.strictObject({ ...input.shape, ...paging }),
    answer: listAnswer(items, answer.type),
    async run(context: ReadContext, given: PageRequest & Input) {
      const { limit, cursor, ...filter } = given
      const page = await context.services.list(query, context, filter, { limit, cursor }, wanted)
      return listOf(items, page, (row) => (isRecord ? answer.of(row as never) : answer.record(row as never, context)))
    },
  }
}

function ofWholeList(query: WholeListQuery<Input>): Shape {
  const { input, answer, items, itemsAbout, isRecord } = query
  const wanted = { select: answer.select }
  return {
    query: input,
    answer: z.object({ [items]: z.array(answer.type).describe(itemsAbout) }),
    async run(context: ReadContext, filter: Input) {
      const rows = await context.services.all(query, context, filter, wanted)
      return { [items]: rows.map((row) => (isRecord ? row : answer.record(row as never, context))) }
    },
  }
}

function ofRest(query: RestQuery<Input>): Shape {
  const { input, type, isSingle, mayBeCsv } = query
  return {
    query: input,
    answer: type,
    isSingle,
    mayBeCsv,
    run: (context: ReadContext, given: Input) => context.services.respond(query, context, given),
  }
}

import { z } from 'zod'
import { listAnswer, listOf, MAX_COUNT, type PageRequest } from '../../../calls/page.ts'
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
  const { name, permission, about, example, refusals } = query
  return { name, permission, about, example, refusals, ...SHAPES[query.kind](query as never) }
}

/** A count takes as long as reading: it is made when it is asked for. */
const counting = { count: z.boolean().default(false).describe('Whether to count all items.') }

const counted = {
  totalCount: z
    .int()
    .optional()
    .describe(
      `Number of items in all pages together, counted to ${MAX_COUNT.toLocaleString('en')}; only with count=true.`,
    ),
}

type Shape = Omit<AnyRead, 'name' | 'permission' | 'about' | 'example' | 'refusals'>
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
  const { input, answer, items, isRecord, count: isCounted } = query
  const wanted = { select: answer.select }
  const envelope = listAnswer(items, answer.type)
  return {
    query: z.strictObject({ ...input.shape, ...paging, ...(isCounted ? counting : {}) }),
    answer: isCounted ? envelope.extend(counted) : envelope,
    async run(context: ReadContext, given: PageRequest & Input) {
      const { limit, cursor, count, ...filter } = given
      const [page, totalCount] = await Promise.all([
        context.services.list(query, context, filter, { limit, cursor }, wanted),
        count === true ? context.services.count(query, context, filter) : undefined,
      ])
      const list = listOf(items, page, (row) =>
        isRecord ? answer.of(row as never) : answer.record(row as never, context),
      )
      return totalCount === undefined ? list : { ...list, totalCount }
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

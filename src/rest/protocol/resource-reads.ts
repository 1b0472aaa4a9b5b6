import { z } from 'zod'
import type { Permission } from '../../domain/permissions.ts'
import type { Answer, RecordOf, RowOf } from '../../resources/resource.ts'
import type { Page, PageRequest } from '../../services/kernel/page.ts'
import type { Wanted } from '../../services/kernel/read.ts'
import { listAnswer, listOf } from './lists.ts'
import { paging } from './query.ts'
import { type ReadContext, read, Versioned } from './route.ts'

interface Described<Query extends z.ZodRawShape, A extends Answer> {
  /** The operationId. */
  name: string
  permission: Permission
  about: string
  query: Query
  answer: A
}

interface Single<Query extends z.ZodRawShape, A extends Answer, Row> extends Described<Query, A> {
  /** The ETag tells the version of what is shown, so that If-Match can insist on it. */
  isVersioned?: boolean
  /** Finds the row, with the fields that the answer needs. */
  find(context: ReadContext, query: z.output<z.ZodObject<Query>>, wanted: Wanted): Promise<Row>
  /** What is answered with the row; the answer's record of it where the services did not make one already. */
  show?(row: Row): RecordOf<A>
}

/** GET of one thing: the services find it, and its resource says what is shown of it. */
export const getOne = <Query extends z.ZodRawShape, A extends Answer, Row extends object>({
  answer,
  isVersioned = false,
  find,
  show,
  ...described
}: Single<Query, A, Row>) =>
  read({
    ...described,
    query: z.strictObject(described.query),
    answer: answer.type,
    isSingle: true,
    async run(context, query) {
      const wanted = { select: { ...answer.select, ...(isVersioned ? { version: true } : {}) } }
      const row = await find(context, query as z.output<z.ZodObject<Query>>, wanted)
      const body = show ? show(row) : answer.record(row as RowOf<A['fields']>, context)
      return isVersioned ? new Versioned(body, (row as { version: number } & Row).version) : body
    },
  })

interface Listed<Query extends z.ZodRawShape, A extends Answer, Row> extends Described<Query, A> {
  /** What the items are called in the answer. */
  items: string
  find(
    context: ReadContext,
    filter: z.output<z.ZodObject<Query>>,
    page: PageRequest,
    wanted: Wanted,
  ): Promise<Page<Row>>
  show?(row: Row): RecordOf<A>
}

/** GET of a list, page by page. */
export const getList = <Query extends z.ZodRawShape, A extends Answer, Row extends object>({
  answer,
  items,
  find,
  show,
  ...described
}: Listed<Query, A, Row>) =>
  read({
    ...described,
    query: z.strictObject({ ...described.query, ...paging }),
    answer: listAnswer(items, answer.type),
    async run(context, query) {
      const { limit, cursor, ...filter } = query as PageRequest & z.output<z.ZodObject<Query>>
      const wanted = { select: answer.select }
      const rows = await find(context, filter as z.output<z.ZodObject<Query>>, { limit, cursor }, wanted)
      return listOf(items, rows, (row) => (show ? show(row) : answer.record(row as RowOf<A['fields']>, context)))
    },
  })

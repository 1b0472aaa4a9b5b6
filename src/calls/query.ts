import { z } from 'zod'
import type { Config } from '../config/config.ts'
import type { ErrorCode } from '../domain/errors.ts'
import type { IdPrefix } from '../domain/ids.ts'
import type { Permission } from '../domain/permissions.ts'
import type { Database } from '../storage/database/client.ts'
import type { Vault } from '../storage/secrets/vault.ts'
import type { Caller } from './caller.ts'
import type { OperationLimits } from './command.ts'
import type { Example } from './examples.ts'
import { DEFAULT_LIMIT, MAX_LIMIT, type Page, type PageRequest } from './page.ts'
import type { Slice, Wanted } from './read.ts'
import type { Answer, Resource } from './resource.ts'

/** What a read may use, and who asks. */
export interface QueryContext {
  database: Database
  config: Config
  vault: Vault
  limits?: OperationLimits | undefined
  caller: Caller
  requestId: string
  /** The address at which the caller reached the API, such as https://berth.example.com. */
  origin?: string | undefined
}

interface Declared<Input extends z.ZodRawShape> {
  /** The operationId. */
  name: string
  /** Below /api/public/v1; null for what REST answers with the noun that has it. */
  path: string | null
  /** What the services ask the caller for; the tests compare the two. */
  permission: Permission
  about: string
  example?: Example
  input: Input
  /** GraphQL's name of it, where that is not its own without the verb; null where GraphQL has a field written by hand. */
  inGraphQL?: string | null
  /** Codes that not every read may be refused with: the documentation names them. */
  refusals?: readonly ErrorCode[]
}

/** Fields of every list (contract §1, Lists). */
export const paging = {
  limit: z.int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT).describe('Maximum number of items in the answer.'),
  cursor: z.string().min(1).max(200).optional().describe('The nextCursor of the previous answer.'),
}

type Output<Input extends z.ZodRawShape> = z.output<z.ZodObject<Input>>

/** Everything about one read, as the loops over all of them see it: each kind knows its own types. */
interface DeclaredRead {
  name: string
  path: string | null
  permission: Permission
  about: string
  example: Example
  /** Without what paging adds. */
  input: z.ZodObject
  inGraphQL: string | null
  refusals: readonly ErrorCode[]
}

interface OfNoun extends DeclaredRead {
  /** What is read. */
  of: Resource
  /** What REST shows of one. */
  answer: Answer
  /** Whether the services hand out records, or rows of which GraphQL asks for columns. */
  isRecord: boolean
}

interface Key<Name extends string = string> {
  field: Name
  prefix: IdPrefix
}

/** One thing. */
export interface Query<Input = never, Row = object> extends OfNoun {
  kind: 'one'
  /** The input field that is the id of what is read, if there is one, and how such ids begin: GraphQL calls it `id`. */
  key: Key | null
  /** A single resource has an ETag in REST, and answers If-None-Match. */
  isSingle: boolean
  /** The ETag is this version of what is shown, so that If-Match can require it; null: it is made of the text. */
  versionOf: ((row: Row) => number) | null
  /** Whether there is one for every caller, so that GraphQL never answers null. */
  isAlwaysThere: boolean
  find(context: QueryContext, input: Input, wanted: Wanted): Promise<Row>
  /** Adds what REST shows and no column has; null where that is nothing. */
  complete: ((context: QueryContext, row: Row) => Promise<Row>) | null
}

/** A list in pages. */
export interface ListQuery<Filter = never, Row = object> extends OfNoun {
  kind: 'list'
  /** What the items are called in the answer. */
  items: string
  list(context: QueryContext, filter: Filter, page: PageRequest, wanted: Wanted): Promise<Page<Row>>
  /** The part that a connection names; null where the items are records. */
  slice: ((context: QueryContext, filter: Filter, slice: Slice) => Promise<Row[]>) | null
  /** How many there are in all pages together; null where that is not counted. */
  count: ((context: QueryContext, filter: Filter) => Promise<number>) | null
  /** Of a record, the cursor that continues after it. */
  cursorOf: ((record: Row) => string) | null
}

/** A list that is always short. */
export interface WholeListQuery<Filter = never, Row = object> extends OfNoun {
  kind: 'whole'
  items: string
  /** What the items are, and their order. */
  itemsAbout: string
  all(context: QueryContext, filter: Filter, wanted: Wanted): Promise<readonly Row[]>
}

/** A read that only REST has in this form. */
export interface RestQuery<Input = never, Body = object> extends DeclaredRead {
  kind: 'rest'
  type: z.ZodObject
  isSingle: boolean
  /** Its input has `format`, and `Accept: text/csv` means the same. */
  mayBeCsv: boolean
  run(context: QueryContext, input: Input): Promise<Body>
}

// biome-ignore lint/suspicious/noExplicitAny: the loops over all reads handle each alike, whatever its types.
export type AnyQuery = Query<any, any> | ListQuery<any, any> | WholeListQuery<any, any> | RestQuery<any, any>

/** A body together with the version of the resource that it shows. */
export class Versioned<Body = unknown> {
  readonly body: Body
  readonly version: number

  constructor(body: Body, version: number) {
    this.body = body
    this.version = version
  }
}

/** An answer as comma-separated values (RFC 4180), in place of JSON; with the cursor of the next page, if there is one. */
export class Csv {
  readonly text: string
  readonly nextCursor: string | null

  constructor(text: string, nextCursor: string | null = null) {
    this.text = text
    this.nextCursor = nextCursor
  }
}

/** `listApps` reads `apps`. */
const fieldOf = (name: string) => {
  const noun = name.replace(/^(?:get|list)/, '')
  return noun.charAt(0).toLowerCase() + noun.slice(1)
}

function common<Input extends z.ZodRawShape>({
  name,
  path,
  permission,
  about,
  example = {},
  input,
  inGraphQL,
  refusals = [],
}: Declared<Input>): DeclaredRead {
  return {
    name,
    path,
    permission,
    about,
    example,
    input: z.strictObject(input),
    inGraphQL: inGraphQL === undefined ? fieldOf(name) : inGraphQL,
    refusals,
  }
}

interface Noun<A extends Answer> {
  of: Resource
  /** What REST shows of one, where that is not all. */
  answer?: A
}

interface One<Input extends z.ZodRawShape, A extends Answer, Row> extends Declared<Input>, Noun<A> {
  key?: Key<keyof Input & string>
  isSingle?: boolean
  /** A function where the version is no field `version` of what is found. */
  version?: true | ((row: Row) => number)
  isAlwaysThere?: boolean
  find(context: QueryContext, input: Output<Input>, wanted: Wanted): Promise<Row>
  complete?(context: QueryContext, row: Row): Promise<Row>
}

const versionField = (row: object) => (row as { version: number }).version

/** Declares a read of one thing, of which the APIs ask for columns. */
export const query = <Input extends z.ZodRawShape, A extends Answer, Row extends object>({
  of,
  answer,
  key,
  isSingle = true,
  version,
  isAlwaysThere = false,
  find,
  complete,
  ...declared
}: One<Input, A, Row>): Query<Output<Input>, Row> => ({
  ...common(declared),
  kind: 'one',
  of,
  answer: answer ?? of.answer,
  isRecord: false,
  key: key ?? null,
  isSingle,
  versionOf: version === true ? versionField : (version ?? null),
  isAlwaysThere,
  find,
  complete: complete ?? null,
})

/** The same of what the services put together as a record. */
export const recordQuery = <Input extends z.ZodRawShape, A extends Answer, Row extends object>(
  declared: One<Input, A, Row>,
): Query<Output<Input>, Row> => ({ ...query(declared), isRecord: true })

/** A collection, as far as a list needs it: `calls/collection.ts`. */
interface From<Filter, Own extends z.ZodRawShape, Row> {
  /** Its filters and its order, which the list takes besides its own input. */
  input: Own
  list(database: Database, caller: Caller, filter: Filter, page: PageRequest, wanted?: Wanted): Promise<Page<Row>>
  slice(database: Database, caller: Caller, filter: Filter, slice: Slice): Promise<Row[]>
  count(database: Database, caller: Caller, filter: Filter): Promise<number>
}

interface Listed<Input extends z.ZodRawShape, Own extends z.ZodRawShape, A extends Answer, Row>
  extends Declared<Input>,
    Noun<A> {
  items?: string
  from: From<Output<Input & Own>, Own, Row>
  /** Where REST's page has more than the rows of the collection. */
  list?(context: QueryContext, filter: Output<Input & Own>, page: PageRequest, wanted: Wanted): Promise<Page<Row>>
}

/** Declares a list of rows, of which the APIs ask for columns. */
export const listQuery = <
  Input extends z.ZodRawShape,
  Own extends z.ZodRawShape,
  A extends Answer,
  Row extends object,
>({
  of,
  answer,
  items,
  from,
  list,
  ...declared
}: Listed<Input, Own, A, Row>): ListQuery<Output<Input & Own>, Row> => ({
  ...common({ ...declared, input: { ...declared.input, ...from.input } }),
  kind: 'list',
  of,
  answer: answer ?? of.answer,
  isRecord: false,
  items: items ?? fieldOf(declared.name),
  list: list ?? (({ database, caller }, filter, page, wanted) => from.list(database, caller, filter, page, wanted)),
  slice: ({ database, caller }, filter, slice) => from.slice(database, caller, filter, slice),
  count: ({ database, caller }, filter) => from.count(database, caller, filter),
  cursorOf: null,
})

interface ListedRecords<Input extends z.ZodRawShape, A extends Answer, Row> extends Declared<Input>, Noun<A> {
  items?: string
  cursorOf(record: Row): string
  list(context: QueryContext, filter: Output<Input>, page: PageRequest): Promise<Page<Row>>
}

/** Declares a list of records that is no collection of rows. */
export const recordListQuery = <Input extends z.ZodRawShape, A extends Answer, Row extends object>({
  of,
  answer,
  items,
  cursorOf,
  list,
  ...declared
}: ListedRecords<Input, A, Row>): ListQuery<Output<Input>, Row> => ({
  ...common(declared),
  kind: 'list',
  of,
  answer: answer ?? of.answer,
  isRecord: true,
  items: items ?? fieldOf(declared.name),
  list,
  slice: null,
  count: null,
  cursorOf,
})

interface Collected<Input extends z.ZodRawShape, Own extends z.ZodRawShape, A extends Answer, Row, Record>
  extends Declared<Input>,
    Noun<A> {
  items?: string
  from: From<Output<Input & Own>, Own, Row>
  /** What the records are made of, and how. */
  wanted: Wanted
  records(rows: Row[], context: QueryContext): Record[] | Promise<Record[]>
  cursorOf(record: Record): string
}

/** Declares a list of records that are made of the rows of a collection. */
export const collectedQuery = <
  Input extends z.ZodRawShape,
  Own extends z.ZodRawShape,
  A extends Answer,
  Row extends object,
  Record extends object,
>({
  from,
  wanted,
  records,
  ...declared
}: Collected<Input, Own, A, Row, Record>): ListQuery<Output<Input & Own>, Record> => ({
  ...recordListQuery<Input & Own, A, Record>({
    ...declared,
    input: { ...declared.input, ...from.input },
    async list(context, filter, page) {
      const found = await from.list(context.database, context.caller, filter, page, wanted)
      return { ...found, rows: await records(found.rows, context) }
    },
  }),
  count: ({ database, caller }, filter) => from.count(database, caller, filter),
})

interface Whole<Input extends z.ZodRawShape, A extends Answer, Row> extends Declared<Input>, Noun<A> {
  items?: string
  itemsAbout: string
  isRecord: boolean
  all(context: QueryContext, filter: Output<Input>, wanted: Wanted): Promise<readonly Row[]>
}

/** Declares a list that has no pages, because it is always short. */
export const wholeListQuery = <Input extends z.ZodRawShape, A extends Answer, Row extends object>({
  of,
  answer,
  items,
  itemsAbout,
  isRecord,
  all,
  ...declared
}: Whole<Input, A, Row>): WholeListQuery<Output<Input>, Row> => ({
  ...common(declared),
  kind: 'whole',
  of,
  answer: answer ?? of.answer,
  isRecord,
  items: items ?? fieldOf(declared.name),
  itemsAbout,
  all,
})

type Answered<Type extends z.ZodRawShape> = z.output<z.ZodObject<Type>> | Versioned<z.output<z.ZodObject<Type>>> | Csv

interface InRest<Input extends z.ZodRawShape, Type extends z.ZodRawShape, Body extends Answered<Type>>
  extends Omit<Declared<Input>, 'inGraphQL'> {
  type: z.ZodObject<Type>
  isSingle?: boolean
  mayBeCsv?: boolean
  run(context: QueryContext, input: Output<Input>): Promise<Body>
}

/** Declares a read that only REST has in this form. */
export const restQuery = <Input extends z.ZodRawShape, Type extends z.ZodRawShape, Body extends Answered<Type>>({
  type,
  isSingle = false,
  mayBeCsv = false,
  run,
  ...declared
}: InRest<Input, Type, Body>): RestQuery<Output<Input>, Body> => ({
  ...common({ ...declared, inGraphQL: null }),
  kind: 'rest',
  type,
  isSingle,
  mayBeCsv,
  run,
})

import type { ResultOf } from '../../graphql/graphql.ts'
import type { AppDetail } from './documents.ts'

export type App = NonNullable<ResultOf<typeof AppDetail>['app']>
export type AppEnvironment = App['appEnvs']['nodes'][number]

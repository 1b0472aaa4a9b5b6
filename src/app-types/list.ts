import type { AppType } from './app-type.ts'
import { functionApp } from './function/function.ts'
import { job } from './job/job.ts'
import { service } from './service/service.ts'
import { web } from './web/web.ts'

/** Every app type. The first one is the default of an app that names neither a type nor a preset. */
export const APP_TYPES: readonly AppType[] = [web, service, functionApp, job]

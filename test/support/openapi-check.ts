import { openApiDocument } from '../../src/api/rest/openapi/openapi.ts'
import { REFUSAL_STATUSES } from '../../src/api/rest/openapi/openapi-parts.ts'
import { documentedBy } from './documented-answer.ts'

const statusesOf = (component: string): readonly number[] =>
  REFUSAL_STATUSES[component as keyof typeof REFUSAL_STATUSES] ?? []

/** Fails unless the OpenAPI document declares this answer. */
export const expectDocumented = documentedBy(openApiDocument(), (component, status) =>
  statusesOf(component).includes(status),
)

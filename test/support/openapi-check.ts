import { openApiDocument } from '../../src/api/rest/openapi/openapi.ts'
import { documentedBy } from './documented-answer.ts'

/** Fails unless the OpenAPI document declares this answer. */
export const expectDocumented = documentedBy(openApiDocument())

import { Kind, parse } from 'graphql'
import type { Recorded } from './recorder.ts'

/** The route of a call, and its outcome: `GET /apps accepted`, `createApp refused`. */
export function outcomesOf({ request, status, body }: Recorded): string[] {
  if (typeof request.call === 'string') {
    const route = request.call.replace(/\?.*/, '')
    return [`${route} ${status < 300 ? 'accepted' : 'refused'}`]
  }
  const isAccepted = status === 200 && !(body as { errors?: unknown[] }).errors
  return rootFieldsOf(String(request.graphql)).map((field) => `${field} ${isAccepted ? 'accepted' : 'refused'}`)
}

function rootFieldsOf(document: string): string[] {
  try {
    return parse(document).definitions.flatMap((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION
        ? definition.selectionSet.selections.flatMap((one) => (one.kind === Kind.FIELD ? [one.name.value] : []))
        : [],
    )
  } catch {
    // Some are invalid documents on purpose.
    return []
  }
}

import { invalidField } from '../../domain/errors.ts'

export interface WhichHost {
  hostId?: string | undefined
  host?: string | undefined
}

export function assertNamed({ hostId, host }: WhichHost): void {
  if (hostId || host) return
  throw invalidField(
    'hostId',
    'is required, unless host is sent; GET /app-env/hosts (GraphQL: hosts) lists all of them',
  )
}

import type { Page, PageRequest } from '../../../calls/page.ts'

export interface ForwardArgs {
  first?: number | null | undefined
  after?: string | null | undefined
}

export const pageRequest = ({ first, after }: ForwardArgs, size: number): PageRequest => ({
  limit: first ?? size,
  cursor: after ?? undefined,
})

/** A service's page as a connection; its cursors are the service's own. */
export function connectionOf<Row>(
  { rows, nextCursor }: Page<Row>,
  cursorOf: (row: Row) => string,
  after?: string | null,
) {
  const edges = rows.map((node) => ({ cursor: cursorOf(node), node }))
  return {
    edges,
    pageInfo: {
      hasNextPage: nextCursor !== null,
      hasPreviousPage: Boolean(after),
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  }
}

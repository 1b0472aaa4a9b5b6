import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import styles from './table.module.css'

export interface Column<Row> {
  name: string
  cell: (row: Row) => ReactNode
  /** `header` names the row; `actions` has the buttons of it. */
  kind?: 'header' | 'number' | 'actions'
}

interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** Of the row that the address names. */
  isCurrent?: (row: Row) => boolean
  more?: More | null | undefined
}

interface More {
  hasMore: boolean
  isLoading: boolean
  onMore: () => void
}

/** Rows with columns; on a phone, one card for each row, with the names of the columns in it. */
export function Table<Row>({ label, columns, rows, keyOf, isCurrent, more }: TableProps<Row>) {
  return (
    <>
      <table className={styles.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ name, kind }) => (
              <th key={name} scope="col" className={kind === 'number' ? styles.number : undefined}>
                {kind === 'actions' ? <span className="visually-hidden">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} id={keyOf(row)} data-current={isCurrent?.(row) || undefined}>
              {columns.map((column) => (
                <Cell key={column.name} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {more && <LoadMore {...more} />}
    </>
  )
}

function Cell<Row>({ column: { name, kind, cell }, row }: { column: Column<Row>; row: Row }) {
  if (kind === 'header')
    return (
      <th scope="row">
        <div>{cell(row)}</div>
      </th>
    )
  if (kind === 'actions')
    return (
      <td className={styles.actions}>
        <div>{cell(row)}</div>
      </td>
    )
  return (
    <td data-name={name} className={kind === 'number' ? styles.number : undefined}>
      <div>{cell(row)}</div>
    </td>
  )
}

/** Below a list of which the server has more. */
export function LoadMore({ hasMore, isLoading, onMore }: More) {
  if (!hasMore) return null
  return (
    <p className={styles.more}>
      <Button icon="arrowDown" isBusy={isLoading} onClick={onMore}>
        Load more
      </Button>
    </p>
  )
}

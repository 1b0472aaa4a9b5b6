/** What a field of a thing was before a write, and what it is after it. */
export interface AuditChange {
  /** What the thing is, as `targetType` calls it. */
  type: string
  id: string
  /** What people know the thing by; null where it has no name. */
  name: string | null
  /** The environment that it belongs to, or is; null for none. */
  appEnvId: string | null
  field: string
  /** Null where there was nothing: the thing was added, or the field had no value. */
  before: unknown
  after: unknown
}

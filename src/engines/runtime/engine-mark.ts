/**
 * Says on an engine which database the installation that runs containers there has. A copy of the installation has the
 * same id, and would take the containers of the original for its own.
 */
export interface EngineMark {
  /** Known to the database that it is of. */
  nonce: string
  /** Where that Berth runs, for people. */
  holder: string
}

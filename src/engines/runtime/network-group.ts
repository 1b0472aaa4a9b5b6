/** Environments that reach each other by short names, on a network of their own. */
export interface NetworkGroup {
  id: string
  /** Names of the containers there, which all replicas share but those that follow the first. */
  aliases: readonly string[]
}

/**
 * The key of a container engine in the database: the code of the region that has an engine of its own, empty for the
 * engine of the installation.
 */
export const engineKeyOf = (region: { code: string; engine: string | null } | null): string =>
  region?.engine ? region.code : ''

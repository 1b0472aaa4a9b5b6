/**
 * What tells container engines apart in the database: the code of the region that has one to itself, empty for that of
 * the installation.
 */
export const engineKeyOf = (region: { code: string; engine: string | null } | null): string =>
  region?.engine ? region.code : ''

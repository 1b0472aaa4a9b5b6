/** Fields in which solutions are of use. */
export const CATEGORIES = [
  'AUTOMATION',
  'CONTENT',
  'COLLABORATION',
  'DEVELOPMENT',
  'MONITORING',
  'ANALYTICS',
  'MESSAGING',
  'SECURITY',
  'SEARCH',
] as const

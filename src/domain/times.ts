/** Times from callers must have four-digit years in UTC, so that ISO 8601 and PostgreSQL write them alike. */
export const TIME_RULE = 'must be a time of the years 0001 to 9999'

export function isStorableTime(text: string): boolean {
  const year = new Date(text).getUTCFullYear()
  return year >= 1 && year <= 9999
}

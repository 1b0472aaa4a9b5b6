import { withoutTrailing } from './without-trailing.ts'

/** Maximum length of an account's, app's or environment's slug: three of them and two dashes fit a DNS label. */
const MAX_SLUG_LENGTH = 20

/** `My Shop!` → `my-shop`; empty when no character of the name can be part of a host name. */
export function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase()
  const dashed = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')
  return withoutTrailing(dashed.slice(0, MAX_SLUG_LENGTH), '-')
}

/** `my-shop`, then `my-shop-2`, `my-shop-3`…: the first for which `isTaken` is false. */
export function freeSlug(wanted: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `-${number}`
    const slug = withoutTrailing(wanted.slice(0, MAX_SLUG_LENGTH - suffix.length), '-') + suffix
    if (!taken.has(slug)) return slug
  }
}

/**
 * The slug of a new account: `my-shop`, else `myshop`, `myshop2`, `myshop3`… No account's slug begins another's at a
 * dash, so that `<account>-<app>-<env>` names one account only: `a-b-c-prod` is not of `a` and of `a-b`.
 */
export function accountSlug(wanted: string, taken: ReadonlySet<string>): string {
  const isFree = (slug: string) => ![...taken].some((other) => begins(slug, other) || begins(other, slug))
  if (isFree(wanted)) return wanted
  const plain = wanted.replaceAll('-', '')
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : String(number)
    const slug = plain.slice(0, MAX_SLUG_LENGTH - suffix.length) + suffix
    if (isFree(slug)) return slug
  }
}

const begins = (slug: string, other: string) => `${other}-`.startsWith(`${slug}-`)

export const cliEnvNameOf = (account: string, app: string, appEnv: string): string => `${account}-${app}-${appEnv}`

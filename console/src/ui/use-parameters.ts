import { useSearchParams } from 'wouter'

/** The part of the address behind `?`: what of a list is shown. `set` replaces some, and removes those that are empty. */
export function useParameters(): [URLSearchParams, (changes: Readonly<Record<string, string | null>>) => void] {
  const [parameters, setParameters] = useSearchParams()
  const set = (changes: Readonly<Record<string, string | null>>) =>
    setParameters(
      (before) => {
        const next = new URLSearchParams(before)
        for (const [name, value] of Object.entries(changes)) {
          if (value) next.set(name, value)
          else next.delete(name)
        }
        return next
      },
      { replace: true },
    )
  return [parameters, set]
}

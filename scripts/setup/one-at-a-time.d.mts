export function oneAtATime(
  root: string,
  isDone: () => boolean | Promise<boolean>,
  work: () => Promise<unknown>,
): Promise<void>

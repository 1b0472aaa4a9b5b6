interface Command {
  /** Null: the image’s entry point, which gets the arguments. */
  command: string | null
  args: readonly string[]
  /** True: `/bin/sh -lc command`, args appended. */
  shell: boolean
}

/** The program and its arguments. In a shell, arguments are part of the line, so that `$PORT` in them is expanded. */
export function commandLine({ command, args, shell }: Command): { entrypoint: string[]; args: string[] } {
  if (command === null) return { entrypoint: [], args: [...args] }
  if (!shell) return { entrypoint: [command], args: [...args] }
  return { entrypoint: ['/bin/sh', '-lc'], args: [[command, ...args].join(' ')] }
}

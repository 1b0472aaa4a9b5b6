export type FileMap = Map<string, Buffer>

/** The files of one container: its image's, those it has written over them, and the mounted volume. */
export class Files {
  readonly #image: ReadonlyMap<string, Buffer>
  readonly #volume: { path: string; files: FileMap } | null
  readonly written: FileMap = new Map()

  constructor(image: ReadonlyMap<string, Buffer>, volume: { path: string; files: FileMap } | null = null) {
    this.#image = image
    this.#volume = volume
  }

  /** Null if there is no such file. */
  read(path: string): string | null {
    const found = this.#isOnVolume(path)
      ? this.#volume?.files.get(path)
      : (this.written.get(path) ?? this.#image.get(path))
    return found?.toString('utf8') ?? null
  }

  write(path: string, content: string): void {
    const files = (this.#isOnVolume(path) && this.#volume?.files) || this.written
    files.set(path, Buffer.from(content))
  }

  #isOnVolume(path: string): boolean {
    return this.#volume !== null && path.startsWith(`${this.#volume.path}/`)
  }
}

import { LineFile } from './line-file.ts'

/** A map that survives a kill and a power cut. Deletes its oldest entry when there are more than `max`. */
export class FileMap<Value> {
  readonly #lines: LineFile<readonly [key: string, value?: Value]>
  readonly #map = new Map<string, Value>()
  /** One iterator for all deletions: a new one would skip all deleted entries each time. */
  readonly #oldest = this.#map.keys()
  readonly #max: number

  constructor(file: string, max: number) {
    this.#max = max
    this.#lines = new LineFile(
      file,
      ([key, value]) => this.#change(key, value),
      () => this.#map,
    )
  }

  #change(key: string, value: Value | undefined): void {
    this.#map.delete(key) // an entry that is set again becomes the newest
    if (value !== undefined) this.#map.set(key, value)
    if (this.#map.size > this.#max) this.#map.delete(this.#oldest.next().value!)
  }

  get(key: string): Value | undefined {
    return this.#map.get(key)
  }

  /** All entries, oldest first. */
  entries(): Iterable<[string, Value]> {
    return this.#map
  }

  /** Changes the map at once; without a value, the key is deleted. Resolves when it is on the disk. */
  set(key: string, value?: Value): Promise<void> {
    const written = this.#lines.append(value === undefined ? [key] : [key, value])
    this.#change(key, value)
    return written
  }

  close(): void {
    this.#lines.close()
  }
}
